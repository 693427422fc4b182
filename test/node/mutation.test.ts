import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { mutantsOf } from '../../scripts/mutants.ts'
import { AREAS, testsOfArea } from '../../scripts/mutation-areas.ts'
import { shareWanted } from '../../scripts/mutation-scores.ts'
import { isLong } from '../support/environment.ts'
import { root } from './support/runtimes.ts'

it('a test notices each change of what decides about money', { timeout: 3_600_000 }, async () => {
  // Without a name, all files.
  const { failed, output } = await mutate(isLong ? [] : ['src/card/cvv.ts'])
  expect([failed, output]).toEqual([false, output])
  expect(output).toMatch(/: [1-9]\d*\/0\/\d+ killed\/survived\/total/)
})

it('every test of every area passes without a change', { timeout: 3_600_000 }, async () => {
  // A part so small that no change is in it. All areas take minutes.
  const areas = isLong ? Object.keys(AREAS) : ['card']
  const { failed, output } = await mutate(['--share', '9999/9999', ...areas])
  expect([failed, output]).toEqual([false, output])
  const ended = [...output.matchAll(/^(\S+): 0\/0\/\d+ killed/gm)].map(([, area]) => area)
  expect(ended.sort()).toEqual(areas.sort())
})

it('the daily workflow plays every area', () => {
  const { jobs } = parse(readFileSync(join(root, '.github/workflows/daily.yml'), 'utf8')) as {
    jobs: { mutation: { strategy: { matrix: { areas: string[] } } } }
  }
  const areas = jobs.mutation.strategy.matrix.areas.flatMap((names) => names.split(' '))
  expect(areas.sort()).toEqual(Object.keys(AREAS).sort())
})

it('each file of the outcome, the engine and the console is changed, but for texts, and each area has a score', () => {
  const changed = Object.keys(AREAS).flatMap((area) => [...testsOfArea(area).keys()])
  expect(new Set(changed).size).toBe(changed.length)
  const texts = globSync('src/{console/words/{en,uk},shop/pages/{en,uk}}.ts', { cwd: root })
  const files = globSync('src/{outcome,shop,console}/**/*.ts', { cwd: root })
  expect([texts.length, files.filter((file) => !changed.includes(file)).sort()]).toEqual([4, texts.sort()])
  const scores = JSON.parse(readFileSync(join(root, 'test/node/mutation-scores.json'), 'utf8')) as object
  expect(Object.keys(scores).sort()).toEqual(Object.keys(AREAS).sort())
})

it('each change that is listed as equivalent is one that is made', () => {
  const text = readFileSync(join(root, 'test/node/mutation-equivalents.json'), 'utf8')
  const missing = (JSON.parse(text) as { file: string; line: string; mutated: string }[]).filter(
    ({ file, line, mutated }) =>
      !mutantsOf(file, readFileSync(join(root, file), 'utf8')).some(
        (mutant) => mutant.line === line && mutant.mutated === mutated,
      ),
  )
  expect(missing).toEqual([])
})

it('as many are wanted as were noticed before, and of a part what chance allows', () => {
  const whole = { killed: 90, survived: 10, total: 100 }
  expect(shareWanted(whole, 100)).toBe(0.9)
  expect(shareWanted({ ...whole, survived: 0 }, 10)).toBe(1)
  expect(shareWanted({ killed: 0, survived: 0, total: 100 }, 10)).toBe(0)
  const [few, more] = [10, 40].map((played) => shareWanted(whole, played)) as [number, number]
  const rough = shareWanted({ ...whole, total: 1_000 }, 10)
  const lucky = shareWanted({ killed: 2, survived: 0, total: 100 }, 100)
  expect([rough < few, few < more, more < 0.9, rough > 0.5, lucky < 0.5]).toEqual(Array(5).fill(true))
})

it('operators, numbers, conditions, guards and lists are changed one at a time; texts and types are not', () => {
  const changes = (source: string) => mutantsOf('a.ts', source).map(({ before, after }) => `${before} -> ${after}`)
  expect(changes('const a = b === c')).toEqual(['=== -> !=='])
  expect(changes('const a = b >= 1')).toEqual(['>= -> >', '>= -> <', '1 -> 2', '1 -> 0'])
  expect(changes('const a = b || !c')).toEqual(['|| -> &&', '!c -> !!c'])
  expect(changes("if (has(a)) throw new Error('a')")).toEqual([
    'has(a) -> !(has(a))',
    "if (has(a)) throw new Error('a') -> {}",
  ])
  expect(changes("const a: 1 | 2 = ['b' + c, 'd']")).toEqual([])
  expect(mutantsOf('a.ts', "const a = ['b', 'c',]").map(({ source }) => source)).toEqual([
    "const a = ['c',]",
    "const a = ['b', ]",
  ])
  expect(changes('const a = b != null')).toEqual(['!= -> ==', '!= null -> !== undefined'])
})

const sources = (source: string) => mutantsOf('a.ts', source).map((mutant) => mutant.source)

it('a member of an object is left out, a call is not made, or not waited for', () => {
  expect(sources("const a = { b: 'c', d, ...e }")).toEqual([
    'const a = { d, ...e }',
    "const a = { b: 'c', ...e }",
    "const a = { b: 'c', d,  }",
  ])
  expect(sources('await a()\nb()')).toEqual(['{}\nb()', 'a()\nb()', 'await a()\n{}'])
  expect(sources('const a = (await b).c')).toEqual(['const a = (b).c'])
  expect(sources('class A extends B { constructor() { super() } }')).toEqual([])
})

it('a quantifier of a pattern is removed, and what only looks like one is not', () => {
  expect(sources('const a = /^b+[+*]c{2,3}(?:d)?\\*$/')).toEqual([
    'const a = /^b[+*]c{2,3}(?:d)?\\*$/',
    'const a = /^b+[+*]c(?:d)?\\*$/',
    'const a = /^b+[+*]c{2,3}(?:d)\\*$/',
  ])
})

function mutate(files: string[]): Promise<{ failed: boolean; output: string }> {
  return new Promise((done) => {
    execFile(process.execPath, [join(root, 'scripts/mutate.ts'), ...files], { cwd: root }, (error, stdout, stderr) =>
      done({ failed: error !== null, output: stdout + stderr }),
    )
  })
}
