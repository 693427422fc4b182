import { describe, expect, it } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../src/emulator/index.ts'
import { type Bench, createBench, direct, type Json, post, START } from './call.ts'

/** A wrong control request is rejected whole, with a sentence that helps, and leaves nothing behind that `reset` does not cure. */

const API = 'http://emulator.localhost/_emulator/api'
const FORM = 'application/x-www-form-urlencoded'

async function send({ emulator }: Bench, name: string, body: unknown, type = 'application/json') {
  const response = await emulator.fetch(`${API}/${name}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, text, json: JSON.parse(text === '' ? 'null' : text) as Json }
}

async function pays(bench: Bench, order_id: string): Promise<void> {
  const response = await post(bench.emulator, '/api/v1/payment', direct(bench.emulator, { order_id }))
  expect(await response.json()).toMatchObject({ order_id, status: 'success' })
}

const WRONG_FAULTS: [unknown, RegExp][] = [
  [{ kind: 'delay', ms: '60s' }, /ms: must be a number/],
  [{ kind: 'delay', ms: '60000' }, /ms: must be a number/],
  [{ kind: 'reset', when: 'after_comit' }, /Unknown time "after_comit"\. Did you mean "after_commit"\?/],
  [{ kind: 'reset', wen: 'after_commit' }, /Unknown fault field "wen"\. Did you mean "when"\?/],
  [{ kind: 'server_error', status: 999 }, /status: must be a whole number from 500 to 599/],
  [{ kind: 'server_error', status: 200 }, /status: must be a whole number from 500 to 599/],
  [{ kind: 'body', body: 'foo' }, /Unknown body "foo"/],
  [{ kind: 'slow_body', pieces: -5 }, /pieces: must be a whole number from 1/],
  [{ kind: 'duplicate', times: 'x' }, /times: must be a whole number/],
  [{ kind: 'duplicate', times: -1 }, /times: must be a whole number/],
  [{ kind: 'too_many_requests', retryAfter: -1 }, /retryAfter: must be a whole number from 0/],
  [{ kind: 'latency', ms: [1] }, /milliseconds/],
  [{ kind: 'latency', ms: [400, 100] }, /milliseconds/],
  [{ kind: 'status_code', status_code: 1000 }, /status_code: must be a string\./],
  [{ kind: 'status_code', status_code: '12' }, /four digits/],
  [{ kind: 'status_code' }, /status_code is required/],
  [{ kind: 'fire' }, /Unknown fault kind "fire"\. Expected one of: reset/],
  [{ kind: 'resset' }, /Did you mean "reset"\?/],
  [null, /A fault is an object/],
  ['drop', /A fault is an object/],
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
    await pays(bench, 'A')
  })

  const drop = { kind: 'drop' }
  it.each([
    [{ nxt: drop }, /Unknown faults field "nxt"\. Did you mean "next"\?/],
    [{ clear: false }, /clear: must be true/],
    [{ next: drop, times: 0 }, /times/],
    [{ next: drop, times: -3 }, /times/],
    [{ next: drop, times: 2.5 }, /times/],
    [{ next: drop, times: 1_000_000_000 }, /times/],
    [{ next: drop, rate: { kind: 'nope' }, probability: 0.5 }, /one of next, rate or clear/],
    [{ rate: drop }, /belong together/],
    [{ rate: drop, probability: 2 }, /probability/],
    [{ next: drop, probability: 0.5 }, /belong together/],
    [{}, /one of next, rate or clear/],
    [[], /must be an object, not an array/],
  ])('%j is rejected, and nothing is half done', async (body, message) => {
    const bench = createBench()
    const { status, json } = await send(bench, 'faults', body)
    expect([status, String(json.error)]).toEqual([400, expect.stringMatching(message)])
    expect(bench.emulator.faults.list()).toEqual({ next: [], rates: [] })
  })

  it('can wait ten thousand at most', async () => {
    const bench = createBench()
    for (let i = 0; i < 10; i++) bench.emulator.faults.next({ kind: 'drop' }, 1000)
    expect(() => bench.emulator.faults.next({ kind: 'drop' })).toThrow(/More than 10000/)
  })

  it('fire for one order alone, and leave a trace', async () => {
    const bench = createBench()
    bench.emulator.faults.next({ kind: 'server_error', order_id: 'B' })
    await pays(bench, 'A')
    expect((await post(bench.emulator, '/api/v1/payment', direct(bench.emulator, { order_id: 'B' }))).status).toBe(503)
    const trace = bench.emulator.orders.get('B')?.timeline.map(({ what }) => what)
    expect(trace).toContain('fault server_error fired on create-payment')
    expect(bench.emulator.faults.fired()).toMatchObject([{ kind: 'server_error', on: 'create-payment', order_id: 'B' }])
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

describe('the clock', () => {
  it.each([
    { years: 300_000 },
    { ms: 1e308 },
    { days: 1e6 },
    { days: -3 },
    { months: 0.5 },
    { days: null },
    { days: 'many' },
    { day: 1 },
    { weeks: 1, fortnights: 1 },
    { set: 'tomorrow' },
    { set: '5' },
    { set: '2026-02-30T00:00:00Z' },
    { set: '2026-01-31T10:00:00' },
    { set: '2026-02-01T00:00:00Z', days: 1 },
    { set: '9999-01-01T00:00:00Z' },
    { days: 1, wait: 'no' },
  ])('%j is rejected, and the time stays', async (body) => {
    const bench = createBench()
    expect((await send(bench, 'clock', body)).status).toBe(400)
    expect(bench.emulator.clock.now()).toBe(START)
    await pays(bench, 'A')
  })

  it('names the unit that was probably meant', async () => {
    const { json } = await send(createBench(), 'clock', { dayz: 1 })
    expect(json.error).toMatch(/Unknown clock field "dayz"\. Did you mean "days"\?/)
    await expect(createBench().emulator.clock.advance({ minuts: 1 } as never)).rejects.toThrow(/Did you mean "minutes"/)
  })

  it('with "wait": false rejects what is wrong, too', async () => {
    const bench = createBench()
    expect((await send(bench, 'clock', { days: -3, wait: false })).status).toBe(400)
    expect((await send(bench, 'clock', { days: 1, wait: false })).status).toBe(200)
  })

  it('parallel advances add up while a webhook is under way', async () => {
    let release: () => void = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const fetch: NonNullable<EmulatorOptions['fetch']> = async () => held.then(() => new Response())
    const bench = createBench({ fetch })
    await pays(bench, 'A')
    const calls = Array.from({ length: 5 }, () => send(bench, 'clock', { days: 1 }))
    release()
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(bench.emulator.clock.now()).toBe(START + 5 * 86_400_000)
  })

  it('can be set forward, doing what falls due, and back', async () => {
    const bench = createBench()
    bench.emulator.faults.next({ kind: 'delay', ms: 60_000 })
    await pays(bench, 'A')
    expect((await send(bench, 'clock', { set: '2026-01-31T10:05:00Z' })).json).toEqual({ now: START + 300_000 })
    expect(bench.received).toHaveLength(1)
    expect((await send(bench, 'clock', { set: '2026-01-01T00:00:00Z' })).json).toEqual({ now: Date.UTC(2026, 0, 1) })
    await expect(bench.emulator.clock.set('never')).rejects.toThrow(/is not a time/)
  })

  it('a receiver can move the clock without waiting for itself', async () => {
    const bench: Bench = createBench({
      webhookTimeoutMs: 2000,
      fetch: async () => {
        const { status } = await send(bench, 'clock', { days: 1, wait: false })
        return new Response(null, { status })
      },
    })
    await pays(bench, 'A')
    await bench.emulator.deliveries.idle()
    expect(bench.emulator.deliveries[0]?.attempts).toMatchObject([{ status: 200 }])
    await bench.emulator.clock.advance({})
    expect(bench.emulator.clock.now()).toBe(START + 86_400_000)
  })
})

describe('actions', () => {
  it.each([
    ['refund', { order_id: 'A', amuont: 5 }, /Unknown refund field "amuont"\. Did you mean "amount"\?/],
    ['refund', { order_id: 'A', amount: '5' }, /amount: must be a number/],
    ['refund', { order: 'A' }, /Did you mean "order_id"/],
    ['void', { order_id: 'A', amount: 1 }, /Unknown void field "amount"/],
    ['payment', { method: 'credit', amount: 5 }, /order_id is required.*currency is required/],
    ['payment', { method: 'credit', order_id: 7, amount: 5, currency: 'UAH' }, /order_id: must be a string/],
    ['payment', { method: 'credit', order_id: 'C', amount: 5, currency: 'dollars' }, /ISO 4217/],
    ['payment', { method: 'credit', order_id: 'C', amount: 5, currency: 'UAH', server_url: 'nonsense' }, /server_url/],
    ['payment', { method: 'credit', order_id: 'C', amount: 5, currency: 'UAH', pos_id: 'z' }, /Unknown payment field/],
    ['payment', { method: 'credi', order_id: 'C', amount: 5, currency: 'UAH' }, /Did you mean "credit"/],
    ['expire', { order_id: 'A', what: 'checkuot' }, /Did you mean "checkout"/],
    ['conclude', { order_id: 'A', status_code: 'x' }, /four digits/],
    ['reset', { hard: true }, /Unknown reset field "hard"/],
    ['resend', { id: 'none' }, /No delivery has the id none/],
  ] as const)('%s %j is rejected', async (name, body, message) => {
    const bench = createBench()
    await pays(bench, 'A')
    const before = JSON.stringify([bench.emulator.orders.list(), bench.emulator.deliveries.length])
    const { status, json } = await send(bench, name, body)
    expect([status, String(json.error)]).toEqual([400, expect.stringMatching(message)])
    expect(JSON.stringify([bench.emulator.orders.list(), bench.emulator.deliveries.length])).toBe(before)
  })

  it('JSON is read whatever its content type', async () => {
    const bench = createBench()
    for (const type of [FORM, 'text/plain', 'application/octet-stream']) {
      const { status, json } = await send(bench, 'faults', { next: { kind: 'drop' } }, type)
      expect([type, status, json.next]).toEqual([type, 200, [{ kind: 'drop' }]])
      bench.emulator.faults.clear()
    }
    expect((await send(bench, 'clock', '{"days":')).json.error).toMatch(/The body is not JSON/)
  })
})

describe('what can be done describes itself', () => {
  it('GET /_emulator/api lists each operation with an example that is accepted', async () => {
    const { emulator } = createBench()
    const { operations } = (await (await emulator.fetch(API)).json()) as {
      operations: { method: string; path: string; body?: Json; query?: string; does: string }[]
    }
    expect(operations.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/_emulator/api/clock', '/_emulator/api/refund', '/_emulator/api/credentials']),
    )
    for (const { method, path, body, query = '', does } of operations) {
      expect(does).toMatch(/^[A-Z].*\.$/)
      const init = method === 'GET' ? {} : { method, body: JSON.stringify(body) }
      const response = await emulator.fetch(`http://emulator.localhost${path}${query.replace('10s', '1ms')}`, init)
      // The order of an example need not exist; its fields have to be right.
      if (!response.ok)
        expect(await response.text()).toMatch(
          /No order has the order_id|No delivery has the id|No webhook of kind purchase|The snapshot is damaged/,
        )
    }
  })

  it('an unknown operation, query or order names what was probably meant', async () => {
    const { emulator } = createBench()
    const read = async (path: string) => {
      const response = await emulator.fetch(`${API}/${path}`)
      return [response.status, ((await response.json()) as Json).error]
    }
    expect(await read('ordrs')).toEqual([404, expect.stringContaining('Did you mean "orders"?')])
    expect(await read('orders?oder_id=A')).toEqual([400, expect.stringContaining('Did you mean "order_id"?')])
    expect(await read('orders?order_id=A')).toEqual([404, 'No order has the order_id "A".'])
    expect(await read('deliveries?wait=soon')).toEqual([400, expect.stringContaining('a time like 500ms')])
  })
})

