import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { type Bench, createBench, direct, type Json, plain, post } from './call.ts'
import { DAILY, paid, payDirect } from './conformance/samples.ts'
import { CONTROL, command, read, readJson } from './control.ts'

/** A wrong control request is rejected whole, with a sentence that helps, and leaves nothing behind. */

const send = ({ emulator }: Bench, name: string, body: unknown, type?: string) => command(emulator, name, body, type)

async function pays(bench: Bench, order_id: string): Promise<void> {
  expect(await payDirect(bench, { order_id })).toMatchObject({ order_id, status: 'success' })
}

const WRONG_FAULTS: [unknown, RegExp][] = [
  [{ kind: 'delay', ms: '60s' }, /ms: must be a number/],
  [{ kind: 'reset', when: 'after_comit' }, /Unknown time "after_comit"\. Did you mean "after_commit"\?/],
  [{ kind: 'reset', wen: 'after_commit' }, /Unknown fault field "wen"\. Did you mean "when"\?/],
  [{ kind: 'server_error', status: 999 }, /status: must be a whole number from 500 to 599/],
  [{ kind: 'latency', ms: [400, 100] }, /milliseconds/],
  [{ kind: 'status_code', status_code: '12' }, /four digits/],
  [{ kind: 'status_code' }, /status_code is required/],
  [{ kind: 'resset' }, /Did you mean "reset"\?/],
  [{ kind: 'reset', on: 'capturePayment' }, /Unknown place "capturePayment"\. Did you mean "capture-payment"/],
  [{ kind: 'drop', on: 'capture-payment' }, /drop can be set on: webhook\./],
  [{ kind: 'server_error', on: 'webhook' }, /server_error can be set on: create-/],
  [{ kind: 'null_fee', on: 'get-account' }, /null_fee can be set on: create-/],
  [{ kind: 'reset', on: 'list-accounts', order_id: 'A-1' }, /A request of list-accounts names no order/],
  [null, /A fault is an object/],
]

describe('faults', () => {
  it.each(WRONG_FAULTS)('%j is rejected, and sets nothing', async (fault, message) => {
    const bench = createBench()
    for (const body of [{ next: fault }, { rate: fault, probability: 1 }]) {
      const { status, json } = await send(bench, 'faults', body)
      expect([status, String(json.error)]).toEqual([400, expect.stringMatching(message)])
    }
    expect(bench.emulator.faults.list()).toEqual({ next: [], rates: [] })
    expect(() => bench.emulator.faults.next(fault as never)).toThrow(message)
    expect(() => bench.emulator.faults.rate(fault as never, 0.5)).toThrow(message)
    await pays(bench, 'A')
  })

  it('can wait ten thousand at most', async () => {
    const bench = createBench()
    for (let i = 0; i < 10; i++) bench.emulator.faults.next({ kind: 'drop' }, 1000)
    expect(() => bench.emulator.faults.next({ kind: 'drop' })).toThrow(/More than 10000/)
    expect(() => bench.emulator.faults.rate({ kind: 'drop' }, 1.5)).toThrow('probability')
    for (const probability of [0.5, 0]) bench.emulator.faults.rate({ kind: 'drop' }, probability)
    expect(bench.emulator.faults.list().rates).toEqual([])
  })

  it('fire for one order alone, found by its subscription too, and leave a trace', async () => {
    const bench = createBench()
    const { emulator } = bench
    emulator.faults.next({ kind: 'server_error', order_id: 'B' })
    await pays(bench, 'A')
    expect((await post(emulator, '/api/v1/payment', direct(emulator, { order_id: 'B' }))).status).toBe(503)
    const trace = emulator.orders.get('B')?.timeline.map(({ what }) => what)
    expect(trace).toContain('fault server_error fired on create-payment')
    emulator.faults.next({ kind: 'server_error', on: 'cancel-recurring', order_id: 'D' })
    for (const order_id of ['C', 'D']) {
      const { recurring } = await payDirect(bench, { order_id, init_recurring: DAILY })
      const url = `${emulator.credentials.apiUrl}/api/v1/recurring/${(recurring as Json).id}/cancel`
      await emulator.fetch(url, { method: 'PUT', headers: plain(emulator) })
    }
    const fired = [
      { kind: 'server_error', on: 'create-payment', order_id: 'B' },
      { kind: 'server_error', on: 'cancel-recurring', order_id: 'D' },
    ]
    expect(emulator.faults.fired()).toMatchObject(fired)
  })

  it('are not used up by a request that is rejected', async () => {
    const bench = createBench()
    const { emulator } = bench
    emulator.faults.next({ kind: 'reset', when: 'after_commit' })
    emulator.faults.next({ kind: 'too_many_requests' })
    const url = `${emulator.credentials.baseUrl}/api/v1/payment`
    expect((await emulator.fetch(url)).status).toBe(405)
    expect((await post(emulator, '/api/v1/payment', direct(emulator), {})).status).toBe(401)
    expect(emulator.faults.list().next).toHaveLength(2)
    expect((await post(emulator, '/api/v1/payment', direct(emulator))).status).toBe(429)
    expect((await post(emulator, '/api/v1/payment', direct(emulator, { amount: -1 }))).status).toBe(400)
    expect(emulator.faults.list().next).toHaveLength(1)
    await expect(post(emulator, '/api/v1/payment', direct(emulator))).rejects.toMatchObject({ committed: true })
  })

  it('latency waits for a number or a range of milliseconds', async () => {
    const bench = createBench({ latencyMs: [1, 3] })
    bench.emulator.faults.next({ kind: 'latency', ms: 20 })
    const before = performance.now()
    await pays(bench, 'A')
    expect(performance.now() - before).toBeGreaterThanOrEqual(20)
  })
})

