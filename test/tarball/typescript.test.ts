import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { EVERY_ENTRY } from './support/compile.ts'
import { packedFolder, run } from './support/pack.ts'
import { asFiles, documentedPrograms } from './support/programs.ts'
import { typescripts } from './support/versions.ts'

const folder = join(packedFolder(), 'typescript')
const programs = documentedPrograms()
const files = { ...asFiles(programs), 'every-entry.mts': EVERY_ENTRY }
const WRONG =
  "import { verifyWebhook } from 'edgetill'\nexport const event: string = verifyWebhook({ data: '', signature: '' }, '')\n"

// By the compilers' own command lines: the newest has no other interface.
function project(name: string, include: Readonly<Record<string, string>>): string {
  for (const [file, text] of Object.entries(include)) write(join(folder, name, file), text)
  const options = {
    target: 'ES2022',
    module: 'NodeNext',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
  }
  const config = join(folder, name, 'tsconfig.json')
  write(config, JSON.stringify({ compilerOptions: options, files: Object.keys(include) }))
  return config
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

describe.each(typescripts())('TypeScript %s', (version, compiler) => {
  let right = ''
  let wrong = ''
  beforeAll(() => {
    right = project('right', files)
    wrong = project('wrong', { 'wrong.mts': WRONG })
  })

  it('is the version that it is called', () => {
    expect(run(process.execPath, [compiler, '--version'], folder)).toMatch(new RegExp(`^Version ${version}\\.`))
  })

  it('compiles the documented programs against the published types', () => {
    expect(programs.length).toBeGreaterThan(20)
    expect(run(process.execPath, [compiler, '-p', right], folder)).toBe('')
  })

  it('refuses a wrong one', () => {
    expect(() => run(process.execPath, [compiler, '-p', wrong], folder)).toThrow(/wrong\.mts.*TS2322/)
  })
})

it('is tried from 5.4 to the newest', () => {
  expect(typescripts().map(([version]) => version)).toEqual(['5.4', '5.5', '5.6', '5.7', '5.8', '5.9', '6.0', '7.0'])
})
