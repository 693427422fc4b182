// `node test/simulator/plant.ts [PART OF AN ID …]`: plants each race of races.ts, in a process for each, as many at once as there are
// processors, and counts the schedules until it is found, in two minutes of its processor at most (EDGETILL_MINUTES). Each run draws
// new schedules, unless it gets the EDGETILL_SEED of another one. A schedule counts that is wrong with the race, and right without it.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { createRandom, seedOfRun } from '../worker/support/random.ts'
import { RACES, type Race } from './races.ts'

const LIMIT_MS = Number(process.env.EDGETILL_MINUTES ?? 2) * 60_000
/** No schedule takes so long: what does not end by then waits for something that never comes. */
const HANGS_MS = 60_000
const shop = (file: string): string => new URL(`../../src/shop/${file}`, import.meta.url).href

/** The findings of a hunt. */
interface Hunt {
  count: number
  ms: number
  /** The schedule that found the race. */
  scenario?: string
  seed?: number
  wrong?: string
}

/** The race stands in the text that is loaded; the files stay as they are. */
function plant(race?: Race): void {
  registerHooks({
    resolve: (name, context, next) =>
      name === 'vitest'
        ? {
            url: 'data:text/javascript,export const vi = { isMockFunction: () => true }, expect = { getState: () => ({}) }, onTestFinished = 0',
            shortCircuit: true,
          }
        : next(name, context),
    load(url, context, next) {
      if (!race || url !== shop(race.file)) return next(url, context)
      const { id, file, find, replace } = race
      const text = readFileSync(new URL(url), 'utf8')
      if (text.split(find).length !== 2) throw new Error(`“${id}”: its text does not stand in ${file} once.`)
      return { format: 'module-typescript', source: text.replace(find, () => replace), shortCircuit: true }
    },
  })
  console.error = console.warn = () => {}
  process.on('unhandledRejection', () => {})
}

/** @returns What is wrong with a schedule. */
async function playOne(scenario: string, seed: number): Promise<string | undefined> {
  const { playSchedule } = await import('./scenarios.ts')
  const hangs = new Promise<{ wrong: string[] }>((resolve) =>
    setTimeout(() => resolve({ wrong: ['it hangs'] }), HANGS_MS).unref(),
  )
  const failed = (error: unknown) => ({ wrong: [String(error)] })
  const { wrong } = await Promise.race([playSchedule({ scenario, seed }).catch(failed), hangs])
  return wrong[0]?.replaceAll('\n', ' ').slice(0, 100)
}

/** @param before How many schedules were played before, in how many milliseconds. */
async function hunt(scenarios: readonly string[], before: Pick<Hunt, 'count' | 'ms'>): Promise<Hunt> {
  // Other programs on the machine must not make it find less.
  const elapsed = () => before.ms + (process.cpuUsage().user + process.cpuUsage().system) / 1000
  const seeds = createRandom(seedOfRun())
  for (let count = 0; ; ) {
    const seed = Math.floor(seeds() * 2 ** 31)
    for (const scenario of scenarios) {
      if (elapsed() > LIMIT_MS) return { count, ms: elapsed() }
      if (count++ < before.count) continue
      // For a schedule that never lets the timer have its turn: the system ends the process.
      console.log(JSON.stringify({ count, ms: elapsed(), scenario, seed, wrong: 'it hangs' }))
      const wrong = await playOne(scenario, seed)
      if (wrong !== undefined) return { count, ms: elapsed(), scenario, seed, wrong }
    }
  }
}

/** Runs this file in another process, for a bounded time of its processor. @returns What it has printed last. */
async function inProcess<T>(...words: string[]): Promise<T> {
  const options = { env: { ...process.env, EDGETILL_SEED: String(seedOfRun()) }, maxBuffer: 2 ** 26 }
  const script = `ulimit -t ${Math.ceil((LIMIT_MS + HANGS_MS) / 1000)}; exec "$0" "$@"`
  const run = promisify(execFile)('sh', ['-c', script, process.execPath, import.meta.filename, ...words], options)
  const { stdout } = await run.catch((error: { signal?: string; code?: number; stdout: string }) => {
    // 13: everything waits for something that never comes.
    if (error.signal !== 'SIGXCPU' && error.signal !== 'SIGKILL' && error.code !== 13) throw error
    return error
  })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}

let free = availableParallelism()
const waiting: (() => void)[] = []

/** Waits until a processor is free. */
async function onProcessor<T>(work: () => Promise<T>): Promise<T> {
  if (free-- <= 0) await new Promise<void>((resolve) => waiting.push(resolve))
  return work().finally(() => {
    free++
    waiting.shift()?.()
  })
}

const [flag, ...words] = process.argv.slice(2)
if (flag === '--one') {
  const race = RACES.find(({ id }) => id === words[0])
  plant(race)
  console.log(JSON.stringify(await hunt(race?.scenarios ?? [], { count: Number(words[1]), ms: Number(words[2]) })))
  process.exit()
}
if (flag === '--control') {
  plant()
  const [scenario = '', seed] = words
  console.log(JSON.stringify((await playOne(scenario, Number(seed))) ?? null))
  process.exit()
}

/** The schedules that found a race, and what is wrong with those of them that are wrong without it. */
let found = 0
const wrongWithout: string[] = []

async function huntFor({ id }: Race): Promise<Hunt> {
  for (let before = { count: 0, ms: 0 }; ; ) {
    const hunt = await inProcess<Hunt>('--one', id, String(before.count), String(before.ms))
    const { scenario = '', seed, wrong } = hunt
    if (wrong === undefined) return hunt
    found++
    const without = await inProcess<string | null>('--control', scenario, String(seed))
    if (without === null) return hunt
    wrongWithout.push(`${scenario}/${seed}: ${without}`)
    before = hunt
  }
}

const parts = process.argv.slice(2)
const planted = RACES.filter(({ id }) => parts.length === 0 || parts.some((part) => id.includes(part)))
const hunts = planted.map((race) => ({ ...race, hunt: onProcessor(() => huntFor(race)) }))
console.log('race | schedules | seconds | what was wrong')
for (const { id, equivalent, hunt } of hunts) {
  const { count, ms, scenario, seed, wrong } = await hunt
  // One that was argued to change nothing must not be found, and any other one must be.
  if ((wrong === undefined) !== (equivalent !== undefined)) process.exitCode = 1
  const what = wrong === undefined ? (equivalent ?? 'NOT FOUND') : `${scenario}/${seed}: ${wrong}`
  console.log(`${id} | ${wrong === undefined ? `none in ${count}` : count} | ${(ms / 1000).toFixed(1)} | ${what}`)
}
console.log(
  `With nothing planted, ${wrongWithout.length} of these ${found} schedules are wrong. ${wrongWithout.join('; ')}`,
)
if (wrongWithout.length > 0) process.exitCode = 1