describe('createEmulator', () => {
  it.each([
    [{ sed: 7 }, /Unknown emulator option field "sed"\. Did you mean "seed"\?/],
    [{ seed: 'x' }, /seed: must be a whole number/],
    [{ authentication: 'documented' }, /Unknown authentication "documented"/],
    [{ customerFields: 'yes' }, /customerFields/],
    [{ retryDelaysMs: [-1] }, /retryDelaysMs/],
    [{ maxCapturePercent: 99 }, /maxCapturePercent: must be a number from 100/],
    [{ origin: 'http://x/path' }, /origin: must be scheme, host and port alone/],
    [{ credentials: { posId: 'x' } }, /credentials.posId: must be a UUID/],
    [{ credentials: { secret: 'x' } }, /Unknown credential field "secret"/],
    [{ clock: {} }, /clock: must be an object with a function now/],
    [{ clock: { now: () => Number.NaN } }, /milliseconds since the epoch/],
    [{ latencyMs: [5] }, /latencyMs: must be milliseconds/],
    [{ expiry: { checkout: 5 } }, /Did you mean "checkoutMs"/],
  ])('%j is rejected', (options, message) => {
    expect(() => createEmulator(options as never)).toThrow(message)
    expect(() => createEmulator(options as never)).toThrow(TypeError)
  })
})