const DROP = { kind: 'drop' }
const CREDIT = { method: 'credit', order_id: 'C', amount: 5, currency: 'UAH' }

describe('actions', () => {
  it.each([
    ['faults', { nxt: DROP }, /Unknown faults field "nxt"\. Did you mean "next"\?/],
    ['faults', { clear: false }, /clear: must be true/],
    ['faults', { next: DROP, times: 0 }, /times/],
    ['faults', { next: DROP, times: 1_000_000_000 }, /times/],
    ['faults', { next: DROP, rate: { kind: 'nope' }, probability: 0.5 }, /one of next, rate or clear/],
    ['faults', { rate: DROP }, /belong together/],
    ['faults', { rate: DROP, probability: 2 }, /probability/],
    ['faults', [], /must be an object, not an array/],
    ['clock', { years: 300_000 }, /to the end of the year 9998/],
    ['clock', { years: 31 }, /at most 30 years/],
    ['clock', { days: -3 }, /^days: /],
    ['clock', { days: 'many' }, /^days: /],
    ['clock', { set: '2026-02-30T00:00:00Z' }, /is not a time/],
    ['clock', { set: '2026-01-31T10:00:00' }, /is not a time/],
    ['clock', { set: '2026-02-01T00:00:00Z', days: 1 }, /give one of set, to/],
    ['clock', { days: 1, wait: 'no' }, /^wait: must be true or false/],
    ['refund', { order_id: 'A', amuont: 5 }, /Unknown refund field "amuont"\. Did you mean "amount"\?/],
    ['payment', { method: 'credit', amount: 5 }, /order_id is required.*currency is required/],
    ['payment', { ...CREDIT, currency: 'dollars' }, /ISO 4217/],
    ['payment', { ...CREDIT, status_code: 'z' }, /four digits/],
    ['payment', { ...CREDIT, pos_id: 'z' }, /Unknown payment field/],
    ['payment', { ...CREDIT, order_id: '\ud83d' }, /^order_id must be well-formed Unicode/],
    ['expire', { order_id: 'A', what: 'checkuot' }, /Did you mean "checkout"/],
    ['expire', { order_id: 'A', what: 'checkout' }, /has no checkout/],
    ['expire', { order_id: 'A', what: '3ds' }, /has no 3ds/],
    ['expire', { order_id: 'A', what: 'authorization' }, /has no authorization/],
    ['conclude', { order_id: 'A', status_code: 'x' }, /four digits/],
    ['void', { order_id: 'A' }, /is not an authorized payment/],
    ['void', { order_id: 'none' }, /No order has the order_id "none"/],
    ['refund', { order_id: 'A', amount: 100.51 }, /100\.5 left to refund/],
    ['refund', { order_id: 'A', amount: 0.001 }, /amount: must be a positive number/],
    ['auth_increment', { order_id: 'A', amount: 1 }, /is not an authorized payment/],
    ['cancel_recurring', { order_id: 'A' }, /is not recurring/],
    ['charge', { order_id: 'A' }, /no active subscription/],
    ['cancel', { order_id: 'A' }, /not an unpaid hosted payment/],
    ['payment', { ...CREDIT, method: 'purchase' }, /Unknown method "purchase"/],
    ['payment', { ...CREDIT, order_id: 'A' }, /was used before/],
    ['resend', { id: 'none' }, /No delivery has the id none/],
  ] as const)('%s %j is rejected, and nothing is half done', async (name, body, message) => {
    const bench = createBench()
    const { orders, deliveries, faults, requests, clock } = bench.emulator
    await pays(bench, 'A')
    const state = () => JSON.stringify([orders.list(), deliveries.length, faults.list(), clock.now()])
    const before = state()
    const { status, json } = await send(bench, name, body)
    expect([status, String(json.error)]).toEqual([400, expect.stringMatching(message)])
    expect(requests().at(-1)?.reason).toMatch(message)
    expect(state()).toBe(before)
  })

  it('what is rejected over HTTP is rejected in process', async () => {
    const { emulator } = await paid({ method: 'auth' })
    const { control, orders } = emulator
    for (const [name, message, ...input] of [
      ['capturePayment', 'Did you mean "status_code"?', 'A-1', 1, { status_cod: '4153' }],
      ['voidPayment', 'status_code: must be a string.', 'A-1', { status_code: 1000 }],
      ['refundPayment', 'Did you mean "transaction_id"?', 'A-1', 1, { transactionId: 'x' }],
      ['conclude', 'status_code: must be a status code of four digits.', 'A-1', 'zz'],
      ['expire', 'Did you mean "token"?', 'A-1', 'tokn'],
      ['createPayment', 'payment must be an object', undefined],
    ] as const) {
      expect(() => (control[name] as (...input: unknown[]) => unknown)(...input)).toThrow(message)
    }
    expect([orders.list().length, orders.get('A-1')?.operations]).toEqual([1, []])
  })

  it('JSON is read whatever its content type', async () => {
    const bench = createBench()
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/octet-stream']) {
      const { status, json } = await send(bench, 'faults', { next: { kind: 'drop' } }, type)
      expect([type, status, json.next]).toEqual([type, 200, [{ kind: 'drop' }]])
      bench.emulator.faults.clear()
    }
    expect((await send(bench, 'clock', '{"days":')).json.error).toMatch(/The body is not JSON/)
  })
})

