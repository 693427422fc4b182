import { describe, expect, it } from 'vitest'
import { testCard } from '../../src/emulator/index.ts'
import { type Bench, createBench, direct, hosted, type Json, plain, post, SPLIT } from './call.ts'
import { paid, payDirect, sendResend } from './conformance/samples.ts'
import { read } from './control.ts'

// Requests of public clients where the API document is silent: taken with a note, and a 400 under `strict`.

const LONG = 'x'.repeat(33)

const common = (bench: Bench) => ({ pos_id: bench.emulator.credentials.posId, order_id: 'A-1' })
const uah = { order_currency: 'UAH' }

/** The preparation, the path, the body. */
type Request = [prepare: (bench: Bench) => Promise<unknown>, path: string, body: (bench: Bench) => Json]

const purchase = (bench: Bench) => payDirect(bench)
const paidSplit = (bench: Bench) => payDirect(bench, { split: SPLIT }, '/api/v1/split/purchase')
const auth = (bench: Bench) => payDirect(bench, { method: 'auth' })
const secondary = (prepare: Request[0], name: string, more: Json): Request => {
  return [prepare, `/api/v1/${name}`, (bench) => ({ ...common(bench), ...more })]
}
const payment = (more: Json, name = 'payment'): Request => {
  return [async () => {}, `/api/v1/${name}`, ({ emulator }) => direct(emulator, more)]
}
const LOOKUP = { method: 'lookup', amount: 5, currency: 'UAH', cc_number: testCard('success') }
const lookup = secondary(async () => {}, 'payment', LOOKUP)
const REFUND = { ...uah, refund_amount: '40.25' }
const parts = (amount: unknown) => ({ currency: 'UAH', split: [{ ...SPLIT[0], amount }] })
const refundedParts = secondary(paidSplit, 'split/refund', { refund_amount: 5, ...parts('5.00') })
const capturedParts = secondary(auth, 'split/capture', { charge_amount: 5, ...parts(5) })
const PAID = { status: 'success' }

/** Each: the request, the field of its note, and what it leads to. */
const TAKEN: [string, Request, field: string, Json][] = [
  ['a refund with text', secondary(purchase, 'refund', REFUND), 'refund_amount', { amount: 40.25 }],
  ['a split refund with text', refundedParts, 'split[0].amount', { amount: 5 }],
  ['a split capture with currency', capturedParts, 'order_currency', { amount: 5, currency: 'UAH' }],
  ['an empty address', secondary(auth, 'void', { ...uah, server_url: '' }), 'server_url', { method: 'void' }],
  ['a lookup', lookup, 'method', { method: 'lookup', mode: 'direct', status: 'success' }],
  ['an empty e-mail', payment({ customer_email: '' }), 'customer_email', PAID],
  ['an empty country', payment({ customer_country: '' }), 'customer_country', PAID],
  ['split on an auth', payment({ method: 'auth', split: SPLIT }), 'split', { method: 'auth' }],
  ['a sum of parts', payment({ split: [SPLIT[0]] }, 'split/purchase'), 'split', PAID],
  ['an id that cannot be captured', payment({ order_id: LONG, method: 'auth' }), 'order_id', { order_id: LONG }],
  ['a port', payment({ server_url: 'https://shop.example:3000/' }), 'server_url', PAID],
  ['an unknown 3-D Secure option', payment({ order_3ds_bypass: 'xyz' }), 'order_3ds_bypass', PAID],
]

describe.each(TAKEN)('%s', (_, [prepare, path, body], field, result) => {
  it('is taken with a note, in the list, on the pages, in the timeline and in the activity', async () => {
    const seen: string[] = []
    const bench = createBench({ onActivity: (one) => one.type === 'note' && seen.push(one.field) })
    const { emulator } = bench
    await prepare(bench)
    const before = emulator.notes.length
    const response = await post(emulator, path, body(bench))
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining(result)])
    expect(emulator.notes.slice(before).map((one) => one.field)).toEqual([field])
    expect(seen).toContain(field)
    const [{ text = '', order_id = '', request_id = '' } = {}] = emulator.notes.slice(before)
    for (const page of ['', `/orders?order_id=${order_id}`, `/requests/${request_id}`]) {
      expect((await read(emulator, page)).replaceAll('&#39;', "'")).toContain(text)
    }
    expect(JSON.parse(await read(emulator, `/api/notes?order_id=${order_id}`))).toContainEqual(emulator.notes[before])
    expect(emulator.orders.get(order_id ?? '')?.timeline).toContainEqual(
      expect.objectContaining({ what: text, note: true }),
    )
  })

  it('is a 400 under strict, and changes nothing', async () => {
    const bench = createBench({ strict: true })
    await prepare(bench)
    const before = JSON.stringify(bench.emulator.orders.list())
    const response = await post(bench.emulator, path, body(bench))
    const { args } = (await response.json()) as { args: Json[] }
    expect([response.status, args.map(({ field_name }) => field_name)]).toEqual([400, [field]])
    expect([JSON.stringify(bench.emulator.orders.list()), bench.emulator.notes]).toEqual([before, []])
  })
})

