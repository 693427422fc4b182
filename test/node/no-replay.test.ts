import { expect, it } from 'vitest'
import type { Call } from './programs/calls.ts'
import { answer, startRawServer } from './support/raw-server.ts'
import { RUNTIMES, runOn } from './support/runtimes.ts'

// Some runtimes send a POST again, by themselves, when its connection closes before an answer. A capture has no
// idempotency key: sent twice is charged twice.

const checkout = answer(303, { location: '/api/v1/checkout/c1/form' })
const cancelled = answer(400, { 'content-type': 'application/json' }, '{"message":"no","args":{"code":"X"}}')
const UNKNOWN = { name: 'OutcomeUnknownError', code: 'outcome_unknown', reason: 'interrupted' }

// A call whose connection is dropped leaves none in the pool; one that is answered does. A cancel has no body.
const CALLS: [call: Call, outcome: object][] = [
  [['create', 'fresh'], UNKNOWN],
  [
    ['create', 'answered'],
    { value: { checkout_id: 'c1', url: expect.stringMatching(/\/api\/v1\/checkout\/c1\/form$/) } },
  ],
  [['create', 'pooled'], UNKNOWN],
  [['cancel', 'fresh'], UNKNOWN],
  [['cancel', 'answered'], { code: 'api' }],
  [['cancel', 'pooled'], UNKNOWN],
]

it.each(RUNTIMES)(
  'on %s, a POST that moves money is executed once when its connection drops after it',
  async (runtime) => {
    const server = await startRawServer(({ path, body }) => {
      if (!`${path}${body}`.includes('answered')) return 'drop'
      return path.endsWith('/cancel') ? cancelled : checkout
    })
    const calls = CALLS.map(([call]) => call)
    const outcomes = await runOn(runtime, 'calls', { baseUrl: server.origin, calls })
    expect(outcomes).toMatchObject(CALLS.map(([, outcome]) => outcome))
    const processed = server.received.map(({ path, body }) => `${path}${body}`)
    // A cancellation moves no money. Its empty body, sent so that Deno does not send it chunked, is sent again by Deno.
    const times = ([operation, order_id]: Call) =>
      runtime === 'deno' && operation === 'cancel' && order_id !== 'answered' ? 2 : 1
    expect(processed).toEqual(calls.flatMap((call) => Array(times(call)).fill(expect.stringContaining(call[1]))))
  },
)

it('the guard is needed: the pinned Deno sends an unguarded POST twice', async () => {
  const server = await startRawServer(() => 'drop')
  expect(await runOn('deno', 'bare-fetch', { url: `${server.origin}/capture`, body: '{}' })).toBe('failed')
  expect(server.received.length).toBeGreaterThan(1)
})
