import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readEvent } from '../../src/webhooks/index.ts'
import { payment } from '../worker/support/events.ts'
import { OnEvent } from './on-event.ts'
import { RACES } from './races.ts'
import { playSchedule } from './scenarios.ts'
import { Disturbances, judge, type Play, parseSchedule } from './schedule.ts'

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

// The judge took an end of an event for written that was lost with its program.
it('lets onEvent have an event again whose end was not written', async () => {
  const event = readEvent(payment('A-1'))
  const object = { rows: (query: string) => (/NOT NULL/.test(query) ? [{ id: 'one' }] : []) }
  const steps = { at: async () => {} }
  const [wrong, deaths] = [new Set<string>(), [true, false]]
  const fails = (failure: string) => failure === 'ends' && deaths.shift() === true
  const onEvent = new OnEvent({ object, steps, wrong, fails, now: () => 0 })
  const isolate = { isOver: false }
  const kill = () => {
    isolate.isOver = true
    onEvent.findCutOff(isolate)
  }
  void onEvent.call('webhook', { id: 'one', event }, undefined, isolate, kill)
  await new Promise((resolve) => setImmediate(resolve))
  await onEvent.call('cron', { id: 'one', event }, undefined, { isOver: false }, () => {})
  expect([[...wrong], onEvent.handled.length]).toEqual([[], 1])
})

it('the text of each race that is planted stands in its file once', () => {
  const textOf = (file: string) => readFileSync(new URL(`../../src/shop/${file}`, import.meta.url), 'utf8')
  expect(RACES.filter(({ file, find }) => textOf(file).split(find).length !== 2).map(({ id }) => id)).toEqual([])
})
