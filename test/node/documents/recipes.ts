import type { SpanOptions } from '@opentelemetry/api'
import { describe, expect, it, vi } from 'vitest'
import { testCard } from '../../../src/emulator/index.ts'
import { createClient } from '../../../src/index.ts'
import { foldOrder } from '../../../src/orders/index.ts'
import * as schemas from '../../../src/schemas/index.ts'
import type { OnEvent } from '../../../src/shop/index.ts'
import { createD1Double, createTestShop } from '../../../src/testing/index.ts'
import { CARD, DIRECT_AUTH } from '../../support/inputs.ts'
import { openShop } from '../../support/shop.ts'
import { Document } from '../support/document.ts'
import { load } from '../support/program.ts'

export default function tests(): void {
  type Call = (...given: unknown[]) => Promise<never>
  const clock = { now: () => Date.parse('2026-03-01T10:00:00Z') }
  const open = () => openShop({ maxRetries: 0, onWarning() {} }, { clock })

  describe('guides/recipes.md', () => {
    const recipes = Document.of('guides/recipes.md')
    const subscription = recipes.program('A subscription, from start to cancel')
    const splitting = recipes.program('A split, with its capture and its refund')
    const direct = recipes.program('A direct payment with 3-D Secure, in a script')
    const day = recipes.program('Reconcile a day')
    const traced = recipes.program('Trace calls with OpenTelemetry')
    const paid = recipes.program("When a Worker's order is paid: D1, a queue, a mail")
    const queued = recipes.program("Validate a queue's message")
    const fiscal = recipes.program('A fiscal receipt for each payment, exactly once')

    it('subscribes, notices a missed charge, and cancels', async () => {
      const { subscribe, charged, unsubscribe } = (await load(subscription)) as Record<string, Call>
      const { emulator, client, events } = open()
      await emulator.pay((await subscribe?.(client, 'S-1', 'olena@example.com')) ?? '')
      emulator.faults.next({ kind: 'status_code', status_code: '4009', on: 'charge' })
      await emulator.clock.advance({ days: 31, hours: 1 })
      await emulator.deliveries.idle()
      const all = () => events.map((event) => charged?.(event, foldOrder(events)))
      const month = { amount: 99, currency: 'UAH' }
      expect(all()).toEqual([month, 'missed'])
      await emulator.clock.advance({ days: 1 })
      expect(all()).toEqual([month, 'missed', month])
      const odd = foldOrder(events, { ...month, amount: 199 })
      expect(charged?.(events[0], odd)).toBe('ask a person')
      expect(await unsubscribe?.(client, 'S-1')).toBe(true)
      await emulator.clock.advance({ days: 62 })
      // The fourth is the one that unsubscribe had sent again.
      expect(events).toHaveLength(4)
    })

    it('splits, and refunds and captures the parts', async () => {
      const { parts, sell, captureParts, refundParts } = (await load(splitting)) as Record<string, Call>
      const { emulator, client } = open()
      const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
      const split = (await parts?.(100.5, first, second, 0.3)) as unknown as {
        sub_merchant_id: string
        amount: number
      }[]
      expect(split.map(({ sub_merchant_id, amount }) => [sub_merchant_id, amount])).toEqual([
        [first, 30.15],
        [second, 70.35],
      ])
      const checkout = (await sell?.(client, 'A-1', 100.5, split)) as unknown as { url: string }
      await emulator.pay(checkout.url)
      expect(await refundParts?.(client, 'A-1', 10, parts?.(10, first, second, 0.3))).toMatchObject({
        status: 'success',
      })
      await client.createPayment({ ...DIRECT_AUTH, order_id: 'A-2', amount: 50 })
      const captured = await captureParts?.(client, 'A-2', 50, parts?.(50, first, second, 0.5))
      expect(captured).toMatchObject({ status: 'success' })
    })

    it('pays directly with 3-D Secure', async () => {
      const { payByToken } = (await load(direct)) as Record<string, Call>
      const { emulator, client } = open()
      const { cc_token } = await client.createPayment({
        ...CARD,
        order_id: 'A-1',
        cc_number: testCard('three_d_secure'),
      })
      const url = await payByToken?.(client, 'A-2', cc_token)
      expect(url).toMatch(/3ds/)
      await emulator.pay(url ?? '')
      expect(emulator.orders.get('A-2')?.payments[0]?.status).toBe('success')
    })

    it('finds what differs in a day', async () => {
      const { reconcile } = (await load(day)) as Record<string, Call>
      const { client } = open()
      for (const order_id of ['fine', 'back'])
        await client.createPayment({ ...CARD, order_id, amount: 100, currency: 'UAH' })
      await client.createPayment({ ...DIRECT_AUTH, order_id: 'held', amount: 100, currency: 'UAH' })
      await client.refundPayment({ order_id: 'back', order_currency: 'UAH', refund_amount: 5 })
      const orders = ['fine', 'back', 'held', 'gone'].map((order_id) => ({ order_id, amount: 100, currency: 'UAH' }))
      expect([...((await reconcile?.(client, orders)) ?? [])]).toEqual([
        ['back', 'refunded 500 hundredths'],
        ['held', 'captured 0 of 10000 hundredths'],
        ['gone', 'not known to the service'],
      ])
    })

    it('writes a paid order to D1 and to a queue, and sends a mail, once each', async () => {
      const { intoD1, intoQueue, byMail } = (await load(paid)) as Record<string, OnEvent>
      const DB = createD1Double('CREATE TABLE payment (id TEXT PRIMARY KEY, order_id TEXT, amount REAL, currency TEXT)')
      const queued: object[] = []
      const mails: RequestInit[] = []
      const QUEUE = { send: async (message: object) => queued.push(message) }
      const env = { DB, QUEUE, MAIL_TOKEN: 'the-token' } as never
      vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
        mails.push(init)
        return new Response()
      })
      let calls = 0
      const onEvent: OnEvent = async (...given) => {
        await intoD1?.(...given)
        if (++calls > 1) return
        for (const handle of [intoQueue, byMail]) await handle?.(...given)
        throw new Error('told again')
      }
      const shop = await createTestShop({ onEvent, env })
      const order = await shop.sell({ amount: 100.5 })
      const { order_id } = order
      await shop.pay(order)
      await shop.advance(60_000)
      expect(calls).toBe(2)
      const { results } = await DB.prepare('SELECT order_id, amount, currency FROM payment').all()
      expect(results).toEqual([{ order_id, amount: 100.5, currency: 'UAH' }])
      expect(queued).toMatchObject([{ order_id, amount: 100.5, currency: 'UAH' }])
      expect(mails).toMatchObject([
        { headers: { authorization: 'Bearer the-token' }, body: expect.stringContaining('"text":"100.5 UAH paid."') },
      ])
    })

    it('makes one fiscal receipt of each payment and refund, though the service is down for a day and answers are lost', async () => {
      const { withReceipt } = (await load(fiscal)) as Record<string, OnEvent>
      const table = 'operation TEXT PRIMARY KEY, receipt_id TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0'
      const DB = createD1Double(`CREATE TABLE fiscal (${table})`)
      const receipts = new Map<string, { type: string; amount: number }>()
      let calls = 0
      let state: 'down' | 'deaf' | 'up' = 'down'
      vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
        calls++
        if (state === 'down') throw new TypeError('fetch failed')
        const known = receipts.has(url)
        receipts.set(url, JSON.parse(String(init.body)))
        // It has made the receipt, and its answer is lost.
        if (state === 'deaf') throw new TypeError('The connection was reset.')
        return new Response(null, { status: known ? 409 : 201 })
      })
      const onEvent: OnEvent = async (...given) => withReceipt?.(...given)
      const shop = await createTestShop({ onEvent, env: { DB, FISCAL_TOKEN: 't' } as never })
      const order = await shop.sell({ amount: 100.5 })
      await shop.pay(order)
      for (let hours = 0; hours < 24; hours++) await shop.advance(3_600_000)
      expect([calls > 3, receipts.size]).toEqual([true, 0])
      state = 'deaf'
      for (let hours = 0; hours < 7; hours++) await shop.advance(3_600_000)
      expect(receipts.size).toBe(1)
      state = 'up'
      for (let hours = 0; hours < 8; hours++) await shop.advance(3_600_000)
      const headers = { 'idempotency-key': 'k' }
      const body = JSON.stringify({ refund_amount: 40 })
      await shop.api(`/api/orders/${order.order_id}/refund`, { method: 'POST', headers, body })
      for (let minutes = 0; minutes < 5; minutes++) await shop.advance(60_000)
      expect([...receipts.values()]).toMatchObject([
        { type: 'SELL', amount: 100.5 },
        { type: 'RETURN', amount: 40 },
      ])
      const { results } = await DB.prepare('SELECT done FROM fiscal').all()
      expect(results).toEqual([{ done: 1 }, { done: 1 }])
    })

    it('reads a queue’s message with a schema', async () => {
      const { orderOf, jsonSchema } = (await load(queued)) as Record<
        string,
        (given: unknown) => { required?: string[] }
      >
      expect(orderOf?.('{"method":"loyalty","order_id":"A-1"}')).toBe('A-1')
      expect(orderOf?.('{"method":"refund","order_id":"A-1"}')).toBe('A-1')
      expect(() => orderOf?.('[]')).toThrow('must be an object')
      // Chosen by its method; a text or an object.
      const { webhookEventSchema: _, limitInfoSchema: __, ...convertible } = schemas
      for (const schema of Object.values(convertible)) expect(jsonSchema?.(schema)).toHaveProperty('type')
      expect(jsonSchema?.(schemas.primaryEventSchema).required).toContain('payment_id')
    })

    it('traces a capture with a retry, and one that got no response', async () => {
      const { tracing } = (await load(traced)) as Record<string, CallableFunction>
      const spans: { name: string; attributes: Record<string, unknown>; status?: object; events: object[] }[] = []
      /** A tracer that keeps each span that was ended once. */
      const startSpan = (name: string, { attributes = {} }: SpanOptions) => {
        const span = { name, attributes: { ...attributes }, status: {}, events: [] as object[] }
        const methods = {
          setAttribute: (key: string, value: unknown) => Object.assign(span.attributes, { [key]: value }) && methods,
          setStatus: (status: object) => Object.assign(span, { status }) && methods,
          recordException: (exception: Error) => void span.events.push({ name: 'exception', exception }),
          end: () => {
            expect(spans).not.toContain(span)
            spans.push(span)
          },
        }
        return methods
      }
      const { emulator, client } = open()
      await client.createPayment({ ...DIRECT_AUTH, order_id: 'A-1' })
      const hooks = tracing?.({ startSpan })
      const watched = createClient({ ...emulator.credentials, fetch: emulator.fetch, onWarning() {}, ...hooks })
      const capture = () => watched.capturePayment({ order_id: 'A-1', order_currency: 'UAH', charge_amount: 1 })
      emulator.faults.next({ kind: 'too_many_requests', retryAfter: 0 })
      await capture()
      emulator.faults.next({ kind: 'reset' })
      await expect(capture()).rejects.toMatchObject({ code: 'outcome_unknown' })
      expect(spans).toMatchObject([
        { attributes: { 'http.response.status_code': 429, 'http.request.resend_count': 0 }, status: { code: 2 } },
        { attributes: { 'http.response.status_code': 200, 'http.request.resend_count': 1 }, status: { code: 0 } },
        { attributes: { 'http.request.resend_count': 0 }, status: { code: 2 }, events: [{ name: 'exception' }] },
      ])
      const [first, ...rest] = spans.map(({ name, attributes }) => `${name} ${attributes['edgetill.call_id']}`)
      expect(first).toMatch(/^POST \/api\/v1\/capture [\w-]+$/)
      expect(rest.map((one) => one === first)).toEqual([true, false])
    })
  })
}
