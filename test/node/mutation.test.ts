import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { mutantsOf } from '../../scripts/mutants.ts'
import { AREAS, CHANGED_ELSEWHERE, TEXTS, testsOfArea } from '../../scripts/mutation-areas.ts'
import { shareWanted } from '../../scripts/mutation-scores.ts'
import { root } from './support/runtimes.ts'

it('the daily workflow plays every area', () => {
  const { jobs } = parse(readFileSync(join(root, '.github/workflows/daily.yml'), 'utf8')) as {
    jobs: { daily: { strategy: { matrix: { part: string[] } } } }
  }
  const areas = jobs.daily.strategy.matrix.part.flatMap((names) => /^mutation (.*)/.exec(names)?.[1]?.split(' ') ?? [])
  expect(areas.sort()).toEqual(Object.keys(AREAS).sort())
})

it('each room is changed in an area, and each file of those about money and of the console, but for texts', () => {
  const changed = Object.keys(AREAS).flatMap((area) => [...testsOfArea(area).keys()])
  expect(new Set(changed).size).toBe(changed.length)
  const texts = TEXTS.flatMap((pattern) => globSync(pattern, { cwd: root }))
  const rooms = readdirSync(join(root, 'src'))
    .map((name) => `src/${name}`)
    // The shop window, which only exports.
    .filter((room) => room !== 'src/index.ts' && !Object.hasOwn(CHANGED_ELSEWHERE, room))
  const without = rooms.filter((room) => !changed.some((file) => file === room || file.startsWith(`${room}/`)))
  expect(without, 'give each of these rooms an area in scripts/mutation-areas.ts').toEqual([])
  for (const by of Object.values(CHANGED_ELSEWHERE)) expect(existsSync(join(root, by.split(' ')[0] ?? ''))).toBe(true)
  const files = globSync('src/{outcome,shop,till}/**/*.ts', { cwd: root })
  expect(files.filter((file) => !changed.includes(file)).sort()).toEqual(texts.sort())
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
