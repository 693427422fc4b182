import { expect } from 'vitest'
import { testCard } from '../../../src/emulator/index.ts'
import { createBench, type Json, openCheckout } from '../call.ts'
import { type Create, namesIn, type Row, row, rows, tableRows } from './row.ts'
import {
  cancel,
  capture,
  DAILY,
  eventsOf,
  everyKind,
  PRIMARY,
  payDirect,
  SECONDARY,
  samplesOf,
  sendResend,
} from './samples.ts'
import { RECURRING } from './targets.ts'

/** Webhooks: when, where to, in what form and with which parameters. */

/** `base64url(sha1(secret + data + secret))` by the platform's own hash, not by the library that signs. */
async function signatureOf(data: string, secret: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-1', new TextEncoder().encode(secret + data + secret)))
  return btoa(String.fromCharCode(...digest))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}

export const eventRows: Row[] = [
  row('events', 'The service sends a webhook', async (bench) => {
    await everyKind(bench)
    await openCheckout(bench.emulator, { order_id: 'C' })
    await cancel(bench, 'C')
    await payDirect(bench, { order_id: 'D', cc_number: testCard('declined') })
    await payDirect(bench, { order_id: 'T', cc_number: testCard('timeout') })
    await bench.emulator.clock.advance({ minutes: 15 })
    const events = (await eventsOf(bench)).map(({ order_id, method, status }) => [order_id, method, status].join(' '))
    expect(events.sort()).toEqual([
      ...['A-1 auth pending', 'A-1 auth success', 'A-1 auth_increment success', 'A-1 capture success'],
      ...['A-1 refund success', 'C purchase failure', 'D purchase failure', 'T purchase failure'],
      ...['T purchase pending', 'V auth success', 'V void success'],
    ])
  }),
  row('events', 'Delivery: HTTP `POST`', async (bench) => {
    await payDirect(bench, { description: 'Книга "ґ" 🙂', payload: 'ґ?>~' })
    await bench.emulator.deliveries.idle()
    expect(bench.received).toHaveLength(1)
    const [{ method, contentType, form, event } = {} as never] = bench.received
    expect([method, contentType]).toEqual(['POST', 'application/x-www-form-urlencoded'])
    expect([...form.keys()]).toEqual(['data', 'signature'])
    expect(form.get('data')).toMatch(/^[\w-]+={0,2}$/)
    expect(event.payload).toBe('ґ?>~')
  }),
  row('events', "Destination: the request's", async (bench) => {
    const { emulator } = bench
    await payDirect(bench, { method: 'auth', server_url: 'https://shop.example/auth' })
    await capture(bench, { charge_amount: 1, server_url: 'https://shop.example/capture' })
    await capture(bench, { charge_amount: 2 })
    const notified = { ...DAILY, notification_url: 'https://shop.example/notify' }
    await payDirect(bench, { order_id: 'N', server_url: 'https://shop.example/first', init_recurring: notified })
    await payDirect(bench, { order_id: 'I', server_url: 'https://shop.example/initial', init_recurring: DAILY })
    await payDirect(bench, { order_id: 'none', server_url: undefined, init_recurring: DAILY })
    await emulator.clock.advance({ days: 1 })
    await sendResend(bench, 'capture')
    await emulator.deliveries.idle()
    const places = bench.received.map(({ url, event }) =>
      [event.order_id, event.method, url.split('/').at(-1)].join(' '),
    )
    expect(places).toEqual([
      'A-1 auth auth',
      'A-1 capture capture',
      'A-1 capture default-hook',
      'N purchase first',
      'I purchase initial',
      'none purchase default-hook',
      'N purchase notify',
      'I purchase initial',
      'none purchase default-hook',
      'A-1 capture default-hook',
    ])
  }),
  row('events', 'Duplicates: a webhook may', async (bench) => {
    bench.emulator.faults.next({ kind: 'duplicate', times: 2 })
    await payDirect(bench)
    await bench.emulator.deliveries.idle()
    expect(bench.received).toHaveLength(3)
    expect(new Set(bench.received.map(({ text }) => text)).size).toBe(1)
  }),
  ...rows(['events: Signature:', 'limits: | webhook signature'], async (_, create) => {
    const bench = createBench({ credentials: { apiSecret: 'another-secret-7' } }, create)
    await everyKind(bench)
    await bench.emulator.deliveries.idle()
    expect(bench.received.length).toBeGreaterThan(5)
    for (const { form } of bench.received) {
      const signature = form.get('signature') ?? ''
      expect(signature).toBe(await signatureOf(form.get('data') ?? '', 'another-secret-7'))
      expect(signature).toHaveLength(28)
    }
  }),
  row('events', 'The set of parameters may', async (bench, create) => {
    const more = createBench({ perturbations: ['unknown_fields'] }, create)
    for (const one of [bench, more]) for (let i = 0; i < 20; i++) await payDirect(one, { order_id: `E-${i}` })
    const extra = (events: Json[]) =>
      events.map((event) => Object.keys(event).filter((name) => name.startsWith('emulator_')).length)
    expect(new Set(extra(await eventsOf(bench)))).toEqual(new Set([0]))
    expect(new Set(extra(await eventsOf(more)))).toEqual(new Set([4]))
  }),
  row('events', 'Retry policy on failed', async (_, create) => {
    const bench = createBench({ retryDelaysMs: [1000, 5000] }, create)
    bench.answers.push(500, 302, 404)
    await payDirect(bench)
    await bench.emulator.clock.advance({ days: 1 })
    expect(bench.emulator.deliveries[0]?.attempts).toMatchObject([
      { at: '2026-01-31T10:00:00.000', status: 500 },
      { at: '2026-01-31T10:00:01.000', status: 302 },
      { at: '2026-01-31T10:00:06.000', status: 404 },
    ])
  }),
  row('events', 'Response the receiver must', async (_, create) => {
    const bench = createBench({ retryDelaysMs: [1000] }, create)
    for (const [index, status] of [200, 204, 202, 299, 400, 303].entries()) {
      bench.answers.push(status)
      await payDirect(bench, { order_id: `R-${index}` })
      await bench.emulator.deliveries.idle()
    }
    await bench.emulator.clock.advance({ seconds: 1 })
    expect(bench.emulator.deliveries.map(({ attempts }) => attempts.length)).toEqual([1, 1, 1, 1, 2, 2])
  }),
  ...tableRows('event-kinds', (create, _, methods = '') => kindsArrive(create, namesIn(methods))),
  row('service', 'Other secondary operations', (_, create) => kindsArrive(create, SECONDARY)),
  row('service', 'Other primary operations', (_, create) => kindsArrive(create, ['credit', 'p2p', 'lookup'])),
  row('recurring-status', '| recurring.id | String', async (bench) => {
    const answer = await payDirect(bench, { init_recurring: { ...RECURRING, start_date: '2026-02-01' } })
    await payDirect(bench, { order_id: 'B', init_recurring: RECURRING })
    await bench.emulator.clock.advance({ days: 3, months: 2 })
    const ids = (await eventsOf(bench))
      .filter(({ order_id }) => order_id === 'A-1')
      .map(({ recurring }) => (recurring as Json).id)
    expect(ids).toHaveLength(4)
    expect(new Set(ids)).toEqual(new Set([(answer.recurring as Json).id]))
    expect(bench.emulator.orders.get('B')?.recurring?.id).not.toBe(ids[0])
  }),
]

/** Webhooks of these methods arrive, each with a final state and of its kind. */
async function kindsArrive(create: Create, methods: string[]): Promise<void> {
  const { webhooks } = await samplesOf(create)
  for (const method of methods) {
    expect(webhooks[method]?.filter(({ status }) => status === 'success').length).toBeGreaterThan(0)
    for (const event of webhooks[method] ?? []) {
      expect(event.status).toMatch(/^(pending|success|failure)$/)
      expect('operation_id' in event).toBe(!PRIMARY.includes(method))
    }
  }
}
