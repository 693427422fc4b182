// Requests, webhooks, alarms and the cron in every order of their calls that chance finds.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onNode } from '../support/environment.ts'
import { type CheckoutScenario, playCheckout } from './support/interleaved-checkout.ts'
import { type MoneyScenario, playMoney } from './support/interleaved-money.ts'
import { createRandom, isLong, seedOfRun } from './support/random.ts'
import { watchCrypto } from './support/steps.ts'

/** Schedules of each scenario. */
const COUNT = isLong() ? 500 : onNode ? 4 : 1

const MONEY: Record<string, MoneyScenario> = {
  'one key, three times': {
    method: 'auth',
    calls: [
      ['one', 'capture'],
      ['one', 'capture'],
      ['one', 'capture'],
    ],
    lost: 0.2,
  },
  'three keys': {
    method: 'auth',
    calls: [
      ['one', 'capture', 10],
      ['two', 'capture', 10],
      ['three', 'capture', 10],
    ],
    lost: 0.2,
  },
  'a void that is open': {
    method: 'auth',
    open: ['void'],
    calls: [
      ['one', 'void'],
      ['one', 'void'],
      ['two', 'void'],
    ],
  },
  'a capture that is open': {
    method: 'auth',
    open: ['capture', 10],
    calls: [
      ['one', 'capture', 10],
      ['one', 'capture', 10],
      ['two', 'capture', 10],
    ],
    lost: 0.1,
    cron: true,
  },
  'a whole capture that is open': {
    method: 'auth',
    open: ['capture'],
    calls: [
      ['one', 'capture'],
      ['two', 'capture', 10],
      ['two', 'capture', 10],
    ],
    lost: 0.1,
  },
  'capture, refund and void': {
    method: 'auth',
    calls: [
      ['one', 'capture', 10],
      ['two', 'refund', 10],
      ['three', 'void'],
      ['four', 'capture', 10],
    ],
    lost: 0.2,
  },
  'a refund that is open': {
    method: 'purchase',
    open: ['refund', 10],
    calls: [
      ['one', 'refund', 10],
      ['two', 'refund', 10],
      ['one', 'refund', 10],
    ],
    lost: 0.2,
  },
  'a person and the cron': {
    method: 'auth',
    open: ['capture', 10],
    calls: [
      ['one', 'capture', 10],
      ['two', 'capture', 10],
    ],
    byHand: true,
    cron: true,
  },
}

const CHECKOUTS: Record<string, CheckoutScenario> = {
  'three tabs': { tabs: 3, lost: 0.1, cron: true },
  'tabs after a lost opening': { tabs: 2, before: 'lost', cron: true },
  'tabs of an open checkout': { tabs: 3, before: 'opened' },
  'tabs after a decline': { tabs: 3, before: 'declined', lost: 0.1 },
  'tabs after expiry': { tabs: 2, before: 'expired', lost: 0.1 },
  'an expired link and a newer one': { tabs: 3, before: 'expired', newer: true, lost: 0.1 },
  'tabs, and the data is removed': { tabs: 2, before: 'opened', shop: 'erases', cron: true },
  'tabs after a decline, and the data is removed': { tabs: 2, before: 'declined', shop: 'erases', cron: true },
  'tabs, and the link is revoked': { tabs: 2, shop: 'revokes' },
  'tabs of a newer link, and the old one is revoked': { tabs: 2, before: 'opened', newer: true, shop: 'revokes' },
  'tabs, and the order is cancelled': { tabs: 2, shop: 'cancels' },
  'tabs of an open checkout that is cancelled': { tabs: 2, before: 'opened', shop: 'cancels' },
  'tabs after a decline, and the order is cancelled': { tabs: 2, before: 'declined', shop: 'cancels' },
  'tabs after a lost opening that is cancelled': { tabs: 2, before: 'lost', shop: 'cancels', lost: 0.1 },
  'an order that all give up': { tabs: 2, givenUp: true, lost: 0.4 },
  'an order that all give up after a decline': { tabs: 2, before: 'declined', givenUp: true, lost: 0.4 },
  'an order that all give up after a lost opening': { tabs: 2, before: 'lost', givenUp: true, lost: 0.4 },
  'an order that all give up after expiry': { tabs: 2, before: 'expired', newer: true, givenUp: true, lost: 0.4 },
}

describe('whatever the order of their calls', () => {
  let restore = () => {}
  let ids = createRandom(0)
  beforeAll(() => {
    restore = watchCrypto(() => ids())
  })
  afterAll(() => restore())

  type Play = (seed: number) => Promise<string[]>
  async function playMany(play: Play): Promise<void> {
    const seeds = createRandom(seedOfRun())
    for (let played = 0; played < COUNT; played++) {
      const seed = Math.floor(seeds() * 2 ** 31)
      ids = createRandom(seed)
      await play(seed)
    }
  }

  it.each(Object.entries(MONEY))(
    'each key makes one operation: %s',
    (name, scenario) => playMany((seed) => playMoney(name, scenario, seed)),
    3_600_000,
  )

  it.each(Object.entries(CHECKOUTS))(
    'an order is paid once: %s',
    (name, scenario) => playMany((seed) => playCheckout(name, scenario, seed)),
    3_600_000,
  )

  it('plays the same for the same seed', async () => {
    const play = async () => {
      ids = createRandom(7)
      return playMoney('three keys', MONEY['three keys'] as MoneyScenario, 7)
    }
    expect(await play()).toEqual(await play())
  })
})
