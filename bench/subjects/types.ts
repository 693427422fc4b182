import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildPackage, DIST } from '../bundles.ts'
import type { Measure, Subject } from '../report.ts'
import { root } from '../runtimes.ts'
import { sampleOf, takeTurns } from '../sample.ts'

const execute = promisify(execFile)
const PROGRAMS = ['edgetill', 'stripe', 'paddle', 'nothing imported'] as const
const TABLE = 'tsc on a program that uses every operation'
const FIGURES = [
  ['Total time', 'whole run', 'ms'],
  ['Check time', 'checking', 'ms'],
  ['Instantiations', 'instantiations', 'count'],
  ['Types', 'types', 'count'],
  ['Lines of Definitions', 'lines of declarations', 'count'],
] as const

export const measure: Subject = async ({ quick, say }) => {
  say('building the declarations')
  await buildPackage(true)
  const files = new Map(PROGRAMS.map((name) => [name, writeProgram(name)]))
  const figures = new Map<string, number[]>()
  say('tsc')
  await takeTurns(PROGRAMS, quick ? 3 : 9, async (name) => {
    const diagnostics = await compile(files.get(name) ?? '')
    for (const [label, column, unit] of FIGURES) {
      const value = Number(new RegExp(`^${label}:\\s+([\\d.]+)`, 'm').exec(diagnostics)?.[1])
      const key = `${name}|${column}`
      figures.set(key, [...(figures.get(key) ?? []), unit === 'ms' ? value * 1000 : value])
    }
    return 0
  })
  const measures: Measure[] = FIGURES.flatMap(([, column, unit]) =>
    PROGRAMS.map((row) => ({
      table: TABLE,
      row,
      column,
      unit,
      ...sampleOf(figures.get(`${row}|${column}`) ?? []),
      ours: row === 'edgetill',
    })),
  )
  return {
    title: 'Type-check',
    notes: [
      '`tsc --noEmit --strict --skipLibCheck` with `nodenext` and the libraries ES2022 and DOM, over the published declarations. The programs are in `bench/types`.',
      'A peer’s program does the same tasks, as far as the peer supports them.',
    ],
    chart: { table: TABLE, title: 'Type-check a program (lower is better)' },
    measures,
    goals: [],
  }
}

function writeProgram(name: (typeof PROGRAMS)[number]): string {
  // Here it finds the peers.
  const folder = join(root, 'bench/node_modules/.types')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${name.replaceAll(' ', '-')}.ts`)
  const text =
    name === 'nothing imported'
      ? 'export const nothing = 0\n'
      : readFileSync(join(root, 'bench/types', `${name}.ts`), 'utf8').replace('../../src/index.ts', `${DIST}/index.js`)
  writeFileSync(file, text)
  return file
}

async function compile(file: string): Promise<string> {
  const project = file.replace(/\.ts$/, '.json')
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    types: [],
  }
  writeFileSync(project, JSON.stringify({ compilerOptions, files: [file] }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  try {
    return (await execute(process.execPath, [tsc, '-p', project, '--extendedDiagnostics'])).stdout
  } catch (error) {
    throw new Error(`${file} does not compile: ${(error as { stdout?: string }).stdout}`)
  }
}
