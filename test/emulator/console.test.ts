import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { type Bench, createBench, type Json, openCheckout, post } from './call.ts'
import { DAILY, paid, payDirect } from './conformance/samples.ts'
import { CONTROL, command, read, readJson } from './control.ts'

const pay = async (bench: Bench, more: Json = {}) => {
  await payDirect(bench, more)
  await bench.emulator.deliveries.idle()
}

it('a fault waits for a webhook that has an address', async () => {
  const bench = createBench({ webhookUrl: undefined as never })
  bench.emulator.faults.next({ kind: 'drop' })
  await pay(bench, { server_url: undefined })
  expect(bench.emulator.faults.list().next).toHaveLength(1)
  expect(await read(bench.emulator, '')).toContain('1 fault armed')
  await pay(bench, { order_id: 'A-2' })
  expect([bench.received, bench.emulator.faults.list().next]).toEqual([[], []])
})

describe('what the receiver responded', () => {
  it('is kept: status, headers, the first 16 kB, the next attempt; and asked for at another address', async () => {
    const headers = { 'content-type': 'text/plain', 'x-trace': '7', 'set-cookie': 'a=secret' }
    const asked: string[] = []
    const { emulator } = await paid(
      {},
      {
        retryDelaysMs: [60_000],
        fetch: async (url) => {
          asked.push(url)
          return new Response(`TypeError: x is undefined\n${'y'.repeat(20_000)}`, { status: 500, headers })
        },
      },
    )
    const [attempt] = emulator.deliveries[0]?.attempts ?? []
    expect(attempt).toMatchObject({
      status: 500,
      ms: 0,
      retry_at: '2026-01-31T10:01:00.000',
      response_headers: { 'x-trace': '7', 'set-cookie': '***' },
    })
    expect(attempt?.response_body).toHaveLength(16_384)
    const page = await read(emulator, '/webhooks/emulator-delivery-1')
    for (const text of ['TypeError: x is undefined', 'x-trace', 'next attempt', '2026-01-31 10:01:00.000'])
      expect(page).toContain(text)
    const [id, url] = ['emulator-delivery-1', 'http://127.0.0.1:3000/other']
    expect((await command(emulator, 'resend', { id, url })).json).toMatchObject({ status: 500, url })
    expect((await command(emulator, 'resend', { id, url: 'ftp://x' })).status).toBe(400)
    expect(asked).toEqual(['https://shop.example/hook', url])
  })

  it('a body that does not end holds nothing up for long', async () => {
    const bench = createBench({
      fetch: async () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })),
    })
    await pay(bench)
    expect(bench.emulator.deliveries[0]?.attempts[0]).toMatchObject({ status: 200, response_body: '' })
  })
})

describe('search and paging', () => {
  it('finds an order by any id, amount, status and card', async () => {
    const bench = await paid()
    await pay(bench, { order_id: 'other', amount: 7, cc_number: '4000000000009995' })
    bench.emulator.control.refundPayment('A-1', 1)
    const order = bench.emulator.orders.get('A-1')
    const [payment] = order?.payments ?? []
    const [operation] = order?.operations ?? []
    const ids = [payment?.payment_id, payment?.transaction_id, operation?.operation_id, order?.checkout_id]
    for (const text of ['a-1', ...ids, '100.50', 'success', '1111']) {
      const { orders } = bench.emulator.orders.search({ text: text ?? '' })
      expect([text, orders.map(({ order_id }) => order_id)]).toEqual([text, ['A-1']])
    }
    expect(await read(bench.emulator, '/webhooks?q=refund')).toMatch(/data-key/)
    expect(await read(bench.emulator, '/webhooks?q=nothing')).not.toMatch(/data-key/)
    expect(await read(bench.emulator, '/requests?q=4009')).toMatch(/emulator-request-2/)
    // Neither the names of what is kept of a request, nor what is not there.
    for (const q of ['no such thing', 'response_body', 'response_headers', 'undefined'])
      expect([q, await read(bench.emulator, `/requests?${new URLSearchParams({ q })}`)]).toEqual([
        q,
        expect.not.stringContaining('/_emulator/requests/emulator-request-'),
      ])
    await bench.emulator.fetch(`${bench.emulator.credentials.baseUrl}/nowhere`)
    expect(await read(bench.emulator, '/requests?q=null')).not.toContain('/nowhere')
    expect(await read(bench.emulator, '/requests?q=nowhere')).toContain('/nowhere')
  })

  it.each(['orders', 'requests', 'deliveries'])('pages through the JSON of %s', async (name) => {
    const bench = await paid({ order_id: 'A' })
    await pay(bench, { order_id: 'B' })
    await pay(bench, { order_id: 'a/b ?', cc_number: '4000000000009995' })
    const list = (query: string) => readJson<{ id?: string; order_id: string }[]>(bench.emulator, name + query)
    const ordersOf = async (query: string) => (await list(query)).map(({ order_id }) => order_id)
    const [, second] = (await list('?limit=2')).map(({ id, order_id }) => id ?? order_id)
    expect(await ordersOf('?limit=2')).toEqual(['A', 'B'])
    expect(await ordersOf(`?limit=2&after=${second}`)).toEqual(['a/b ?'])
    expect((await bench.emulator.fetch(`${CONTROL}/api/${name}?after=none`)).status).toBe(404)
    if (name === 'orders') expect(await ordersOf('?status=failure')).toEqual(['a/b ?'])
    else expect(await ordersOf('?order_id=a%2Fb%20%3F')).toEqual(['a/b ?'])
    if (name === 'deliveries') expect(await ordersOf('?status=failed')).toEqual([])
  })

  it('views of the customer do not fill the list of requests', async () => {
    const bench = createBench()
    await bench.emulator.fetch(await openCheckout(bench.emulator))
    expect(await read(bench.emulator, '/requests')).not.toContain('GET /api/v1/checkout')
    expect(await read(bench.emulator, '/requests?q=checkout')).toContain('GET /api/v1/checkout')
  })
})

