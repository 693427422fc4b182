import { describe, expect, it } from 'vitest'
import { answer, startRawServer } from './support/raw-server.ts'
import { RUNTIMES, runOn } from './support/runtimes.ts'

// Some runtimes send a POST again, by themselves, when its connection closes before an answer. A capture has no
// idempotency key: sent twice is charged twice.

const checkout = answer(303, { location: '/api/v1/checkout/c1/form' })
const cancelled = answer(400, { 'content-type': 'application/json' }, '{"message":"no","args":{"code":"X"}}')

describe.each(RUNTIMES)('on %s, a POST whose connection drops after execution', (runtime) => {
  it('is executed once on a fresh connection, and its outcome is unknown', async () => {
    const server = await startRawServer(() => 'drop')
    try {
      const outcomes = await runOn(runtime, 'post-once', { baseUrl: server.origin, orders: ['fresh'] })
      expect(outcomes).toMatchObject([{ name: 'OutcomeUnknownError', code: 'outcome_unknown', reason: 'interrupted' }])
      expect(server.received.map(({ path }) => path)).toEqual(['/api/v1/payment'])
    } finally {
      await server.close()
    }
  })

  it('is executed once when an earlier connection could have been pooled', async () => {
    const server = await startRawServer((_, index) => (index === 0 ? checkout : 'drop'))
    try {
      const outcomes = await runOn(runtime, 'post-once', { baseUrl: server.origin, orders: ['first', 'pooled'] })
      expect(outcomes).toMatchObject([
        { value: { url: `${server.origin}/api/v1/checkout/c1/form`, checkout_id: 'c1' } },
        { code: 'outcome_unknown', reason: 'interrupted' },
      ])
      expect(server.received.filter(({ body }) => body.includes('"pooled"'))).toHaveLength(1)
      expect(server.received).toHaveLength(2)
    } finally {
      await server.close()
    }
  })

  it('is executed once when it has no body (a cancel), fresh and pooled', async () => {
    const server = await startRawServer((_, index) => (index === 0 ? cancelled : 'drop'))
    try {
      const outcomes = await runOn(runtime, 'cancel-once', { baseUrl: server.origin, orders: ['first', 'pooled'] })
      expect(outcomes).toMatchObject([{ code: 'api' }, { code: 'outcome_unknown', reason: 'interrupted' }])
      expect(server.received).toHaveLength(2)
    } finally {
      await server.close()
    }
    const dropping = await startRawServer(() => 'drop')
    try {
      const outcomes = await runOn(runtime, 'cancel-once', { baseUrl: dropping.origin, orders: ['fresh'] })
      expect(outcomes).toMatchObject([{ code: 'outcome_unknown' }])
      expect(dropping.received).toHaveLength(1)
    } finally {
      await dropping.close()
    }
  })
})

it('the guard is needed: the pinned Deno sends an unguarded POST twice', async () => {
  const server = await startRawServer(() => 'drop')
  try {
    expect(await runOn('deno', 'bare-fetch', { url: `${server.origin}/capture`, body: '{}' })).toBe('failed')
    expect(server.received.length).toBeGreaterThan(1)
  } finally {
    await server.close()
  }
})
