import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { isForChange } from '../support/environment.ts'
import { EVERY_ENTRY } from './support/compile.ts'
import { packedFolder } from './support/pack.ts'
import { portablePrograms } from './support/programs.ts'
import { typescripts } from './support/versions.ts'

const folder = join(packedFolder(), 'typescript')
const programs = portablePrograms()
// One wrong program among the right ones: a compiler takes seconds to start.
const WRONG =
  "import { verifyWebhook } from 'edgetill/webhooks'\nexport const event: string = verifyWebhook({ data: '', signature: '' }, '')\n"
const files = { ...programs, 'every-entry.mts': EVERY_ENTRY, 'wrong.mts': WRONG }

// By the compilers' own command lines: the newest has no other interface.
function writeProject(): string {
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  const options = {
    target: 'ES2022',
    module: 'NodeNext',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    // The compiler's own libraries alone.
    skipDefaultLibCheck: true,
    noEmit: true,
  }
  const config = join(folder, 'tsconfig.json')
  writeFileSync(config, JSON.stringify({ compilerOptions: options, files: Object.keys(files) }))
  return config
}

/** A change is compiled by the oldest and by the newest; types.test.ts does it by the checkout's own. */
const tried = isForChange ? [typescripts().at(0), typescripts().at(-1)] : typescripts()

it.each(tried.filter((one) => one !== undefined))(
  'TypeScript %s compiles the documented programs, and rejects a wrong one',
  (version, compiler) => {
    const manifest = JSON.parse(readFileSync(join(dirname(compiler), '../package.json'), 'utf8')) as { version: string }
    expect(manifest.version.startsWith(`${version}.`)).toBe(true)
    const words = [compiler, '-p', writeProject(), '--pretty', 'false']
    const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    const errors = stdout.split('\n').filter((line) => /error TS\d+/.test(line))
    expect(Object.keys(programs).length).toBeGreaterThan(20)
    expect(errors).toContainEqual(expect.stringMatching(/wrong\.mts.*TS2322/))
    // Hono's declarations need TypeScript 5.7.
    expect(errors.filter((line) => !/wrong\.mts|node_modules\/hono\//.test(line))).toEqual([])
  },
)

it('is tried from 5.4 to the newest', () => {
  expect(typescripts().map(([version]) => version)).toEqual(['5.4', '5.5', '5.6', '5.7', '5.8', '5.9', '6.0', '7.0'])
})
