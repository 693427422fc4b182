import { describe, expect, it } from 'vitest'
import { step } from '../../src/shop/protocol.ts'
import { explore, type Scenario } from '../simulator/model.ts'
import { findViolation, SCENARIOS, without } from '../simulator/run.ts'
import { SLIPS } from '../simulator/slips.ts'

// `npm run model` explores the larger scenarios too.
const SMALL = SCENARIOS.filter(({ amounts }) => amounts.length === 1)

describe('the protocol of captures, refunds and voids', () => {
  it.each(SMALL.map((scenario): [string, Scenario] => [scenario.name, scenario]))(
    'moves money once, however callers, gate, network, service and clock interleave: %s',
    (_, scenario) => {
      const { states, violation } = explore(scenario, step)
      expect([violation, states > 10_000]).toEqual([undefined, true])
    },
    60_000,
  )

  it.each(SLIPS.map((slip) => [slip.rule, slip] as const))(
    'needs the rule: %s',
    async (_, slip) => {
      expect(findViolation(await without(slip), SMALL)?.violation?.trace.length).toBeGreaterThan(5)
    },
    60_000,
  )
})
