import { expect, it } from 'vitest'
import { isLong } from '../support/environment.ts'
import { SEED } from '../support/property.ts'
import { createRandom } from '../worker/support/random.ts'
import { cardForm, createBench, direct, type Json, openCheckout, post, submit } from './call.ts'

/** No control request, however wrong, brings the emulator into a state in which a payment fails or that `reset` does not cure. */

const SIZE = isLong ? 100_000 : 10_000
/** Beside the names and fields that the API lists: what it has not, and what a fault has. */
const MORE_NAMES = ['orders', 'deliveries', 'nothing', '__proto__']
const MORE_FIELDS = 'id ms kind when on body constructor'.split(' ')
const KINDS = 'reset delay body slow_body duplicate drop reorder server_error status_code latency'.split(' ')
const SERVICE_FIELDS =
  'order_id description customer_id payload server_url split init_recurring amount mode method'.split(' ')
const PATHS = ['/api/v1/payment', '/api/v1/split/purchase', '/api/v1/capture', '/api/v1/refund', '/api/v1/void']
const TEXTS = 'A S H 60s 1e9 1000 4153 2001 credit UAH checkout token capture-payment webhook after_commit'.split(' ')
const NUMBERS = [0, -0, -1, 1, 2.5, 1e21, 1e308, -1e308, 5e-324, 300_000, 9007199254740991, NaN]
const OTHERS = [null, true, false, [], {}, [[]], '', '\u0000', '😀', '\ud83d', 'x\udc00', { '\ud83d': 1 }]
const TIMES = ['2026-02-01T00:00:00Z', '9999-12-31T23:59:59Z']
const VALUES: unknown[] = [...TEXTS, ...NUMBERS, ...OTHERS, ...TIMES, ...KINDS, 'x'.repeat(300)]

interface Listed {
  method: string
  path: string
  fields: string[]
  body: Json
}

it(`${SIZE} control requests (seed ${SEED})`, { timeout: 900_000 }, async () => {
  const next = createRandom(SEED)
  const random = (below: number): number => Math.floor(next() * below)
  const { emulator } = createBench({ retryDelaysMs: [1000], fetch: async () => new Response(null, { status: 500 }) })
  const { baseUrl } = emulator.credentials
  const listed = await emulator.fetch(`${baseUrl}/_emulator/api`)
  const { operations } = (await listed.json()) as { operations: Listed[] }
  const examples = operations
    .filter(({ method }) => method === 'POST')
    .map(({ path, body }) => ({ name: path.replace('/_emulator/api/', ''), body }))
  const names = [...examples.map(({ name }) => name), ...MORE_NAMES]
  const keys = [...new Set(operations.flatMap(({ fields }) => fields)), ...MORE_FIELDS]
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
  const object = (depth: number): Json => {
    return Object.fromEntries(Array.from({ length: random(4) }, () => [pick(keys), value(depth)] as const))
  }
  const value = (depth: number): unknown => {
    if (depth > 0 && random(4) === 0) return random(2) === 0 ? object(depth - 1) : { kind: pick(KINDS), ...object(0) }
    return pick(VALUES)
  }

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

  /** Now and then what the API itself suggests, as it is or with one field changed, or nonsense. */
  const request = (): { name: string; body: unknown } => {
    const kind = random(4)
    if (kind > 1) return { name: pick(names), body: random(30) === 0 ? pick(VALUES) : object(2) }
    const { name, body } = pick(examples)
    const order = 'order_id' in body ? { order_id: pick(['A', 'S', 'H', `X-${random(9)}`]) } : {}
    return { name, body: { ...body, ...order, ...(kind === 0 ? {} : { [pick(keys)]: value(1) }) } }
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
      const body = { ...direct(emulator, { order_id: `F-${i}` }), ...object(1), [pick(SERVICE_FIELDS)]: value(1) }
      const { status } = await post(emulator, pick(PATHS), body)
      if (![200, 303, 400, 401, 404].includes(status)) throw new Error(`${i}: ${JSON.stringify(body)}: ${status}`)
    }
    const { name, body: asked } = request()
    const isForm = random(5) === 0
    const fields = Object.entries(asked ?? {}).map(([key, entry]) => [
      key,
      typeof entry === 'string' ? entry : JSON.stringify(entry),
    ])
    const body = isForm ? new URLSearchParams(fields).toString() : (JSON.stringify(asked) ?? '')
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
