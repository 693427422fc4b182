import { describe, expect, it } from 'vitest'
import { type Fault, testCard } from '../../src/emulator/index.ts'
import { CAPTURE, CARD, DIRECT_AUTH } from '../support/inputs.ts'
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

it('a payment of unknown outcome is not paid twice, and its webhooks are read however they come', async () => {
  const { client, emulator, events } = openShop()
  emulator.faults.next({ kind: 'reset', when: 'after_commit' })
  expect(await rejection(client.createPayment({ ...CARD, cc_number }))).toMatchObject({ code: 'outcome_unknown' })
  expect(await rejection(client.createPayment({ ...CARD, cc_number }))).toMatchObject({ apiCode: 'P-409' })
  expect(emulator.orders.list()).toHaveLength(1)
  await emulator.deliveries.idle()
  const odd = ['missing_padding', 'numbers_as_strings', 'unknown_fields', 'null_fee', 'unknown_status'] as const
  for (const kind of [...odd, 'corrupt_signature'] as const) {
    emulator.faults.next({ kind })
    await client.resendWebhook({ order_id: 'A-1', operation: 'purchase' })
    await emulator.deliveries.idle()
  }
  expect(events.map((event) => event.kind === 'purchase' && event.amount)).toEqual(Array(6).fill(100.5))
  // What was rejected comes again.
  await emulator.clock.advance({ minutes: 2 })
  expect(events).toHaveLength(7)
})
