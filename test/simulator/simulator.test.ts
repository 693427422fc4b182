// Requests, webhooks, alarms and the cron in orders of their calls that priorities decide, with failures between them.
// EDGETILL_SCHEDULE='scenario/seed' plays one schedule alone; 'scenario/seed/3,6' that one with these disturbances and no others.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it } from 'vitest'
import { givenSchedule, isDaily, isForChange, isLong, isQuick, isWhole, minutes } from '../support/environment.ts'
import { createRandom, seedOfRun } from '../worker/support/random.ts'
import { playSchedule, SCENARIOS } from './scenarios.ts'
import { judge, parseSchedule } from './schedule.ts'

const given = givenSchedule === undefined ? undefined : parseSchedule(givenSchedule)
const played = given ? [given.scenario] : SCENARIOS
/** Schedules of each scenario; a history of the books takes as long as thirty schedules. */
const COUNT = isLong ? 500 : isDaily ? 50 : isWhole ? 5 : 1
const countOf = (scenario: string): number => (scenario === 'the books' ? Math.ceil(COUNT / 10) : COUNT)

// The databases of a schedule that is over are closed when they are collected, and their memory is not V8's: it would wait.
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
afterEach(collectGarbage)

async function playMany(scenario: string): Promise<void> {
  if (given) return void (await judge(playSchedule, given))
  // A change is judged by the same schedules as the one before it; long runs draw new ones.
  const seeds = createRandom((isLong || minutes ? seedOfRun() : 1) ^ SCENARIOS.indexOf(scenario))
  const until = minutes && Date.now() + (minutes * 60_000) / SCENARIOS.length
  for (let count = 0; until ? Date.now() < until : count < countOf(scenario); count++)
    await judge(playSchedule, { scenario, seed: Math.floor(seeds() * 2 ** 31) })
}

describe('in whatever order and with whatever failures, money moves once, and everything says so:', () => {
  it.each(played)('%s', playMany, 3_600_000)
})

if (!given && !isQuick) {
  // The till alone has no host.
  const hosted = played.filter((scenario) => !scenario.startsWith('till:'))
  describe('over the shop of a server too:', () => {
    it.each(hosted)(
      '%s',
      async (scenario) => {
        const seeds = createRandom(isLong ? seedOfRun() : SCENARIOS.indexOf(scenario))
        for (let count = 0; count < Math.ceil(countOf(scenario) / 5); count++)
          await judge(playSchedule, { scenario, seed: Math.floor(seeds() * 2 ** 31), host: 'server' })
      },
      3_600_000,
    )
  })

  // What makes one differ is in what they share: every fifth scenario would show it.
  const again = played.filter((_, index) => !isForChange || index % 5 === 0)
  describe('a schedule is played the same each time:', () => {
    it.each(again)(
      '%s',
      async (scenario) => {
        const seed = Math.floor(createRandom(seedOfRun())() * 2 ** 31)
        expect(await playSchedule({ scenario, seed })).toEqual(await playSchedule({ scenario, seed }))
      },
      120_000,
    )
  })
}
