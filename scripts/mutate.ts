// Makes one small change at a time, in the engine, the console and the rules of money, and looks whether a test notices.
//   npm run mutate                            every area of mutation-areas.ts: about 9,000 changes, many hours
//   npm run mutate -- --share 3/10            the third of ten parts of each area, as the daily workflow plays them
//   npm run mutate -- books decimal           an area, and the files whose path contains a text
// Prints `killed/survived/total` for each file and area, and each survivor. Fails when files are named and a survivor is not
// listed, with the reason why it has no visible effect, in test/node/mutation-equivalents.json; or when an area's
// share of noticed changes is below its score in test/node/mutation-scores.json, by more than chance explains if only a part was
// played. Raise a score to the figure that a run has printed; never lower it.

import { spawn } from 'node:child_process'
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createVitest, type TestRunResult } from 'vitest/node'
import { type Mutant, mutantsOf, withLoopLimit } from './mutants.ts'
import { AREAS, testsOfArea } from './mutation-areas.ts'
import { type Score, shareWanted } from './mutation-scores.ts'
import { root } from './vitest-run.ts'

interface Equivalent {
  file: string
  line: string
  mutated: string
  reason: string
}

/** A test file that takes this many times as long as without a change has noticed it. */
const TOO_LONG = 10
const LOOP_TURNS = 20_000_000

// The tests run at their ordinary size: each mutant needs to be noticed only once.
delete process.env.EDGETILL_LONG
process.env.EDGETILL_SEED ||= '1'

const readJson = (name: string): unknown => JSON.parse(readFileSync(join(root, 'test/node', name), 'utf8'))
const equivalents = readJson('mutation-equivalents.json') as readonly Equivalent[]
const scores = readJson('mutation-scores.json') as Readonly<Record<string, Score>>
const { values, positionals: named } = parseArgs({
  options: { share: { type: 'string', default: '1/1' }, area: { type: 'string' } },
  allowPositionals: true,
})
const { share } = values
const [part = 0, parts = 0] = share.split('/').map(Number)
if (!(part >= 1 && part <= parts)) throw new Error('--share is a part of so many, such as 3/10.')

/** `routes` is `shop/routes`. */
const isNamed = (area: string, name: string): boolean => `/${area}`.endsWith(`/${name}`)
const isWhole = (area: string): boolean => named.length === 0 || named.some((name) => isNamed(area, name))

/** The files of an area that are meant, with their tests. */
const meant = (area: string): [file: string, tests: string[]][] => {
  const texts = named.filter((name) => !Object.keys(AREAS).some((one) => isNamed(one, name)))
  return [...testsOfArea(area)].filter(([file]) => isWhole(area) || texts.some((text) => file.includes(text)))
}

const areas = values.area === undefined ? Object.keys(AREAS).filter((area) => meant(area).length > 0) : [values.area]
if (areas.length === 0)
  throw new Error(`Neither an area of scripts/mutation-areas.ts nor in a path: ${named.join(', ')}.`)
const paths = Object.keys(AREAS).flatMap((area) => [...testsOfArea(area).keys()])
const strange = equivalents.filter(({ file }) => !paths.includes(file))
if (strange.length > 0) throw new Error(`Equivalents of no file: ${strange.map(({ file }) => file).join(', ')}`)

// A process for each area, several at a time.
if (areas.length > 1) process.exit(await mutateApart(areas))

// The tests run over a copy of the checkout, in which one file at a time is changed.
const copy = realpathSync(mkdtempSync(join(tmpdir(), 'edgetill-mutants-')))
for (const name of readdirSync(root)) {
  if (name === 'node_modules') symlinkSync(join(root, name), join(copy, name))
  else if (name !== '.git') cpSync(join(root, name), join(copy, name), { recursive: true })
}
process.chdir(copy)
const vitest = await createVitest('test', {
  root: copy,
  watch: false,
  bail: 1,
  pool: 'threads',
  isolate: false,
  fileParallelism: false,
  reporters: [{}],
})

/** How long each test file took without a change. */
const usual = new Map<string, number>()
let isGood = false
try {
  isGood = await mutateArea(areas[0] as string)
} finally {
  await vitest.close()
  rmSync(copy, { recursive: true, force: true })
}
process.exit(isGood ? 0 : 1)

/** Returns the exit code. */
async function mutateApart(areas: readonly string[]): Promise<number> {
  const waiting = [...areas]
  const failed: string[] = []
  const mutateNext = async (): Promise<void> => {
    for (let area = waiting.shift(); area !== undefined; area = waiting.shift()) {
      const words = [import.meta.filename, '--area', area, '--share', share, ...named]
      const child = spawn(process.execPath, words, { stdio: 'inherit' })
      const code = await new Promise((done) => child.on('close', done))
      if (code !== 0) failed.push(area)
    }
  }
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, mutateNext))
  console.log(failed.length === 0 ? 'No area is worse than it was.' : `Problems in ${failed.join(', ')}.`)
  return failed.length === 0 ? 0 : 1
}

