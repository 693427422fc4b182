import { describe, expect, it } from 'vitest'
import { type Fault, testCard } from '../../src/emulator/index.ts'
import { CAPTURE, CARD, DIRECT_AUTH, HOSTED } from '../support/inputs.ts'
import { rejection } from '../support/mock-fetch.ts'
import { openShop } from '../support/shop.ts'

const cc_number = testCard('success')

/** Money moves once: whatever happens to the answer, the SDK executes a capture at most once. */
async function captureWith(fault: Fault) {
  const shop = openShop()
  await shop.client.createPayment({ ...DIRECT_AUTH, cc_number })
  shop.emulator.faults.next(fault)
  const outcome = await shop.client.capturePayment({ ...CAPTURE, charge_amount: 10 }).then(
    (capture) => ({ capture, error: undefined }),
    (error: { code: string; reason?: string; retryable?: boolean }) => ({ capture: undefined, error }),
  )
  const executed = shop.emulator.orders.get('A-1')?.operations.length ?? 0
  return { ...outcome, executed, shop }
}

describe('a capture', () => {
  it.each<[string, Fault, string, number]>([
    ['that broke before it was executed', { kind: 'reset', when: 'before_commit' }, 'interrupted', 0],
    ['that broke after it was executed', { kind: 'reset', when: 'after_commit' }, 'interrupted', 1],
    ['responded 500 with HTML', { kind: 'server_error', status: 500, body: 'html' }, 'server_error', 1],
    ['responded 503, not executed', { kind: 'server_error', status: 503, when: 'before_commit' }, 'server_error', 0],
    ['responded with 2 MB', { kind: 'body', body: 'huge' }, 'unreadable_response', 1],
    ['responded with half of its JSON', { kind: 'body', body: 'truncated' }, 'unreadable_response', 1],
  ])('%s', async (_name, fault, reason, executed) => {
    const result = await captureWith(fault)
    expect(result.error).toMatchObject({ code: 'outcome_unknown', reason })
    expect(result.executed).toBe(executed)
    // And the way that the error names does tell.
    const asking = result.shop.client.resendWebhook({ order_id: 'A-1', operation: 'capture' })
    if (executed === 1) expect(await asking).toMatchObject({ method: 'capture', status: 'success', amount: 10 })
    else expect(await rejection(asking)).toMatchObject({ code: 'api', status: 404 })
  })

  it.each<[string, Fault]>([
    ['a 429, which is sent again', { kind: 'too_many_requests', retryAfter: 0 }],
    ['a slow response in pieces', { kind: 'slow_body', ms: 1, pieces: 20 }],
  ])('with %s is executed once', async (_name, fault) => {
    const { capture, executed } = await captureWith(fault)
    expect([capture?.amount, executed]).toEqual([10, 1])
  })
})

it('a reading is tried again after whatever went wrong twice', async () => {
  const { client, emulator } = openShop()
  for (const fault of [
    { kind: 'reset', when: 'after_commit' },
    { kind: 'server_error', status: 500, body: 'html' },
    { kind: 'too_many_requests', retryAfter: 0 },
  ] as Fault[]) {
    emulator.faults.next(fault, 2)
    expect(await client.listAccounts()).toHaveLength(4)
    emulator.faults.next(fault, 3)
    expect((await rejection(client.listAccounts())).code).toMatch(/^(connection|api)$/)
  }
})

it('a payment of unknown outcome can be sent again with its order id: it is not paid twice', async () => {
  const { client, emulator } = openShop()
  emulator.faults.next({ kind: 'reset', when: 'after_commit' })
  expect(await rejection(client.createPayment({ ...CARD, cc_number }))).toMatchObject({ code: 'outcome_unknown' })
  expect(await rejection(client.createPayment({ ...CARD, cc_number }))).toMatchObject({ apiCode: 'P-409' })
  expect(await client.resendWebhook({ order_id: 'A-1', operation: 'purchase' })).toMatchObject({ status: 'success' })
  expect(emulator.orders.list()).toHaveLength(1)
})

describe('webhooks', () => {
  it.each<[string, Fault]>([
    ['without padding', { kind: 'missing_padding' }],
    ['with numbers as strings', { kind: 'numbers_as_strings' }],
    ['with unknown fields', { kind: 'unknown_fields' }],
    ['with a null fee', { kind: 'null_fee' }],
    ['with an unknown status', { kind: 'unknown_status' }],
  ])('%s are read', async (_name, fault) => {
    const shop = openShop()
    shop.emulator.faults.next(fault)
    const { url } = await shop.client.createPayment(HOSTED)
    await shop.pay(url)
    expect(shop.events.length).toBeGreaterThan(0)
    expect(shop.events.every((event) => event.kind === 'purchase' && event.amount === 100.5)).toBe(true)
  })

  it('with a corrupt signature are rejected, and come again', async () => {
    const shop = openShop()
    shop.emulator.faults.next({ kind: 'corrupt_signature' })
    const { url } = await shop.client.createPayment(HOSTED)
    await shop.pay(url)
    const before = shop.events.length
    expect(shop.emulator.deliveries.some(({ attempts }) => attempts[0]?.error !== undefined)).toBe(true)
    await shop.emulator.clock.advance({ minutes: 2 })
    expect(shop.events.length).toBe(before + 1)
  })
})
