// `node test/simulator/plant.ts [PART OF AN ID …]`: plants each race of races.ts, in a process for each, as many at once as there are
// processors, and counts the schedules until it is found, in two minutes of its processor at most (EDGETILL_MINUTES). Each run draws
// new schedules, unless it gets the EDGETILL_SEED of another one. Then plays the schedules that found one with nothing planted.

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

/** What a hunt has seen. */
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
        ? { url: 'data:text/javascript,export const vi = { isMockFunction: () => true }', shortCircuit: true }
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

async function hunt(scenarios: readonly string[]): Promise<Hunt> {
  // What else runs on the machine must not make it find less.
  const elapsed = () => (process.cpuUsage().user + process.cpuUsage().system) / 1000
  const seeds = createRandom(seedOfRun())
  for (let count = 0; ; ) {
    const seed = Math.floor(seeds() * 2 ** 31)
    for (const scenario of scenarios) {
      if (elapsed() > LIMIT_MS) return { count, ms: elapsed() }
      count++
      const wrong = await playOne(scenario, seed)
      if (wrong !== undefined) return { count, ms: elapsed(), scenario, seed, wrong }
    }
  }
}

/** Runs this file in another process. @returns What it has printed last. */
async function inProcess<T>(...words: string[]): Promise<T> {
  const env = { ...process.env, EDGETILL_SEED: String(seedOfRun()) }
  const { stdout } = await promisify(execFile)(process.execPath, [import.meta.filename, ...words], { env })
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
  console.log(JSON.stringify(await hunt(race?.scenarios ?? [])))
  process.exit()
}
if (flag === '--control') {
  plant()
  const wrong: string[] = []
  for (const schedule of words) {
    const [scenario = '', seed] = schedule.split('/')
    const found = await playOne(scenario, Number(seed))
    if (found !== undefined) wrong.push(`${schedule}: ${found}`)
  }
  console.log(JSON.stringify(wrong))
  process.exit()
}
const parts = process.argv.slice(2)
const planted = RACES.filter(({ id }) => parts.length === 0 || parts.some((part) => id.includes(part)))
const hunts = planted.map((race) => ({ ...race, hunt: onProcessor(() => inProcess<Hunt>('--one', race.id)) }))
console.log('race | schedules | seconds | what was wrong')
const found: string[] = []
for (const { id, equivalent, hunt } of hunts) {
  const { count, ms, scenario, seed, wrong } = await hunt
  if (wrong !== undefined) found.push(`${scenario}/${seed}`)
  // One that was argued to change nothing must not be found, and any other one must be.
  if ((wrong === undefined) !== (equivalent !== undefined)) process.exitCode = 1
  const what = wrong === undefined ? (equivalent ?? 'NOT FOUND') : `${scenario}/${seed}: ${wrong}`
  console.log(`${id} | ${wrong === undefined ? `none in ${count}` : count} | ${(ms / 1000).toFixed(1)} | ${what}`)
}
const wrong = await inProcess<string[]>('--control', ...found)
console.log(`With nothing planted, ${wrong.length} of these ${found.length} schedules are wrong. ${wrong.join('; ')}`)
if (wrong.length > 0) process.exitCode = 1
