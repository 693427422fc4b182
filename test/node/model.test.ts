import { describe, expect, it } from 'vitest'
import * as rules from '../../src/till/protocol.ts'
import * as checkouts from '../../src/till/protocol-checkout.ts'
import { explore, ORDER } from '../simulator/explore.ts'
import { CONFIRMED, findViolation, SCENARIOS, SETTLED, without } from '../simulator/run.ts'
import { explorePayments } from '../simulator/second-payment.ts'
import { CHECKOUT_SLIPS, SETTLED_SLIPS, SLIPS } from '../simulator/slips.ts'
import { TILL, TILL_SCENARIOS } from '../simulator/till-model.ts'

// `npm run model` explores the larger scenarios too, and compares the counts of its guide: they change with any step of the rules.
const SMALL = [...SCENARIOS.filter(({ amounts }) => amounts.length === 1), ...CONFIRMED]
/** The rules of what two people confirmed: their violation is among the last, and the first have a quarter of a million states. */
const OF_TWO = /limit|version|pending operations|whole order|has changed/

describe('the protocol of captures, refunds and voids', () => {
  it('moves money once, however callers, gate, network, service and clock interleave', () => {
    for (const scenario of [...SMALL, ...SETTLED]) {
      const explored = explore(scenario, rules, ORDER)
      expect([scenario.name, explored.violation]).toEqual([scenario.name, undefined])
    }
  }, 300_000)

  it.each(TILL_SCENARIOS.slice(0, 3))(
    'moves money once in $name',
    (scenario) => {
      const explored = explore(scenario, rules, TILL)
      expect(explored.violation).toBeUndefined()
    },
    300_000,
  )

  it.each([...SLIPS, ...SETTLED_SLIPS])(
    'needs the rule: %s',
    async (...slip) => {
      const isSettled = SETTLED_SLIPS.some(([rule]) => rule === slip[0])
      const near = OF_TWO.test(slip[0]) ? [...CONFIRMED, ...SMALL] : SMALL
      const found = findViolation(await without(slip), isSettled ? SETTLED : near)
      // Asked for, stored and sent, executed, twice; a limit is passed by one operation.
      const nearest = slip[0] === 'under a limit an amount is named' ? 3 : 6
      expect(found?.trace.length).toBeGreaterThanOrEqual(nearest)
    },
    60_000,
  )
})

describe('the protocol of checkouts', () => {
  it('lets an order that is paid take no second payment, and one that was cancelled none, in whatever order things happen', () => {
    const { states, ...found } = explorePayments(checkouts.stepCheckout)
    expect(states).toBeGreaterThan(10_000)
    expect(found).toEqual({ trace: [] })
  }, 120_000)

  it.each(CHECKOUT_SLIPS)('needs the rule: %s', async (...slip) => {
    const file = new URL('../../src/till/protocol-checkout.ts', import.meta.url)
    const { stepCheckout } = await without<typeof checkouts>(slip, file)
    expect(explorePayments(stepCheckout)).toMatchObject({ violation: expect.any(String) })
  })
})
