import { describe, expect, it } from 'vitest'
import { testCard } from '../../src/emulator/index.ts'
import { createBench, direct, hosted, type Json, plain, post, SPLIT } from './call.ts'

// What public clients send where the API document is silent: taken with a note, and a 400 under `strict`.

type Bench = ReturnType<typeof createBench>
const LONG = 'x'.repeat(33)

async function paid(bench: Bench, more: Json = {}, path = '/api/v1/payment'): Promise<void> {
  const response = await bench.emulator.fetch(`${bench.emulator.credentials.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...plain(bench.emulator) },
    body: JSON.stringify(direct(bench.emulator, more)),
  })
  expect(response.status).toBe(200)
}

const auth = (bench: Bench) => paid(bench, { method: 'auth' })
const common = (bench: Bench) => ({ pos_id: bench.emulator.credentials.posId, order_id: 'A-1' })
const uah = { order_currency: 'UAH' }

/** Each: what is prepared, path, body, the field of its note, and what it leads to. */
const TAKEN: [string, (bench: Bench) => Promise<void>, string, (bench: Bench) => Json, string, Json][] = [
  [
    'a refund with text',
    paid,
    '/api/v1/refund',
    () => ({ ...uah, refund_amount: '40.25' }),
    'refund_amount',
    { amount: 40.25 },
  ],
  [
    'a split refund with text',
    (bench) => paid(bench, { split: SPLIT }, '/api/v1/split/purchase'),
    '/api/v1/split/refund',
    () => ({ currency: 'UAH', refund_amount: 5, split: [{ ...SPLIT[0], amount: '5.00' }] }),
    'split[0].amount',
    { amount: 5 },
  ],
  [
    'a split capture with currency',
    auth,
    '/api/v1/split/capture',
    () => ({ currency: 'UAH', charge_amount: 5, split: [{ ...SPLIT[0], amount: 5 }] }),
    'order_currency',
    { amount: 5, currency: 'UAH' },
  ],
  [
    'a void with an empty address',
    auth,
    '/api/v1/void',
    () => ({ ...uah, server_url: '' }),
    'server_url',
    { method: 'void' },
  ],
  ...['credit', 'lookup', 'p2p'].map((method): (typeof TAKEN)[number] => [
    method,
    async () => {},
    '/api/v1/payment',
    () => ({ method, amount: 5, currency: 'UAH', cc_number: testCard('success') }),
    'method',
    { method, mode: 'direct', status: 'success' },
  ]),
  [
    'an empty e-mail',
    async () => {},
    '/api/v1/payment',
    ({ emulator }) => direct(emulator, { customer_email: '' }),
    'customer_email',
    { status: 'success' },
  ],
  [
    'an empty country',
    async () => {},
    '/api/v1/payment',
    ({ emulator }) => direct(emulator, { customer_country: '' }),
    'customer_country',
    { status: 'success' },
  ],
  [
    'split on an auth',
    async () => {},
    '/api/v1/payment',
    ({ emulator }) => direct(emulator, { method: 'auth', split: SPLIT }),
    'split',
    { method: 'auth' },
  ],
  [
    'a sum of parts',
    async () => {},
    '/api/v1/split/purchase',
    ({ emulator }) => direct(emulator, { split: [SPLIT[0] as Json] }),
    'split',
    { status: 'success' },
  ],
  [
    'an id that cannot be captured',
    async () => {},
    '/api/v1/payment',
    ({ emulator }) => direct(emulator, { order_id: LONG, method: 'auth' }),
    'order_id',
    { order_id: LONG },
  ],
  [
    'a port',
    async () => {},
    '/api/v1/payment',
    ({ emulator }) => direct(emulator, { server_url: 'https://shop.example:3000/' }),
    'server_url',
    { status: 'success' },
  ],
  [
    'an unknown 3-D Secure option',
    async () => {},
    '/api/v1/payment',
    ({ emulator }) => direct(emulator, { order_3ds_bypass: 'xyz' }),
    'order_3ds_bypass',
    { status: 'success' },
  ],
]

describe.each(TAKEN)('%s', (_, prepare, path, body, field, result) => {
  it('is taken with a note, in the list, on the pages, in the timeline and in the activity', async () => {
    const seen: string[] = []
    const bench = createBench({ onActivity: (one) => one.type === 'note' && seen.push(one.field) })
    const { emulator } = bench
    await prepare(bench)
    const before = emulator.notes.length
    const response = await post(emulator, path, { ...common(bench), ...body(bench) })
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining(result)])
    expect(emulator.notes.slice(before).map((one) => one.field)).toEqual([field])
    expect(seen).toContain(field)
    const [{ text = '', order_id = '', request_id = '' } = {}] = emulator.notes.slice(before)
    const read = async (page: string) => (await emulator.fetch(`http://emulator.localhost/_emulator${page}`)).text()
    for (const page of ['', `/orders?order_id=${order_id}`, `/requests/${request_id}`]) {
      expect((await read(page)).replaceAll('&#39;', "'")).toContain(text)
    }
    expect(JSON.parse(await read(`/api/notes?order_id=${order_id}`))).toContainEqual(emulator.notes[before])
    expect(emulator.orders.get(order_id ?? '')?.timeline).toContainEqual(
      expect.objectContaining({ what: text, note: true }),
    )
  })

  it('is a 400 under strict, and changes nothing', async () => {
    const bench = createBench({ strict: true })
    await prepare(bench)
    const before = JSON.stringify(bench.emulator.orders.list())
    const response = await post(bench.emulator, path, { ...common(bench), ...body(bench) })
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
  const bench = createBench({ captureContentType })
  await auth(bench)
  const body = new Blob([JSON.stringify({ ...common(bench), ...uah })])
  const headers = { ...plain(bench.emulator), ...(type && { 'content-type': type }) }
  const response = await bench.emulator.fetch(`${bench.emulator.credentials.baseUrl}/api/v1/capture`, {
    method: 'POST',
    headers,
    body,
  })
  expect([response.status, bench.emulator.notes.map(({ field }) => field)]).toEqual([
    status,
    status === 200 ? ['content-type'] : [],
  ])
})

it("the API document's own rules stay as strict: a capture with text, an empty amount, a private port without a note", async () => {
  const bench = createBench()
  await auth(bench)
  const send = (path: string, more: Json) => post(bench.emulator, path, { ...common(bench), ...uah, ...more })
  expect((await send('/api/v1/capture', { charge_amount: '5' })).status).toBe(400)
  expect((await send('/api/v1/refund', { refund_amount: '' })).status).toBe(400)
  expect((await send('/api/v1/capture', { server_url: 'http://127.0.0.1:3000/hook' })).status).toBe(200)
  expect(bench.emulator.notes).toEqual([])
})

it('a hosted lookup leads to the checkout page', async () => {
  const { emulator } = createBench()
  const body = {
    pos_id: emulator.credentials.posId,
    mode: 'hosted',
    method: 'lookup',
    order_id: 'L',
    amount: '1',
    currency: 'UAH',
  }
  const response = await post(emulator, '/api/v1/payment', body)
  expect([response.status, response.headers.get('location')]).toEqual([303, expect.stringContaining('/checkout/')])
  expect(emulator.notes.map(({ field }) => field)).toEqual(['method', 'amount'])
})