/** @returns Whether it is as good as it was. */
async function mutateArea(area: string): Promise<boolean> {
  const startedAt = performance.now()
  const files = meant(area)
  const all = [...new Set(files.flatMap(([, tests]) => tests))]
  for (const [file] of files) change(file, readFileSync(join(copy, file), 'utf8'))
  for (const test of all) {
    const from = performance.now()
    if (await notices([test])) return failsUnchanged(test)
    usual.set(test, performance.now() - from)
  }
  const sum: Score = { killed: 0, survived: 0, total: 0 }
  let unused = 0
  let count = 0
  for (const [file, tests] of files) {
    const text = readFileSync(join(root, file), 'utf8')
    const mutants = mutantsOf(file, text)
    const wanted = mutants.filter(() => count++ % parts === part - 1)
    const score = await mutate(file, tests, wanted)
    change(file, text)
    const listed = equivalents.filter((one) => one.file === file)
    for (const one of listed.filter((one) => !mutants.some((mutant) => isSame(one, mutant)))) {
      console.log(`  listed as equivalent, but not there: ${one.line} -> ${one.mutated}`)
      unused++
    }
    sum.killed += score.killed
    sum.survived += score.survived
    sum.total += mutants.length
  }
  // Anything that broke on the way would have counted as noticed.
  const broken = sum.killed + sum.survived > 0 && (await notices(all))
  if (broken) return failsUnchanged(broken)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  console.log(`${area}: ${sum.killed}/${sum.survived}/${sum.total} killed/survived/total in the area (${seconds} s)`)
  return unused === 0 && (isWhole(area) ? isAsGood(area, sum) : sum.survived === 0)
}

function failsUnchanged(test: string): false {
  console.log(`${test} fails without a change`)
  return false
}

function isAsGood(area: string, { killed, survived, total }: Score): boolean {
  const before = scores[area]
  if (!before) throw new Error(`test/node/mutation-scores.json has no ${area}.`)
  const played = killed + survived
  if (played === 0) return true
  const [noticed, wanted] = [killed / played, shareWanted(before, played)]
  const inPercent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`
  console.log(`  ${inPercent(noticed)} of ${played} of ${total} noticed, at least ${inPercent(wanted)} wanted`)
  return noticed >= wanted
}

async function mutate(file: string, tests: string[], mutants: readonly Mutant[]): Promise<Omit<Score, 'total'>> {
  const startedAt = performance.now()
  const score = { killed: 0, survived: 0 }
  let equivalent = 0
  for (const mutant of mutants) {
    if (equivalents.some((one) => one.file === file && isSame(one, mutant))) {
      equivalent++
      continue
    }
    change(file, mutant.source)
    const noticedBy = await notices(tests)
    if (noticedBy !== undefined) {
      score.killed++
      // The next change is near, and the same test is likely to notice it.
      tests.unshift(...tests.splice(tests.indexOf(noticedBy), 1))
    } else {
      score.survived++
      console.log(`  ${file}:${mutant.position} \`${mutant.before}\` -> \`${mutant.after}\``)
      if (process.env.EDGETILL_MUTANT_LINES)
        console.log(JSON.stringify({ file, line: mutant.line, mutated: mutant.mutated }))
    }
  }
  if (mutants.length === 0) return score
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  console.log(
    `${file}: ${score.killed}/${score.survived}/${mutants.length} killed/survived/total` +
      `${equivalent > 0 ? `, ${equivalent} equivalent` : ''} (${seconds} s)`,
  )
  return score
}

function isSame(one: Equivalent, mutant: Mutant): boolean {
  return one.line === mutant.line && one.mutated === mutant.mutated
}

/** Writes a file of the copy. */
function change(file: string, source: string): void {
  const path = join(copy, file)
  writeFileSync(path, withLoopLimit(file, source, LOOP_TURNS))
  vitest.invalidateFile(path)
  vitest.watcher.invalidates.add(path)
}

/** Runs test files, one after another, and returns the first that notices a change. */
async function notices(tests: readonly string[]): Promise<string | undefined> {
  for (const test of tests) {
    const specification = vitest.getRootProject().createSpecification(join(copy, test))
    const limit = Math.max(20_000, TOO_LONG * (usual.get(test) ?? 60_000))
    let timer: ReturnType<typeof setTimeout> | undefined
    const tooLong = new Promise<undefined>((done) => {
      timer = setTimeout(() => done(undefined), limit)
    })
    const running = vitest.runTestSpecifications([specification])
    const result: TestRunResult | undefined = await Promise.race([running, tooLong])
    clearTimeout(timer)
    if (result === undefined) {
      await vitest.cancelCurrentRun('keyboard-input')
      await running
      return test
    }
    // The result has the modules of earlier runs too.
    const state = result.testModules.find(({ moduleId }) => moduleId === specification.moduleId)?.state()
    if (state !== 'passed' || result.unhandledErrors.length > 0) return test
  }
  return undefined
}
