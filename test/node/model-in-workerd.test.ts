import type { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { step } from '../../src/shop/protocol.ts'
import { draw, type Trace } from '../simulator/explore.ts'
import type { Scenario, Step } from '../simulator/model.ts'
import { type Outcome, outcomeOf } from '../simulator/replay.ts'
import { SCENARIOS, without } from '../simulator/run.ts'
import { SLIPS } from '../simulator/slips.ts'
import { createRandom, seedOfRun } from '../worker/support/random.ts'
import { bindings } from '../worker/support/world.ts'
import { startWorkerd } from './support/workerd.ts'

const AT_ONCE = 50

let workerd: Miniflare
beforeAll(async () => {
  const env = bindings(createEmulator().credentials) as unknown as Record<string, string>
  workerd = await startWorkerd('gates-worker.ts', { ORDER_GATE: 'OrderGate', DIRECTOR: 'Director' }, env)
}, 60_000)
afterAll(() => workerd?.dispose())

/** So many traces, each another one, as many of each scenario. */
function drawn(count: number, protocol: Step): Trace[] {
  const random = createRandom(seedOfRun())
  const traces = new Map<string, Trace>()
  while (traces.size < count) {
    const trace = draw(SCENARIOS[traces.size % SCENARIOS.length] as Scenario, protocol, random)
    traces.set(JSON.stringify(trace.blocks.map(({ does }) => does)), trace)
  }
  return [...traces.values()]
}

/** The first trace that the gate ends otherwise than the model. */
async function different(traces: readonly Trace[]): Promise<object | undefined> {
  for (let from = 0; from < traces.length; from += AT_ONCE) {
    const some = traces.slice(from, from + AT_ONCE)
    const response = await workerd.dispatchFetch('https://worker.test/', { method: 'POST', body: JSON.stringify(some) })
    const outcomes = (await response.json()) as Outcome[]
    for (const [index, trace] of some.entries()) {
      const [gate, model] = [outcomes[index], outcomeOf(trace)]
      if (JSON.stringify(gate) === JSON.stringify(model)) continue
      return { scenario: trace.scenario.name, does: trace.blocks.map(({ does }) => does.join(', ')), gate, model }
    }
  }
  return undefined
}

describe('traces of the model, replayed over the gate in workerd,', () => {
  it('end as in the model: 1,000 of them', async () => {
    expect(await different(drawn(1_000, step))).toBe(undefined)
  }, 600_000)

  it.each(SLIPS.slice(1, 4).map((slip) => [slip.rule, slip] as const))(
    'end otherwise when the model does not have the rule: %s',
    async (_, slip) => {
      const found = await different(drawn(500, await without(slip)))
      expect(found).toMatchObject({ scenario: expect.any(String), gate: expect.anything() })
    },
    300_000,
  )
})
