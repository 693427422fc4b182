import { describe, expect, it } from 'vitest'
import { cardForm, createBench, decode, direct, type Json, openCheckout, plain, post, submit } from './call.ts'

const CONTROL = 'http://emulator.localhost/_emulator'

async function command(
  bench: ReturnType<typeof createBench>,
  name: string,
  body: unknown = {},
): Promise<[number, Json]> {
  const response = await bench.emulator.fetch(`${CONTROL}/api/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return [response.status, (await response.json()) as Json]
}

async function read(bench: ReturnType<typeof createBench>, name: string): Promise<unknown> {
  return (await bench.emulator.fetch(`${CONTROL}/api/${name}`)).json()
}

describe('the control API', () => {
  it('advances the clock, and says what time it is', async () => {
    const bench = createBench()
    expect(await command(bench, 'clock', { months: 1, hours: '2' })).toEqual([200, { now: Date.UTC(2026, 1, 28, 12) }])
    expect(await read(bench, 'clock')).toEqual({ now: Date.UTC(2026, 1, 28, 12) })
    expect((await command(bench, 'clock', { days: 'many' }))[0]).toBe(400)
  })

  it('reads orders, deliveries and credentials', async () => {
    const bench = createBench()
    await post(bench.emulator, '/api/v1/payment', direct(bench.emulator))
    await post(bench.emulator, '/api/v1/payment', direct(bench.emulator, { order_id: 'a/b ?' }))
    await bench.emulator.deliveries.idle()
    expect(await read(bench, 'orders')).toHaveLength(2)
    expect(await read(bench, `orders?order_id=${encodeURIComponent('a/b ?')}`)).toMatchObject({ order_id: 'a/b ?' })
    const unknown = await bench.emulator.fetch(`${CONTROL}/api/orders?order_id=none`)
    expect([unknown.status, await unknown.json()]).toEqual([404, { error: 'No order has the order_id "none".' }])
    expect(await read(bench, 'deliveries?order_id=A-1')).toMatchObject([
      { order_id: 'A-1', attempts: [{ status: 200 }] },
    ])
    expect(await read(bench, 'credentials')).toEqual(bench.emulator.credentials)
  })

  it('makes void, refund, increment, the end of a subscription and other payments happen', async () => {
    const bench = createBench()
    const { emulator, received } = bench
    await post(emulator, '/api/v1/payment', direct(emulator, { order_id: 'R', method: 'auth' }))
    expect((await command(bench, 'auth_increment', { order_id: 'R', amount: 2.5 }))[1]).toMatchObject({ amount: 2.5 })
    expect((await command(bench, 'void', { order_id: 'R' }))[1]).toMatchObject({ method: 'void', amount: 103 })
    await post(emulator, '/api/v1/payment', direct(emulator, { order_id: 'P' }))
    expect((await command(bench, 'refund', { order_id: 'P', amount: 0.5 }))[1]).toMatchObject({ amount: 0.5 })
    expect((await command(bench, 'refund', { order_id: 'P' }))[1]).toMatchObject({ amount: 100 })
    const recurring = { init_recurring: { interval_unit: 'day', interval_count: 1 }, order_id: 'S' }
    await post(emulator, '/api/v1/payment', direct(emulator, recurring))
    expect(await command(bench, 'cancel_recurring', { order_id: 'S' })).toEqual([200, { status: 'canceled' }])
    const credit = { method: 'credit', order_id: 'C', amount: 7, currency: 'USD' }
    expect((await command(bench, 'payment', credit))[1]).toMatchObject({ method: 'credit', status: 'success' })
    await emulator.deliveries.idle()
    expect(received.map(({ event }) => event.method)).toEqual(
      expect.arrayContaining(['auth', 'auth_increment', 'void', 'purchase', 'refund', 'refund', 'credit']),
    )
  })

  it('rejects what cannot be', async () => {
    const bench = createBench()
    await post(bench.emulator, '/api/v1/payment', direct(bench.emulator))
    for (const [name, body] of [
      ['void', { order_id: 'A-1' }],
      ['void', { order_id: 'none' }],
      ['refund', { order_id: 'A-1', amount: 100.51 }],
      ['refund', { order_id: 'A-1', amount: 0.001 }],
      ['refund', {}],
      ['auth_increment', { order_id: 'A-1', amount: 1 }],
      ['cancel_recurring', { order_id: 'A-1' }],
      ['payment', { method: 'purchase', order_id: 'X', amount: 1, currency: 'UAH' }],
      ['payment', { method: 'credit', order_id: 'A-1', amount: 1, currency: 'UAH' }],
      ['resend', { id: 'none' }],
      ['faults', { next: { kind: 'fire' } }],
      ['faults', { next: null }],
      ['faults', { next: { kind: 'reset', on: 'capturePayment' } }],
      ['faults', { next: { kind: 'reset', on: 'webhook' } }],
      ['faults', { rate: { kind: 'drop', on: 'capture-payment' }, probability: 1 }],
      ['faults', []],
      ['clock', { minute: 1 }],
      ['clock', { hours: 1, minute: 1 }],
    ] as const) {
      const [status, answer] = await command(bench, name, body)
      expect([name, status, typeof answer.error]).toEqual([name, 400, 'string'])
    }
    expect(await read(bench, 'faults')).toEqual({ next: [], rates: [], fired: [] })
    expect((await command(bench, 'fire'))[0]).toBe(404)
    expect((await bench.emulator.fetch(`${CONTROL}/api/void`)).status).toBe(405)
    expect((await bench.emulator.fetch(`${CONTROL}/api/orders`, { method: 'POST' })).status).toBe(405)
  })

  it('rejects in process what it rejects over HTTP', async () => {
    const { emulator } = createBench()
    const { control } = emulator
    await post(emulator, '/api/v1/payment', direct(emulator, { method: 'auth' }))
    const payment = { method: 'credit', order_id: 'C', amount: 5, currency: 'UAH' } as const
    for (const [action, message] of [
      [
        () => control.capturePayment('A-1', 1, { status_code: 'zz' }),
        'status_code: must be a status code of four digits.',
      ],
      [() => control.voidPayment('A-1', { status_code: 1000 as never }), 'status_code: must be a string.'],
      [
        () => control.capturePayment('A-1', 1, { status_cod: '4153' } as never),
        'Unknown outcome field "status_cod". Did you mean "status_code"?',
      ],
      [() => control.incrementAuth('A-1', 1, { statusCode: '4153' } as never), 'Unknown outcome field "statusCode".'],
      [() => control.chargeRecurring('A-1', { code: '4153' } as never), 'Unknown outcome field "code".'],
      [
        () => control.refundPayment('A-1', 1, { transactionId: 'x' } as never),
        'Unknown outcome field "transactionId". Did you mean "transaction_id"?',
      ],
      [() => control.refundPayment('A-1', 1, { transaction_id: 1 as never }), 'transaction_id: must be a string.'],
      [() => control.voidPayment('A-1', { transaction_id: 'x' } as never), 'Unknown outcome field "transaction_id".'],
      [() => control.conclude('A-1', 'zz'), 'status_code: must be a status code of four digits.'],
      [() => control.expire('A-1', 'tokn' as never), 'Did you mean "token"?'],
      [() => control.createPayment({ ...payment, method: 'purchase' as never }), 'Unknown method "purchase"'],
      [() => control.createPayment({ ...payment, pos_id: 'zzz' } as never), 'Unknown payment field "pos_id"'],
      [
        () => control.createPayment({ ...payment, status_code: 'zz' }),
        'status_code: must be a status code of four digits.',
      ],
      [() => control.createPayment(undefined as never), 'payment must be an object'],
    ] as const) {
      expect(action).toThrow(message)
    }
    expect([emulator.orders.list().length, emulator.orders.get('A-1')?.operations]).toEqual([1, []])
  })

  it('forgets what is under way, too', async () => {
    const bench = createBench({ retryDelaysMs: [1000] })
    bench.answers.push(500)
    await post(bench.emulator, '/api/v1/payment', direct(bench.emulator))
    bench.emulator.reset()
    await bench.emulator.clock.advance({ hours: 1 })
    expect(bench.received).toHaveLength(1)
  })

  it('forgets what waits for its turn: nothing of it reaches the next test', async () => {
    const asked: string[] = []
    const activities: string[] = []
    const bench = createBench({
      onActivity: ({ type }) => activities.push(type),
      fetch: (input, init) => {
        asked.push(String(input))
        return new Promise((_, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
        })
      },
    })
    const { emulator } = bench
    emulator.faults.next({ kind: 'duplicate' })
    const addresses = { server_url: 'https://shop.example/hook', validation_url: 'https://shop.example/check' }
    await post(emulator, '/api/v1/payment', direct(emulator, { method: 'auth', ...addresses }))
    await post(emulator, '/api/v1/capture', {
      pos_id: emulator.credentials.posId,
      order_id: 'A-1',
      order_currency: 'UAH',
    })
    expect(asked.sort()).toEqual(['https://shop.example/check', 'https://shop.example/hook'])
    emulator.reset()
    activities.length = 0
    await emulator.deliveries.idle()
    expect([asked.length, activities]).toEqual([2, []])
  })

  it('scripts faults, sends again, and forgets everything', async () => {
    const bench = createBench()
    expect((await command(bench, 'faults', { next: { kind: 'duplicate' } }))[1]).toMatchObject({
      next: [{ kind: 'duplicate' }],
    })
    await command(bench, 'faults', { rate: { kind: 'delay', ms: 5 }, probability: 0 })
    await post(bench.emulator, '/api/v1/payment', direct(bench.emulator))
    await bench.emulator.deliveries.idle()
    const id = bench.emulator.deliveries[0]?.id
    expect((await command(bench, 'resend', { id }))[1]).toMatchObject({ status: 200 })
    expect(bench.received).toHaveLength(3)
    await command(bench, 'reset')
    expect([bench.emulator.orders.list(), bench.emulator.deliveries.length]).toEqual([[], 0])
    expect((await post(bench.emulator, '/api/v1/payment', direct(bench.emulator))).status).toBe(200)
  })

  it("is closed to another site's page", async () => {
    const { emulator } = createBench()
    const response = await emulator.fetch(`${CONTROL}/api/reset`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site' },
    })
    expect(response.status).toBe(403)
  })
})

describe('the control page', () => {
  it("shows orders and an order's timeline and deliveries, all of it escaped", async () => {
    const { emulator } = createBench()
    const order_id = '<b>&"\''
    await submit(emulator, await openCheckout(emulator, { order_id }), cardForm('three_d_secure'))
    await emulator.deliveries.idle()
    const overview = await (await emulator.fetch(CONTROL)).text()
    expect(overview).toContain('&lt;b&gt;&amp;&quot;&#39;')
    expect(overview).toContain('href="/_emulator/connect"')
    const address = `${CONTROL}/orders?order_id=${encodeURIComponent(order_id)}`
    const page = await (await emulator.fetch(address)).text()
    expect(page).toContain('checkout')
    expect(page).toContain('purchase pending (2122, 3-D Secure verification')
    expect(page).toContain('Send again')
    for (const text of [overview, page]) expect(text).not.toMatch(/<b>|<script(?! src=)/)
    expect((await emulator.fetch(`${CONTROL}/orders?order_id=none`)).status).toBe(404)
  })

  it('has buttons that work: they post forms and come back', async () => {
    const { emulator, received } = createBench()
    await post(emulator, '/api/v1/payment', direct(emulator))
    await emulator.deliveries.idle()
    const back = '/_emulator/orders?order_id=A-1'
    const id = emulator.deliveries[0]?.id ?? ''
    const sent = await submit(emulator, `${CONTROL}/api/resend`, new URLSearchParams({ id, return_to: back }))
    expect([sent.status, sent.headers.get('location')]).toEqual([303, back])
    expect(received).toHaveLength(2)
    const elsewhere = new URLSearchParams({ return_to: 'https://evil.example/', days: '1' })
    expect((await submit(emulator, `${CONTROL}/api/clock`, elsewhere)).headers.get('location')).toBe('/_emulator')
    const refused = await submit(emulator, `${CONTROL}/api/void`, new URLSearchParams({ order_id: 'A-1' }))
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('is not an authorized payment'),
    ])
    await submit(emulator, `${CONTROL}/api/faults`, new URLSearchParams({ fault: 'drop' }))
    expect(emulator.faults.list().next).toEqual([{ kind: 'drop' }])
  })

  it('receipt_url leads to a receipt', async () => {
    const { emulator } = createBench()
    const record = (await (await post(emulator, '/api/v1/payment', direct(emulator))).json()) as Json
    expect(await (await emulator.fetch(String(record.receipt_url))).text()).toContain('100.50 UAH')
    expect((await emulator.fetch(`${CONTROL}/receipts/none`)).status).toBe(404)
  })
})

describe('what emulator.fetch is called with', () => {
  it('a Request with bindings and a context, as a Worker gets them: deliveries are announced', async () => {
    const { emulator, received } = createBench()
    const waiting: Promise<unknown>[] = []
    const context = { waitUntil: (work: Promise<unknown>) => waiting.push(work) }
    const request = new Request(`${emulator.credentials.baseUrl}/api/v1/payment`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...plain(emulator) },
      body: JSON.stringify(direct(emulator)),
    })
    const bindings = { method: 'a binding of that name', STATE: {} }
    expect((await emulator.fetch(request, bindings as never, context)).status).toBe(200)
    expect(waiting).toHaveLength(1)
    await Promise.all(waiting)
    expect(received.map(({ form }) => decode(form.get('data') ?? '').status)).toEqual(['success'])
  })

  it('a Request and an init, as fetch is', async () => {
    const { emulator } = createBench()
    const request = new Request(
      `${emulator.credentials.apiUrl}/api/v1/balances/pos/${emulator.credentials.posId}/accounts`,
    )
    expect((await emulator.fetch(request)).status).toBe(401)
    expect((await emulator.fetch(request, { headers: plain(emulator) })).status).toBe(200)
  })

  it('detached from its object', async () => {
    const { fetch } = createBench().emulator
    expect((await fetch('http://emulator.localhost/nowhere')).status).toBe(404)
  })
})

describe('options', () => {
  it('that make no sense are rejected', () => {
    for (const origin of ['ftp://x', 'http://x/path', 'http://x/?q', 'nothing']) {
      expect(() => createBench({ origin })).toThrow(TypeError)
    }
    expect(() => createBench({ maxCapturePercent: 99 })).toThrow(TypeError)
  })
})