it('a missing customer field is a 400 under strict', async () => {
  const { emulator } = createBench({ strict: true })
  const response = await post(emulator, '/api/v1/payment', hosted(emulator, { customer_patronym: undefined }))
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('customer_patronym')])
})

it.each([
  ['any', undefined, 200],
  ['any', 'application/x-www-form-urlencoded', 200],
  ['json', undefined, 406],
] as const)('a capture under captureContentType %s with the type %s: %i', async (captureContentType, type, status) => {
  const bench = await paid({ method: 'auth' }, { captureContentType })
  const body = new Blob([JSON.stringify({ ...common(bench), ...uah })])
  const headers = { ...plain(bench.emulator), ...(type && { 'content-type': type }) }
  const url = `${bench.emulator.credentials.baseUrl}/api/v1/capture`
  const response = await bench.emulator.fetch(url, { method: 'POST', headers, body })
  const fields = bench.emulator.notes.map(({ field }) => field)
  expect([response.status, fields]).toEqual([status, status === 200 ? ['content-type'] : []])
})

it('amounts as text: a DECIMAL(15,5) at refund, any at capture under captureContentType any', async () => {
  const bench = await paid({ method: 'auth' }, { captureContentType: 'any' })
  const send = (path: string, more: Json) => post(bench.emulator, path, { ...common(bench), ...uah, ...more })
  expect((await send('/api/v1/capture', { charge_amount: '30.10000' })).status).toBe(200)
  expect((await send('/api/v1/refund', { refund_amount: '20.10000' })).status).toBe(200)
  expect((await send('/api/v1/refund', { refund_amount: '0.10001' })).status).toBe(400)
  expect(bench.emulator.notes.map(({ field }) => field)).toEqual(['charge_amount', 'refund_amount'])
})

it('a request that was signed with another digest is told so', async () => {
  const { emulator } = createBench()
  const { scheme, apiKey } = emulator.credentials
  const headers = { ...plain(emulator), 'X-API-AUTH': `${scheme}-HMAC-SHA256 ${apiKey}:00` }
  const response = await post(emulator, '/api/v1/payment', '{}', headers)
  const why = expect.stringContaining('was signed with -HMAC-SHA256')
  expect([response.status, await response.text()]).toEqual([401, why])
})

it("the API document's own rules stay as strict: a capture with text, an empty amount, a private port without a note", async () => {
  const bench = await paid({ method: 'auth' })
  const send = (path: string, more: Json) => post(bench.emulator, path, { ...common(bench), ...uah, ...more })
  expect((await send('/api/v1/capture', { charge_amount: '5' })).status).toBe(400)
  expect((await send('/api/v1/refund', { refund_amount: '' })).status).toBe(400)
  expect((await send('/api/v1/capture', { server_url: 'http://127.0.0.1:3000/hook' })).status).toBe(200)
  expect(bench.emulator.notes).toEqual([])
})

it('a hosted lookup leads to the checkout page', async () => {
  const { emulator } = createBench()
  const input = { mode: 'hosted', method: 'lookup', order_id: 'L', amount: '1', currency: 'UAH' }
  const response = await post(emulator, '/api/v1/payment', { pos_id: emulator.credentials.posId, ...input })
  expect([response.status, response.headers.get('location')]).toEqual([303, expect.stringContaining('/checkout/')])
  expect(emulator.notes.map(({ field }) => field)).toEqual(['method', 'amount'])
})

it('a re-send takes callback=1 and the transactionId of a single payment, with a note for each', async () => {
  const bench = await paid()
  const id = bench.emulator.orders.get('A-1')?.payments[0]?.transaction_id
  const before = bench.emulator.notes.length
  expect((await sendResend(bench, 'purchase', `callback=1&transactionId=${id}`)).status).toBe(200)
  expect(bench.emulator.notes.slice(before).map(({ field }) => field)).toEqual(['callback', 'transactionId'])
  for (const query of ['callback=2', 'callback=1&callback=1', '']) {
    expect([query, (await sendResend(bench, 'purchase', query)).status]).toEqual([query, 400])
  }
})

it.each([
  ['auth', 32, false],
  ['auth', 33, true],
  ['purchase', 33, false],
])('a direct %s with an order_id of %i characters: a note is %s', async (method, length, isNoted) => {
  const bench = createBench()
  await payDirect(bench, { method, order_id: 'x'.repeat(length) })
  const note = `order_id has ${length} characters; a capture takes at most 32.`
  expect(bench.emulator.notes.some(({ text }) => text === note)).toBe(isNoted)
})
