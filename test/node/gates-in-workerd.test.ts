import { beforeAll, describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import * as rules from '../../src/money/protocol.ts'
import { draw, type Trace } from '../simulator/explore.ts'
import type { Protocol, Scenario } from '../simulator/model.ts'
import { type Outcome, outcomeOf } from '../simulator/replay.ts'
import { SCENARIOS, without } from '../simulator/run.ts'
import { SLIPS } from '../simulator/slips.ts'
import { BEHAVIOURS } from '../testing/behaviours.ts'
import { createRandom, seedOfRun } from '../worker/support/random.ts'
import { bindings } from '../worker/support/world.ts'
import { bundled, openWorkerd } from './support/workerd.ts'

const AT_ONCE = 50

let workerd: ReturnType<typeof openWorkerd>
beforeAll(async () => {
  const contents = await bundled('gates-worker.ts')
  const objects = { ORDER_GATE: 'OrderGate', OBJECTS: 'Behaving', DIRECTOR: 'Director' }
  workerd = openWorkerd({ contents, objects, bindings: bindings(createEmulator().credentials) })
  await workerd.ready
  return () => workerd.dispose()
}, 60_000)

async function post<T>(path: string, body: unknown): Promise<T> {
  const init = { method: 'POST', body: JSON.stringify(body) }
  return (await (await workerd.dispatchFetch(`https://worker.test/${path}`, init)).json()) as T
}

/** So many traces, each another one, as many of each scenario. */
function drawn(count: number, protocol: Protocol): Trace[] {
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
    const outcomes = await post<Outcome[]>('traces', some)
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
    expect(await different(drawn(1_000, rules))).toBe(undefined)
  }, 600_000)

  it.each(SLIPS.slice(1, 4))(
    'end otherwise when the model does not have the rule: %s',
    async (...slip) => {
      expect(await different(drawn(500, await without(slip)))).toMatchObject({ gate: expect.anything() })
    },
    300_000,
  )
})

// test/testing/gate-double.test.ts plays the same over the double.
it('Durable Objects of workerd behave as the double has them, but where the table says otherwise', async () => {
  const seen = await post<unknown[]>('behaviours', {})
  const named = BEHAVIOURS.map(({ name }, index) => [name, seen[index]])
  expect(named).toEqual(BEHAVIOURS.map(({ name, seen }) => [name, seen]))
}, 120_000)
