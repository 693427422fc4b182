import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { operationKey } from '../../src/index.ts'
import { readEvent } from '../../src/webhooks/index.ts'
import { payment } from '../worker/support/events.ts'
import type { GateDouble } from '../worker/support/gate-double.ts'
import { OnEvent } from './on-event.ts'
import { RACES } from './races.ts'
import { playSchedule } from './scenarios.ts'
import { Disturbances, judge, type Play, parseSchedule } from './schedule.ts'
import type { Steps } from './steps.ts'

/** Ten disturbances; the third is wrong, and in another way together with the sixth. */
const play: Play = async (schedule) => {
  const disturbances = new Disturbances(schedule)
  const happens = Array.from({ length: 10 }, () => disturbances.keeps())
  const wrong = happens[2] ? [happens[5] ? 'money is lost' : 'the page is wrong'] : []
  return { log: ['a call'], wrong, disturbed: disturbances.happened }
}

it('prints the smallest schedule that fails, and the command that replays it', async () => {
  const line = "EDGETILL_SCHEDULE='three tabs/7/2,5' npm test -- node test/simulator/simulator.test.ts"
  await expect(judge(play, { scenario: 'three tabs', seed: 7 })).rejects.toThrow(`money is lost\n${line}\n  a call`)
  await expect(judge(play, parseSchedule('three tabs/7/2,5'))).rejects.toThrow(line)
  expect((await judge(play, parseSchedule('three tabs/7/5'))).wrong).toEqual([])
})

it('says what a schedule looks like', () => {
  expect(() => parseSchedule('three tabs')).toThrow("EDGETILL_SCHEDULE is 'scenario/seed', not 'three tabs'.")
})

// A renewed checkout whose watch could not be stored was recorded as opened: nobody looked at it for a day.
it('looks again at a checkout that could not be watched', async () => {
  const schedule = parseSchedule('an order that all give up after expiry/1075119180/3,5')
  expect((await playSchedule(schedule)).wrong).toEqual([])
})

// The judge wanted onEvent to have had a webhook that the service had given up on sending.
it('does not miss what nobody took before the service gave up', async () => {
  const schedule = parseSchedule('webhooks that the shop cannot handle/1754809292')
  expect((await playSchedule(schedule)).wrong).toEqual([])
})

// The judge took the removal of an event for done that was lost with the program.
it('lets onEvent have an event again whose removal was not on disk', async () => {
  const event = readEvent(payment('A-1'))
  const row = { id: 'one', event_id: 'one', operation: ` ${operationKey(event)}`, entry: null as string | null }
  const gate = { rows: () => Object.entries({ 'event/one': row, 'queue/one': row }) } as unknown as GateDouble
  const steps = { at: async () => {} } as unknown as Steps
  const [wrong, deaths] = [new Set<string>(), [true, false]]
  const kill = () => {
    row.entry = 'queued'
    onEvent.findCutOff()
  }
  const fails = (failure: string) => failure === 'ends' && deaths.shift() === true
  const onEvent = new OnEvent({ gate, steps, wrong, fails, kill })
  void onEvent.call('gate', event, undefined)
  await new Promise((resolve) => setImmediate(resolve))
  await onEvent.call('gate', event, undefined)
  expect([[...wrong], onEvent.handled.length]).toEqual([[], 1])
})

it('the text of each race that is planted stands in its file once', () => {
  const textOf = (file: string) => readFileSync(new URL(`../../src/shop/${file}`, import.meta.url), 'utf8')
  expect(RACES.filter(({ file, find }) => textOf(file).split(find).length !== 2).map(({ id }) => id)).toEqual([])
})