describe('what can be done describes itself', () => {
  it('GET /_emulator/api and the OpenAPI file have each operation, with an example that is accepted', async () => {
    const { emulator } = createBench()
    type Operation = { method: string; path: string; body?: Json; query?: string; does: string }
    type Body = { requestBody: { content: Record<string, { schema: Json }> } }
    const { operations } = await readJson<{ operations: Operation[] }>(emulator, '')
    const openApi = JSON.parse(await read(emulator, '/openapi.json'))
    const paths = openApi.paths as Record<string, Record<string, Body>>
    for (const { method, path, body, query = '', does } of operations) {
      expect(does).toMatch(/^[A-Z].*\.$/)
      expect(paths[path]).toHaveProperty(method.toLowerCase())
      const init = method === 'GET' ? {} : { method, body: JSON.stringify(body) }
      const response = await emulator.fetch(`http://emulator.localhost${path}${query.replace('10s', '1ms')}`, init)
      // The order of an example need not exist; its fields have to be right.
      const missing = /No order has the order_id|No delivery has the id|No webhook of kind purchase|snapshot is damaged/
      if (!response.ok) expect(await response.text()).toMatch(missing)
    }
    const schemaOf = (name: string) =>
      paths[`/_emulator/api/${name}`]?.post?.requestBody.content['application/json']?.schema
    const refund = { type: 'object', required: ['order_id'], additionalProperties: false }
    expect(schemaOf('refund')).toMatchObject({ ...refund, properties: { amount: { type: 'number' } } })
    const what = { enum: ['checkout', '3ds', 'authorization', 'token'] }
    expect([openApi.openapi, schemaOf('expire')]).toMatchObject(['3.1.0', { properties: { what } }])
  })

  it('an unknown operation, verb, query or order names what was probably meant', async () => {
    const { emulator } = createBench()
    for (const [path, status, error] of [
      ['ordrs', 404, 'Did you mean "orders"?'],
      ['void', 405, 'Allowed here: POST.'],
      ['orders?oder_id=A', 400, 'Did you mean "order_id"?'],
      ['orders?order_id=A', 404, 'No order has the order_id "A".'],
      ['deliveries?wait=soon', 400, 'a time like 500ms'],
    ] as const) {
      const response = await emulator.fetch(`${CONTROL}/api/${path}`)
      const says = { error: expect.stringContaining(error) }
      expect([response.status, await response.json()]).toMatchObject([status, says])
    }
  })
})

it.each([
  [{ sed: 7 }, /Unknown emulator option field "sed"\. Did you mean "seed"\?/],
  [{ seed: 'x' }, /seed: must be a whole number/],
  [{ authentication: 'documented' }, /Unknown authentication "documented"/],
  [{ retryDelaysMs: [-1] }, /retryDelaysMs/],
  [{ maxCapturePercent: 99 }, /maxCapturePercent: must be a number from 100/],
  [{ origin: 'http://x/path' }, /origin: must be scheme, host and port alone/],
  [{ credentials: { posId: 'x' } }, /credentials.posId: must be a UUID/],
  [{ credentials: { secret: 'x' } }, /Unknown credential field "secret"/],
  [{ clock: {} }, /clock: must be an object with a function now/],
  [{ clock: { now: () => Number.NaN } }, /milliseconds since the epoch/],
  [{ latencyMs: [5] }, /latencyMs: must be milliseconds/],
  [{ expiry: { checkout: 5 } }, /Did you mean "checkoutMs"/],
])('createEmulator rejects %j', (options, message) => {
  expect(() => createEmulator(options as never)).toThrow(message)
  expect(() => createEmulator(options as never)).toThrow(TypeError)
})
