import { describe, expect, it } from 'vitest'
import { type Bench, createBench, direct, hosted, type Json, openCheckout, plain, post } from './call.ts'
import { cancel, DAILY, payDirect, payHosted } from './conformance/samples.ts'

/** Behaviour that the document does not fix, and that the table therefore does not have: timelines, ends of subscriptions, wording. */

it("an order's timeline has each step once", async () => {
  const bench = createBench()
  const { emulator } = bench
  const form = await openCheckout(emulator, { init_recurring: DAILY })
  await emulator.fetch(form)
  await emulator.fetch(form)
  await emulator.pay(form, { card: 'recurring_declined' })
  await emulator.clock.advance({ days: 1, hours: 7 })
  emulator.control.refundPayment('A-1', 1)
  emulator.control.cancelRecurring('A-1')
  emulator.control.cancelRecurring('A-1')
  const lines = emulator.orders.get('A-1')?.timeline.map(({ at, what }) => `${at.slice(8, 16)} ${what}`)
  expect(lines).toEqual([
    '31T10:00 hosted purchase created',
    '31T10:00 checkout page opened',
    '31T10:00 purchase success (1000, Transaction is successful)',
    '31T10:00 recurring active',
    '01T10:00 charge 1: purchase failure (4009, Insufficient funds)',
    '01T12:00 charge 1, retry 1: purchase failure (4009, Insufficient funds)',
    '01T14:00 charge 1, retry 2: purchase failure (4009, Insufficient funds)',
    '01T16:00 charge 1, retry 3: purchase failure (4009, Insufficient funds)',
    '01T16:00 charge given up after 3 retries',
    '01T17:00 refund of 1.00 UAH: success (1004)',
    '01T17:00 recurring canceled',
  ])
})

describe('a subscription follows its first payment', () => {
  const first = { init_recurring: DAILY }
  it.each<[what: string, end: (bench: Bench) => Promise<unknown>, status: string]>([
    ['3-D Secure that is passed', (bench) => payHosted(bench, first, 'three_d_secure'), 'active'],
    ['3-D Secure that is passed in vain', (bench) => payHosted(bench, first, 'three_d_secure_declined'), 'canceled'],
    ['a cancellation', (bench) => openCheckout(bench.emulator, first).then(() => cancel(bench)), 'canceled'],
    ['a timeout', (bench) => payHosted(bench, first, 'timeout'), 'canceled'],
  ])('through %s', async (_, end, status) => {
    const bench = createBench()
    await end(bench)
    await bench.emulator.clock.advance({ days: 1 })
    const { recurring, payments } = bench.emulator.orders.get('A-1') ?? {}
    expect([recurring?.status, payments?.length]).toEqual([status, status === 'active' ? 2 : 1])
  })

  it('a retry that is due after the end of the subscription is not made', async () => {
    const bench = createBench()
    await payHosted(bench, { init_recurring: DAILY }, 'recurring_declined')
    await bench.emulator.clock.advance({ days: 1 })
    bench.emulator.control.cancelRecurring('A-1')
    await bench.emulator.clock.advance({ days: 5 })
    expect(bench.emulator.orders.get('A-1')?.payments).toHaveLength(2)
  })
})

describe('rejections say what is wrong', () => {
  // Path 404, verb 405, content type 406, credentials 401, body 400: each request learns of the first that is wrong.
  it('checks path, verb, content type, credentials and body, in this order', async () => {
    const { emulator } = createBench()
    const { baseUrl } = emulator.credentials
    const json = { 'content-type': 'application/json' }
    const steps: [status: number, path: string, method: string, headers: Record<string, string>, body: unknown][] = [
      [404, '/api/v1/payments', 'PUT', { 'content-type': 'text/plain' }, '{'],
      [405, '/api/v1/payment', 'PUT', { 'content-type': 'text/plain' }, '{'],
      [406, '/api/v1/payment', 'POST', { 'content-type': 'text/plain' }, '{'],
      [401, '/api/v1/payment', 'POST', json, '{'],
      [400, '/api/v1/payment', 'POST', { ...json, ...plain(emulator) }, '{'],
      [400, '/api/v1/payment', 'POST', { ...json, ...plain(emulator) }, hosted(emulator, { amount: 0 })],
      [303, '/api/v1/payment', 'POST', { ...json, ...plain(emulator) }, hosted(emulator)],
    ]
    for (const [status, path, method, headers, body] of steps) {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const response = await emulator.fetch(baseUrl + path, { method, headers, body: text, redirect: 'manual' })
      expect([path, method, response.status]).toEqual([path, method, status])
    }
  })

  it('a body that is not UTF-8', async () => {
    const { emulator } = createBench()
    const body = Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])
    const response = await post(emulator, '/api/v1/payment', body)
    const expected = { message: 'The body is not JSON in UTF-8', args: [] }
    expect([response.status, await response.json()]).toEqual([400, expected])
  })

  const [signed, plainly] = ['SCHEME-HMAC-SHA1 KEY:SIGNATURE', 'SCHEME KEY:SECRET']
  it.each([
    ['plain', 'payment', plainly],
    ['per-endpoint', 'payment', signed],
    ['either', 'payment', `${signed} or ${plainly}`],
    ['either', 'capture', plainly],
  ] as const)(
    'which credentials authentication %s wants at %s, without repeating any',
    async (authentication, name, wanted) => {
      const { emulator } = createBench({ authentication })
      for (const [auth, why] of [
        [' ', 'is missing'],
        ['SVC emulator-api-key:guess', `has a wrong scheme, secret or signature; this endpoint wants ${wanted}`],
        ['SVC nobody:guess', `has a wrong key; this endpoint wants ${wanted}`],
      ]) {
        const headers = { ...plain(emulator), 'X-API-AUTH': auth ?? '' }
        const response = await post(emulator, `/api/v1/${name}`, hosted(emulator), headers)
        expect(await response.json()).toMatchObject({ message: `Invalid credentials: X-API-AUTH ${why}` })
      }
      const wrong = await post(emulator, '/api/v1/capture', {}, { ...plain(emulator), 'X-API-KEY': 'guess' })
      expect(await wrong.json()).toMatchObject({ message: 'Invalid credentials: X-API-KEY is missing or wrong' })
    },
  )
})

it('in a direct payment too, spaces are not part of a card number', async () => {
  const bench = createBench()
  const spaced = direct(bench.emulator, { cc_number: '4111 1111 1111 1111' })
  const record = (await (await post(bench.emulator, '/api/v1/payment', spaced)).json()) as Json
  expect([record.status, record.status_code, record.cc_mask]).toEqual(['failure', '4144', null])
})

it('customer data comes back as documented text, or null, from a cancellation', async () => {
  const bench = createBench()
  const odd = { customer_ip: 5, customer_zzz: { a: 1 }, customer_city: 'Kyiv', customer_fname: undefined }
  await openCheckout(bench.emulator, odd)
  const record = await cancel(bench)
  expect(record).toMatchObject({ customer_city: 'Kyiv', customer_ip: null, customer_fname: null, customer_id: null })
  expect(record).not.toHaveProperty('customer_zzz')
  expect(await payDirect(bench, { order_id: 'B', customer_zzz: [1] })).not.toHaveProperty('customer_zzz')
})
