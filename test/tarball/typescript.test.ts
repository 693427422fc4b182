import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { EVERY_ENTRY } from './support/compile.ts'
import { packedFolder, run } from './support/pack.ts'
import { portablePrograms } from './support/programs.ts'
import { typescripts } from './support/versions.ts'

const folder = join(packedFolder(), 'typescript')
const programs = portablePrograms()
// One wrong program among the right ones: a compiler takes seconds to start.
const WRONG =
  "import { verifyWebhook } from 'edgetill'\nexport const event: string = verifyWebhook({ data: '', signature: '' }, '')\n"
const files = { ...programs, 'every-entry.mts': EVERY_ENTRY, 'wrong.mts': WRONG }

// By the compilers' own command lines: the newest has no other interface.
function writeProject(): string {
  for (const [file, text] of Object.entries(files)) write(join(folder, file), text)
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
  write(config, JSON.stringify({ compilerOptions: options, files: Object.keys(files) }))
  return config
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

describe.each(typescripts())('TypeScript %s', (version, compiler) => {
  let errors: string[] = []
  beforeAll(() => {
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', writeProject(), '--pretty', 'false'], {
      encoding: 'utf8',
    })
    errors = stdout.split('\n').filter((line) => /error TS\d+/.test(line))
  })

  it('is the version that it is called', () => {
    expect(run(process.execPath, [compiler, '--version'], folder)).toMatch(new RegExp(`^Version ${version}\\.`))
  })

  it('compiles the documented programs against the published types', () => {
    expect(Object.keys(programs).length).toBeGreaterThan(20)
    // Hono's declarations need TypeScript 5.7.
    const isOthers = (line: string) => line.includes('wrong.mts') || line.includes('node_modules/hono/')
    expect(errors.filter((line) => !isOthers(line))).toEqual([])
  })

  it('rejects a wrong one', () => {
    expect(errors).toContainEqual(expect.stringMatching(/wrong\.mts.*TS2322/))
  })
})

it('is tried from 5.4 to the newest', () => {
  expect(typescripts().map(([version]) => version)).toEqual(['5.4', '5.5', '5.6', '5.7', '5.8', '5.9', '6.0', '7.0'])
})
