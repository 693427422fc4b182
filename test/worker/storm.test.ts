import { describe, expect, it } from 'vitest'
import { createRandom, isLong, seedOfRun } from './support/random.ts'
import { play } from './support/storm-orders.ts'
import { StormOverDoubles } from './support/storm-over-doubles.ts'

/** Orders of one storm. */
const ORDERS = 25
/** All of them in workerd, where the worker runs; the others play two storms. */
const inWorkerd = globalThis.navigator?.userAgent === 'Cloudflare-Workers'
const COUNT = isLong() ? 2_000 : inWorkerd ? 200 : 2 * ORDERS

describe('a storm of faults, kills and stale reads over the gate', () => {
  it(`leaves ${COUNT} orders with the service's own totals, and nothing executed twice`, async () => {
    const seeds = createRandom(seedOfRun())
    let byHand = 0
    for (let played = 0; played < COUNT; played += ORDERS) {
      const seed = Math.floor(seeds() * 2 ** 31)
      byHand += await play(new StormOverDoubles(seed), ORDERS, `seed ${seed}`)
    }
    // A full capture or refund beside others that are pending: nothing that is listed tells how much it was.
    expect(byHand).toBeLessThan(COUNT / 10)
  }, 1_800_000)
})
