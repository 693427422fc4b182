import { describe, expect, it } from 'vitest'
import { createClient, type ResolveOutcomeOptions, resolveOutcome, type UnresolvedCall } from '../../src/index.ts'
import { rejectedPaths } from '../support/call.ts'
import { CAPTURE, HOSTED } from '../support/inputs.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'
import { AUTH, CREATION, capture, PURCHASE, REFUNDED, resolve, SENT_AT, SOON } from './support/records.ts'

// The call and the options that resolveOutcome takes; what it decides is in decide.test.ts.

const outcomeOf = async (...args: Parameters<typeof resolve>) => (await resolve(...args)).resolved.outcome

class ApiErrorLike extends Error {
  override name = 'ApiError'
  code = 'api'
}

describe('the call', () => {
  const lost = async (send: (client: ReturnType<typeof createClient>) => Promise<unknown>) => {
    const { fetch } = wire(json({}, 503))
    return (await rejection(send(createClient({ ...CONFIG, fetch })))) as unknown as UnresolvedCall
  }

  it('is the error itself, or what JSON has kept of it', async () => {
    const error = await lost((client) => client.capturePayment({ ...CAPTURE, charge_amount: 80.25 }))
    for (const call of [error, JSON.parse(JSON.stringify(error)) as UnresolvedCall]) {
      const { resolved } = await resolve(call, [json([AUTH, capture('c-1')])], { known: [] })
      expect(resolved).toMatchObject({ outcome: 'executed', record: { operation_id: 'c-1', status: 'success' } })
    }
    const hosted = await lost((client) => client.createPayment(HOSTED))
    const { resolved } = await resolve(hosted, [json([{ ...PURCHASE, status: 'init' }])])
    expect(resolved).toMatchObject({ outcome: 'executed', record: { status: 'init' } })
  })

  it.each([
    ['another error of this package', 'this one has no unknown outcome', new ApiErrorLike()],
    ['an error of anybody', /^(?!.*this one).*OutcomeUnknownError, or \{ operation/, new TypeError('x')],
  ])('is not %s, which is said so', async (_name, says, error) => {
    const rejected = await rejection(resolve(error as never, []))
    expect(rejected).toMatchObject({ code: 'invalid_input', message: expect.stringMatching(says) })
  })

  it('is looked up under the POS that it named', async () => {
    const pos_id = 'ffffffff-ffff-4fff-8fff-ffffffffffff'
    const call = await lost((client) => client.capturePayment({ ...CAPTURE, pos_id }))
    const { sent } = await resolve(call, [json([AUTH])])
    expect(sent.map(({ url }) => url)).toEqual([`${CONFIG.baseUrl}/api/v1/pos/${pos_id}/orders/A-1`])
  })

  it('has its time as a text with a zone, as milliseconds, or as a Date', async () => {
    const at = Date.parse(SENT_AT)
    for (const sent_at of [SENT_AT, '2026-01-31T12:00:00+02:00', at, new Date(at)]) {
      const call = { ...REFUNDED, sent_at }
      expect(await outcomeOf(call, [json([PURCHASE])], { now: () => SOON })).toBe('unknown')
      expect(await outcomeOf(call, [json([PURCHASE])])).toBe('not_executed')
    }
  })

  it.each<[path: string, call: unknown]>([
    ['', undefined],
    ['sent_at', { ...REFUNDED, sent_at: '2026-01-31T10:00:00' }],
    ['sent_at', { ...REFUNDED, sent_at: Number.NaN }],
    ['amount', { ...REFUNDED, amount: '20.5' }],
    ['order_id', { ...REFUNDED, order_id: 5 }],
  ])('is rejected for its %s: %j', async (path, call) => {
    expect(await rejectedPaths((client) => resolveOutcome(client, call as UnresolvedCall))).toEqual([path])
  })

  it.each([
    ['of another function', { ...REFUNDED, operation: 'request' }, [json([PURCHASE])], '"request"'],
    ['without an order', { operation: 'cancelRecurring', sent_at: SENT_AT }, [], 'names no order_id'],
    ['of another amount', CREATION, [json([{ ...PURCHASE, amount: 7 }])], 'not what was asked for'],
  ])('stays unknown %s', async (_name, call, replies, why) => {
    const { resolved } = await resolve(call, replies)
    expect(resolved).toMatchObject({ outcome: 'unknown', why: expect.stringContaining(why) })
  })
})

describe('the options', () => {
  it.each<[string, Record<string, unknown>]>([
    ['settleAftrMs', { settleAftrMs: 5 }],
    ['settleAfterMs', { settleAfterMs: -1 }],
    ['settleAfterMs', { settleAfterMs: '600000' }],
    ['now', { now: 5 }],
    // One id, or the operations themselves, would know nothing.
    ['known', { known: 'c-1' }],
    ['known', { known: [capture('c-1')] }],
  ])('%s is rejected before anything is sent: %j', async (path, options) => {
    expect(await rejectedPaths((client) => resolveOutcome(client, REFUNDED, options))).toEqual([path])
  })

  it('of the look-up are taken, and no time at all to wait', async () => {
    const { signal } = new AbortController()
    const options = { signal, timeoutMs: 50_000, deadlineMs: 50_000, maxRetries: 0, settleAfterMs: 0 }
    const now = () => Date.parse(SENT_AT)
    expect(await outcomeOf(CREATION, [json([])], { ...options, now })).toBe('not_executed')
  })

  it('an absence counts after the stated time, and after the default one where it is null', async () => {
    const settleAfterMs = 1000
    const at = (now: number) => outcomeOf(CREATION, [json([])], { settleAfterMs, now: () => Date.parse(SENT_AT) + now })
    expect([await at(settleAfterMs), await at(settleAfterMs - 1)]).toEqual(['not_executed', 'unknown'])
    const nulls = { settleAfterMs: null, known: null, now: () => SOON } as unknown as ResolveOutcomeOptions
    expect(await outcomeOf(REFUNDED, [json([PURCHASE])], nulls)).toBe('unknown')
  })
})

describe('the look-up that fails', () => {
  it.each<[string, () => Response | Error]>([
    ['401', () => json({}, 401)],
    ['503', () => json({}, 503)],
    ['not an array', () => json({})],
    ['lost', () => new TypeError('fetch failed')],
  ])('leaves it unknown: %s', async (_name, reply) => {
    const { resolved } = await resolve(REFUNDED, [reply()], { known: [] })
    expect(resolved).toMatchObject({ outcome: 'unknown', why: expect.stringContaining('The look-up failed.') })
  })

  it('leaves it unknown: with an error of another copy of the package, and dates of another realm are dates', async () => {
    const foreign = Object.assign(new Error('x'), { name: 'ConnectionError', code: 'connection' })
    const lookUp = () => Promise.reject(foreign)
    const call = { ...REFUNDED, sent_at: { [Symbol.toStringTag]: 'Date', valueOf: () => 0 } as unknown as Date }
    const resolved = await resolveOutcome({ listOrderOperations: lookUp, resendWebhook: lookUp }, call)
    expect(resolved).toEqual({ outcome: 'unknown', why: 'The look-up failed. x' })
  })

  it('with an error of somebody else’s is not a look-up', async () => {
    const fails = () => Promise.reject(new TypeError('mine'))
    await expect(resolveOutcome({ listOrderOperations: fails, resendWebhook: fails }, REFUNDED)).rejects.toThrow('mine')
  })

  it('leaves it unknown: aborted', async () => {
    expect(await outcomeOf(REFUNDED, [], { signal: AbortSignal.abort() })).toBe('unknown')
  })
})
