import { describe, expect, it } from 'vitest'
import { answer, startRawServer } from './support/raw-server.ts'
import { RUNTIMES, runOn } from './support/runtimes.ts'

describe.each(RUNTIMES)('on %s, a redirect to another origin', (runtime) => {
  it.each([301, 302, 303, 307, 308])('with %i is not followed: no credential and no body reach it', async (status) => {
    const elsewhere = await startRawServer(() => answer(200, {}, '{}'))
    const service = await startRawServer(() => answer(status, { location: `${elsewhere.origin}/taken` }))
    try {
      const outcomes = await runOn(runtime, 'redirects', { baseUrl: service.origin })
      expect(outcomes).toMatchObject({
        hosted: { code: 'outcome_unknown', reason: 'unexpected_redirect', status },
        balances: { code: 'unexpected_response', status },
        capture: { code: 'outcome_unknown', reason: 'unexpected_redirect', status },
      })
      expect(elsewhere.connections()).toBe(0)
      expect(service.received).toHaveLength(3)
    } finally {
      await service.close()
      await elsewhere.close()
    }
  })
})
