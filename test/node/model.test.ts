import { describe, expect, it } from 'vitest'
import * as rules from '../../src/money/protocol.ts'
import * as checkouts from '../../src/shop/order/protocol-checkout.ts'
import { explore, GATE } from '../simulator/explore.ts'
import { guide, Life, scenarioRow, slipRow } from '../simulator/life.ts'
import { CONFIRMED, findViolation, SCENARIOS, without } from '../simulator/run.ts'
import { explorePayments } from '../simulator/second-payment.ts'
import { CHECKOUT_SLIPS, SLIPS } from '../simulator/slips.ts'
import { TILL, TILL_SCENARIOS } from '../simulator/till-model.ts'

// `npm run model` explores the larger scenarios too, and writes the guide.
const SMALL = [...SCENARIOS.filter(({ amounts }) => amounts.length === 1), ...CONFIRMED]
const [, stored] = guide()

describe('the protocol of captures, refunds and voids', () => {
  it('moves money once, however callers, gate, network, service and clock interleave, and as the guide says', () => {
    const life = new Life()
    for (const scenario of SMALL) {
      const explored = explore(scenario, rules, GATE, (before, after) => life.see(before, after))
      expect([scenario.name, explored.violation]).toEqual([scenario.name, undefined])
      expect(stored).toContain(scenarioRow(scenario, explored))
    }
    expect(stored).toContain(life.diagram())
  }, 300_000)

  it.each(TILL_SCENARIOS.slice(0, 3))(
    'moves money once in $name, and as the guide says',
    (scenario) => {
      const explored = explore(scenario, rules, TILL)
      expect(explored.violation).toBeUndefined()
      expect(stored).toContain(scenarioRow(scenario, explored))
    },
    300_000,
  )

  it.each(SLIPS)(
    'needs the rule: %s',
    async (...slip) => {
      const found = findViolation(await without(slip), SMALL)
      // Asked for, stored and sent, executed: no violation is nearer.
      expect(found?.trace.length).toBeGreaterThan(3)
      expect(stored).toContain(slipRow(slip, found))
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
    const file = new URL('../../src/shop/order/protocol-checkout.ts', import.meta.url)
    const { stepCheckout } = await without<typeof checkouts>(slip, file)
    expect(explorePayments(stepCheckout)).toMatchObject({ violation: expect.any(String) })
  })
})
