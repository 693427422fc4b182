import { expect, it } from 'vitest'
import { FAULT_KINDS } from '../../src/emulator/faults/fault.ts'
import { createRandom } from '../../src/testing/random.ts'
import { isLong } from '../support/environment.ts'
import { SEED } from '../support/property.ts'
import { cardForm, createBench, direct, type Json, openCheckout, post, submit } from './call.ts'
import { CONTROL, readJson } from './control.ts'

/** No control request, however wrong, brings the emulator into a state in which a payment fails or that `reset` does not cure. */

const TEXTS = 'A S H 5ms 1e9 1000 4153 2001 credit UAH checkout token capture-payment webhook after_commit'.split(' ')
const NUMBERS = [0, -1, 1, 2.5, 1e21, 1e308, -1e308, 5e-324, 300_000, 9007199254740991]
const OTHERS = [null, true, false, {}, [[]], { '\ud83d': 1 }]
const ODD_TEXTS = ['', '\u0000', '😀', '\ud83d', 'x\udc00', `${'x'.repeat(59)}😀😀`, '/_emulator\nx: я']
const TIMES = ['2026-02-01T00:00:00Z', '9999-12-31T23:59:59Z']
const VALUES: unknown[] = [...TEXTS, ...NUMBERS, ...OTHERS, ...ODD_TEXTS, ...TIMES]
const FAULT_FIELDS = 'ms when on order_id status_code status body retryAfter pieces constructor'.split(' ')
const SERVICES = ['payment', 'split/purchase', 'capture', 'refund', 'void']
const PARAMETERS = 'order_id description payload server_url split init_recurring amount mode method'.split(' ')
const PAGES = ['', ...'?q=A /requests /webhooks /webhooks?failed /faults /cards /connect /openapi.json'.split(' ')]

type Listed = { method: string; path: string; fields: string[]; body: Json }
type Request = { path: string; body: Json }

const withEach = (
  path: string,
  body: Json,
  fields: string[],
  set = (more: Json) => ({ ...body, ...more }),
): Request[] => fields.flatMap((field) => VALUES.map((value) => ({ path, body: set({ [field]: value }) })))

it(`every field of a control request with every value, in any order (seed ${SEED})`, { timeout: 900_000 }, async () => {
  const random = createRandom(SEED)
  const { emulator } = createBench({ retryDelaysMs: [1000], fetch: async () => new Response(null, { status: 500 }) })
  const { operations } = await readJson<{ operations: Listed[] }>(emulator, '')
  const requests = operations
    .filter(({ method }) => method === 'POST')
    .flatMap(({ path, body, fields }) => [{ path, body }, ...withEach(path, body, [...fields, 'constructor'])])
  const faults = FAULT_KINDS.flatMap((kind) =>
    withEach('/_emulator/api/faults', {}, FAULT_FIELDS, (more) => ({ next: { kind, ...more } })),
  )
  const services = SERVICES.flatMap((name) => withEach(`/api/v1/${name}`, direct(emulator), PARAMETERS))

  /** No page fails, whatever was sent. */
  const opensEveryPage = async (): Promise<void> => {
    const orders = [...emulator.orders.list().slice(-5), { order_id: 'none' }]
    const paths = [
      ...PAGES,
      ...orders.map(({ order_id }) => `/orders?order_id=${encodeURIComponent(order_id)}`),
      ...emulator
        .requests()
        .slice(-20)
        .map(({ id }) => `/requests/${id}`),
      ...emulator.deliveries.slice(-5).map(({ id }) => `/webhooks/${id}`),
    ]
    for (const path of paths) expect([200, 404], path).toContain((await emulator.fetch(CONTROL + path)).status)
  }
  const prepare = async (): Promise<void> => {
    emulator.reset()
    const init_recurring = { interval_unit: 'year', interval_count: 1 }
    await post(emulator, '/api/v1/payment', direct(emulator, { order_id: 'A', method: 'auth' }))
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
  let accepted = 0
  const all = isLong ? faults : random.shuffled(faults).slice(0, 2000)
  for (const [index, request] of random.shuffled([...requests, ...all, ...services]).entries()) {
    if (index % 500 === 0) {
      await opensEveryPage()
      await prepare()
      await pays(`after-${index}`)
    }
    // A fault must not hold up what comes next.
    if (request.path.startsWith('/api/')) emulator.faults.clear()
    const order = 'order_id' in request.body && random.chance(0.5) ? { order_id: random.pick(['A', 'S', 'H']) } : {}
    const body = { ...request.body, ...order }
    const what = `${request.path} ${JSON.stringify(body)}`
    const response = await post(emulator, request.path, body).catch((cause) =>
      Promise.reject(new Error(what, { cause })),
    )
    expect([200, 303, 400, 401, 404], what).toContain(response.status)
    // valibot's own texts repeat what came and name no field.
    expect(await response.text(), what).not.toMatch(
      /Invalid (type|key|format|length)|\[object|Cannot read|is not a function/,
    )
    if (response.ok) accepted++
  }
  await opensEveryPage()
  await pays('last')
  // The requests are not all rejected: a part of them has to get through.
  expect(accepted).toBeGreaterThan(requests.length / 20)
})
