import { expect, it } from 'vitest'
import { givenSeed, isLong } from '../support/environment.ts'
import { cardForm, createBench, direct, type Json, openCheckout, post, submit } from './call.ts'

/** No control request, however wrong, brings the emulator into a state in which a payment fails or that `reset` does not cure. */

const SIZE = isLong ? 100_000 : 10_000
const NAMES = ['clock', 'faults', 'capture', 'void', 'refund', 'auth_increment', 'charge', 'cancel', 'cancel_recurring']
const MORE_NAMES = ['conclude', 'expire', 'payment', 'resend', 'reset', 'orders', 'deliveries', 'nothing', '__proto__']
const KEYS = [
  ...[
    'order_id',
    'amount',
    'status_code',
    'transaction_id',
    'what',
    'method',
    'currency',
    'server_url',
    'id',
    'next',
    'rate',
  ],
  ...[
    'times',
    'probability',
    'clear',
    'set',
    'wait',
    'ms',
    'days',
    'months',
    'years',
    'kind',
    'when',
    'on',
    'body',
    'constructor',
  ],
]
const KINDS = [
  'reset',
  'delay',
  'body',
  'slow_body',
  'duplicate',
  'drop',
  'reorder',
  'server_error',
  'status_code',
  'latency',
]
const FIELDS = [
  'order_id',
  'description',
  'customer_id',
  'payload',
  'server_url',
  'split',
  'init_recurring',
  'amount',
  'mode',
  'method',
]
const PATHS = ['/api/v1/payment', '/api/v1/split/purchase', '/api/v1/capture', '/api/v1/refund', '/api/v1/void']
const VALUES: unknown[] = [
  ...['\ud83d', 'x\udc00', { '\ud83d': 1 }],
  ...[null, true, false, 0, -0, -1, 1, 2.5, 1e21, 1e308, -1e308, 5e-324, 300_000, 9007199254740991],
  ...[
    '',
    'A',
    'S',
    'H',
    '60s',
    '1e9',
    '1000',
    '4153',
    '2001',
    'credit',
    'UAH',
    'checkout',
    'token',
    '9999-12-31T23:59:59Z',
  ],
  ...[
    '2026-02-01T00:00:00Z',
    'capture-payment',
    'webhook',
    'after_commit',
    '\u0000',
    '😀',
    'x'.repeat(300),
    [],
    {},
    [[]],
    NaN,
  ],
  ...KINDS,
]

/** mulberry32 */
function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

