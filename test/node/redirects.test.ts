import { expect, it } from 'vitest'
import { answer, startRawServer } from './support/raw-server.ts'
import { RUNTIMES, runOn } from './support/runtimes.ts'

const STATUSES = [301, 302, 303, 307, 308]
const CALLS = ['create', 'accounts', 'capture']

it.each(RUNTIMES)(
  'on %s, no redirect to another origin is followed: neither credential nor body reach it',
  async (runtime) => {
    const elsewhere = await startRawServer(() => answer(200, {}, '{}'))
    const service = await startRawServer((_, index) =>
      answer(STATUSES[Math.floor(index / CALLS.length)] ?? 500, { location: `${elsewhere.origin}/taken` }),
    )
    const calls = STATUSES.flatMap((status) => CALLS.map((call) => [call, `${call}-${status}`]))
    const outcomes = await runOn(runtime, 'calls', { baseUrl: service.origin, calls })
    expect(outcomes).toMatchObject(
      STATUSES.flatMap((status) => [
        { code: 'outcome_unknown', reason: 'unexpected_redirect', status },
        { code: 'unexpected_response', status },
        { code: 'outcome_unknown', reason: 'unexpected_redirect', status },
      ]),
    )
    expect(elsewhere.connections()).toBe(0)
    expect(service.received).toHaveLength(calls.length)
  },
)
