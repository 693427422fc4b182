// `node test/simulator/plant.ts [PART OF AN ID …]`: plants each race of races.ts, one process each, and counts the schedules until it
// is found, in two minutes at most.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { RACES, type Race } from './races.ts'

const LIMIT_MS = Number(process.env.EDGETILL_MINUTES ?? 2) * 60_000
const shop = (file: string): string => new URL(`../../src/shop/${file}`, import.meta.url).href

/** The race stands in the text that is loaded; the files stay as they are. */
function plant({ id, file, find, replace }: Race): void {
  registerHooks({
    resolve: (name, context, next) =>
      name === 'vitest'
        ? { url: 'data:text/javascript,export const vi = { isMockFunction: () => true }', shortCircuit: true }
        : next(name, context),
    load(url, context, next) {
      if (url !== shop(file)) return next(url, context)
      const text = readFileSync(new URL(url), 'utf8')
      if (text.split(find).length !== 2) throw new Error(`“${id}”: its text does not stand in ${file} once.`)
      return { format: 'module-typescript', source: text.replace(find, () => replace), shortCircuit: true }
    },
  })
}

async function hunt(race: Race): Promise<void> {
  plant(race)
  console.error = console.warn = () => {}
  process.on('unhandledRejection', () => {})
  const { playSchedule, SCENARIOS } = await import('./scenarios.ts')
  const from = performance.now()
  const seconds = () => ((performance.now() - from) / 1000).toFixed(1)
  let count = 0
  for (let seed = 1; ; seed++) {
    for (const scenario of SCENARIOS) {
      if (performance.now() - from > LIMIT_MS) return console.log(`${race.id} | NOT FOUND in ${count} | ${seconds()} s`)
      count++
      const hangs = new Promise<{ wrong: string[] }>((resolve) =>
        setTimeout(() => resolve({ wrong: ['it hangs'] }), 10_000).unref(),
      )
      const failed = (error: unknown) => ({ wrong: [String(error).slice(0, 60)] })
      const { wrong } = await Promise.race([playSchedule({ scenario, seed }).catch(failed), hangs])
      if (wrong.length > 0)
        return console.log(`${race.id} | ${count} | ${seconds()} s | ${scenario}: ${wrong[0]?.slice(0, 60)}`)
    }
  }
}

const [flag, id] = process.argv.slice(2)
if (flag === '--one') {
  await hunt(RACES.find((race) => race.id === id) as Race)
  process.exit()
}
const parts = process.argv.slice(2)
for (const race of RACES) {
  if (parts.length > 0 && !parts.some((part) => race.id.includes(part))) continue
  spawnSync(process.execPath, [import.meta.filename, '--one', race.id], { stdio: 'inherit' })
}