it(`${SIZE} control requests`, { timeout: 900_000 }, async () => {
  const seed = givenSeed ?? Math.floor(Math.random() * 2 ** 31)
  console.log(`control-fuzz: EDGETILL_SEED=${seed}`)
  const random = randomOf(seed)
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
  const object = (depth: number): Json => {
    const entries = Array.from({ length: random(4) }, () => [pick(KEYS), value(depth)] as const)
    return Object.fromEntries(entries)
  }
  const value = (depth: number): unknown => {
    if (depth > 0 && random(4) === 0) return random(2) === 0 ? object(depth - 1) : { kind: pick(KINDS), ...object(0) }
    return pick(VALUES)
  }
  const bench = createBench({ retryDelaysMs: [1000], fetch: async () => new Response(null, { status: 500 }) })
  const { emulator } = bench
  const { baseUrl } = emulator.credentials

  /** No page fails, whatever was sent. */
  const opensEveryPage = async (): Promise<void> => {
    const ids = [...emulator.orders.list().slice(-5), { order_id: 'none' }].map(({ order_id }) =>
      encodeURIComponent(order_id),
    )
    const paths = [
      ...['', '/requests', '/webhooks', '/webhooks?failed', '/faults', '/cards', '/connect', '/openapi.json', '?q=A'],
      ...ids.map((id) => `/orders?order_id=${id}`),
      ...emulator.requests.slice(-20).map(({ id }) => `/requests/${id}`),
      ...emulator.deliveries.slice(-5).map(({ id }) => `/webhooks/${id}`),
    ]
    for (const path of paths) {
      const { status } = await emulator.fetch(`${baseUrl}/_emulator${path}`)
      if (status !== 200 && status !== 404) throw new Error(`${path}: ${status}`)
    }
  }

  const prepare = async (): Promise<void> => {
    emulator.reset()
    bench.received.length = 0
    await post(emulator, '/api/v1/payment', direct(emulator, { order_id: 'A', method: 'auth' }))
    const init_recurring = { interval_unit: 'year', interval_count: 1 }
    await post(emulator, '/api/v1/payment', direct(emulator, { order_id: 'S', init_recurring }))
    await openCheckout(emulator, { order_id: 'H' })
  }
  /** Whatever was set before: after `faults.clear()` a payment succeeds, on both ways, and its webhook is signed. */
  const pays = async (order_id: string): Promise<void> => {
    emulator.faults.clear()
    const response = await post(emulator, '/api/v1/payment', direct(emulator, { order_id, exp_year: 9999 }))
    expect(await response.json()).toMatchObject({ order_id, status: 'success' })
    const form = await openCheckout(emulator, { order_id: `${order_id}-hosted` })
    await submit(emulator, form, cardForm('success', { exp_year: '9999' }))
    expect(emulator.orders.get(`${order_id}-hosted`)?.status).toBe('success')
    expect(emulator.deliveries.at(-1)?.body).toMatch(/^data=[\w%-]+&signature=[\w%-]+$/)
  }

  const list = await (await emulator.fetch(`${baseUrl}/_emulator/api`)).json()
  const examples = (list as { operations: { method: string; path: string; body: Json }[] }).operations
    .filter(({ method }) => method === 'POST')
    .map(({ path, body }) => ({ name: path.replace('/_emulator/api/', ''), body }))
  /** Now and then what the API itself suggests, as it is or with one field changed, or nonsense. */
  const request = (): { name: string; body: unknown } => {
    const kind = random(4)
    if (kind > 1) return { name: pick([...NAMES, ...MORE_NAMES]), body: random(30) === 0 ? pick(VALUES) : object(2) }
    const { name, body } = pick(examples)
    const order = 'order_id' in body ? { order_id: pick(['A', 'S', 'H', `X-${random(9)}`]) } : {}
    return { name, body: { ...body, ...order, ...(kind === 0 ? {} : { [pick(KEYS)]: value(1) }) } }
  }

  const seen = new Map<number, number>()
  for (let i = 0; i < SIZE; i++) {
    if (i % 500 === 0) {
      if (i > 0) {
        await opensEveryPage()
        await pays(`after-${i}`)
      }
      await prepare()
    }
    // The services too: what they reject is shown by the pages as well.
    if (i % 5 === 0) {
      const body = { ...direct(emulator, { order_id: `F-${i}` }), ...object(1), [pick(FIELDS)]: value(1) }
      const { status } = await post(emulator, pick(PATHS), body)
      if (![200, 303, 400, 401, 404].includes(status)) throw new Error(`${i}: ${JSON.stringify(body)}: ${status}`)
    }
    const { name, body: asked } = request()
    const isForm = random(5) === 0
    const body = isForm
      ? new URLSearchParams(
          Object.entries(asked ?? {}).map(([key, entry]) => [
            key,
            typeof entry === 'string' ? entry : JSON.stringify(entry),
          ]),
        ).toString()
      : (JSON.stringify(asked) ?? '')
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
    const init = { method: 'POST', headers: { 'content-type': type }, body, redirect: 'manual' } as const
    const what = `${i}: POST ${name} ${body}`
    const response = await emulator.fetch(`${baseUrl}/_emulator/api/${name}`, init).catch((error: unknown) => {
      throw new Error(`${what} threw ${String(error)}`, { cause: error })
    })
    if (![200, 303, 400, 404, 405].includes(response.status)) throw new Error(`${what}: ${response.status}`)
    const text = await response.text()
    // valibot's own texts repeat what came and name no field.
    if (/Invalid (type|key|format|length)|undefined|\[object|Cannot (read|destructure)|is not a function/.test(text))
      throw new Error(`${what}: ${text}`)
    seen.set(response.status, (seen.get(response.status) ?? 0) + 1)
  }
  await pays('last')
  // The requests are not all rejected: a part of them has to get through.
  expect(seen.get(200) ?? 0).toBeGreaterThan(SIZE / 20)
  expect(seen.get(400) ?? 0).toBeGreaterThan(SIZE / 10)
})