it('the events are a stream: requests, states, webhooks and notes, until the reader leaves', async () => {
  const bench = createBench()
  const leave = new AbortController()
  const response = await bench.emulator.fetch(`${CONTROL}/api/events`, { signal: leave.signal })
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  await pay(bench, { order_3ds_bypass: 'xyz' })
  leave.abort()
  const text = await response.text()
  const events = [...text.matchAll(/^id: (\d+)\nevent: (\w+)\ndata: (.*)\n$/gm)].map(([, id, type, data = '']) => {
    expect(JSON.parse(data)).toMatchObject({ type })
    return `${id} ${type}`
  })
  expect(events).toEqual([
    '1 state',
    '2 state',
    '3 note',
    expect.stringMatching(/request|webhook/),
    expect.stringMatching(/request|webhook/),
  ])
  await pay(bench, { order_id: 'nobody listens' })
})

it('is searched by status codes and by the ids that the terminal prints, and lists the newest first', async () => {
  const bench = createBench()
  await pay(bench, { order_id: 'first', order_3ds_bypass: 'xyz' })
  await pay(bench, { order_id: 'second', exp_year: 25 })
  const { orders } = bench.emulator
  const found = (text: string) => orders.search({ text }).orders.map(({ order_id }) => order_id)
  expect(
    ['4001', 'emulator-delivery-1', 'emulator-request-2', 'emulator-note-1', 'emulator-note-9'].map(found),
  ).toEqual([['second'], ['first'], ['second'], ['first'], []])
  for (const name of ['orders', 'requests', 'deliveries']) {
    expect(await readJson(bench.emulator, `${name}?newest=true&limit=1`)).toMatchObject([{ order_id: 'second' }])
  }
  const headers = { accept: 'text/html' }
  const mistyped = await bench.emulator.fetch(`${CONTROL}/clock`, { headers })
  expect([mistyped.status, await mistyped.text()]).toEqual([404, expect.stringContaining('href="/_emulator"')])
})

it('the frame of every page has the clock first, what is armed, undelivered and noted, and jumps', async () => {
  const bench = createBench({ retryDelaysMs: [90_000] })
  bench.answers.push(500)
  await pay(bench, { init_recurring: DAILY, order_3ds_bypass: 'xyz' })
  bench.emulator.faults.next({ kind: 'drop' })
  for (const path of ['', '/requests', '/webhooks', '/faults', '/cards', '/connect', '/orders?order_id=A-1']) {
    const page = await read(bench.emulator, path)
    expect(page.indexOf('id="now"')).toBeLessThan(page.indexOf('<main'))
    const shown = ['1 fault armed', '1 undelivered', '1 note', 'Next retry 01-31 10:01', 'Next charge 02-01 10:00']
    for (const text of shown) expect([path, page.includes(text)]).toEqual([path, true])
  }
  bench.emulator.faults.clear()
  expect((await command(bench.emulator, 'clock', { to: 'next_retry' })).json.now).toBe(Date.UTC(2026, 0, 31, 10, 1, 30))
  expect((await command(bench.emulator, 'clock', { to: 'next_retry' })).status).toBe(400)
  await command(bench.emulator, 'clock', { to: 'next_charge' })
  expect(bench.emulator.orders.get('A-1')?.payments).toHaveLength(2)
  bench.emulator.control.cancelRecurring('A-1')
  expect(bench.emulator.clock.due('next_charge')).toBe(null)
})

describe('where it is reached', () => {
  const at = (url: string, options = {}) => createEmulator({ origin: 'http://127.0.0.1:4010', ...options }).fetch(url)

  it.each([
    ['http://emulator:4010/_emulator/api/orders', {}, 403],
    ['http://emulator:4010/_emulator/api/orders', { allowHosts: ['emulator'] }, 200],
    ['http://evil.example/_emulator', { allowHosts: ['emulator'] }, 403],
    ['http://any.example/_emulator/health', {}, 200],
    ['http://127.0.0.1:4010/_emulator/api/', {}, 200],
    ['http://localhost:1/_emulator/api/', {}, 200],
  ])('%s with %j: %i', async (url, options, status) => {
    expect((await at(url, options)).status).toBe(status)
  })

  it('a body beyond 8 MiB is a 413', async () => {
    const { emulator } = createBench()
    expect((await post(emulator, '/api/v1/payment', ' '.repeat(9 * 1024 * 1024))).status).toBe(413)
  })
})