describe('reset gives back the start', () => {
  it('ids, accounts, clock and random faults included', async () => {
    const day = async (bench: Bench): Promise<string> => {
      bench.emulator.faults.rate({ kind: 'duplicate' }, 0.5)
      for (const order_id of ['A', 'B', 'C']) await pays(bench, order_id)
      await bench.emulator.clock.advance({ months: 2 })
      bench.emulator.control.refundPayment('A', 1)
      await bench.emulator.deliveries.idle()
      const { orders, deliveries, clock, faults } = bench.emulator
      return JSON.stringify([orders.list(), deliveries, clock.now(), faults.fired()])
    }
    const bench = createBench()
    const first = await day(bench)
    expect((await send(bench, 'reset', {})).json).toEqual({ reset: true })
    expect(bench.emulator.clock.now()).toBe(START)
    expect(await day(bench)).toBe(first)
    expect(await day(createBench())).toBe(first)
  })

  it('also while the clock is being moved', async () => {
    const bench = createBench()
    await pays(bench, 'A')
    const moving = bench.emulator.clock.advance({ days: 1 })
    bench.emulator.reset()
    await moving
    expect(bench.emulator.clock.now()).toBe(START)
  })
})

describe('waiting for webhooks', () => {
  const deliveries = async ({ emulator }: Bench, query: string): Promise<Json[]> =>
    (await emulator.fetch(`${API}/deliveries?${query}`)).json() as Promise<Json[]>

  it('ends as soon as the order has as many as are asked for', async () => {
    const bench = createBench()
    const waiting = deliveries(bench, 'wait=60s&order_id=B&count=2')
    await pays(bench, 'A')
    await pays(bench, 'B')
    bench.emulator.control.refundPayment('B')
    expect((await waiting).map(({ event }) => (event as Json).method)).toEqual(['purchase', 'refund'])
    expect(await deliveries(bench, 'wait=60s&order_id=A')).toHaveLength(1)
  })

  it('ends when the time is over', async () => {
    expect(await deliveries(createBench(), 'wait=5ms&order_id=A')).toEqual([])
  })
})
