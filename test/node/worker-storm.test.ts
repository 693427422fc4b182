import { expect, it } from 'vitest'
import { createRandom, isLong, seedOfRun } from '../worker/support/random.ts'
import { Storm } from './support/storm.ts'
import { play } from './support/storm-orders.ts'

const ORDERS = 8
const STORMS = isLong() ? 10 : 1

it(`a storm of faults and kills of workerd leaves ${STORMS * ORDERS} orders with the service's own totals, and nothing executed twice`, async () => {
  const seeds = createRandom(seedOfRun())
  let byHand = 0
  for (let storms = 0; storms < STORMS; storms++) {
    const seed = Math.floor(seeds() * 2 ** 31)
    const storm = await Storm.start(seed)
    try {
      byHand += await play(storm, ORDERS, `seed ${seed}`)
    } finally {
      await storm.end()
    }
  }
  expect(byHand).toBeLessThan(STORMS * ORDERS * 0.3)
}, 1_800_000)
