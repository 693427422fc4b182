import { describe, expect, it } from 'vitest'
import { createBench, decode, direct, openCheckout, plain, post, submit } from './call.ts'
import { accountsUrl, DAILY, paid, payDirect, sendCapture } from './conformance/samples.ts'
import { CONTROL, command } from './control.ts'

describe('the control API', () => {
  it('makes void, refund, increment, charges, cancellations and other payments happen', async () => {
    const bench = createBench()
    const { emulator, received } = bench
    await payDirect(bench, { order_id: 'R', method: 'auth' })
    await payDirect(bench, { order_id: 'P' })
    await payDirect(bench, { order_id: 'S', init_recurring: DAILY })
    await openCheckout(emulator, { order_id: 'H' })
    for (const [name, body, result] of [
      ['auth_increment', { order_id: 'R', amount: 2.5 }, { amount: 2.5 }],
      ['void', { order_id: 'R' }, { method: 'void', amount: 103 }],
      ['refund', { order_id: 'P', amount: 0.5 }, { amount: 0.5 }],
      ['refund', { order_id: 'P' }, { amount: 100 }],
      ['charge', { order_id: 'S' }, { status: 'success', amount: 100.5 }],
      ['cancel_recurring', { order_id: 'S' }, { status: 'canceled' }],
      ['cancel', { order_id: 'H' }, { status: 'failure', status_code: '6007' }],
      ['payment', { method: 'credit', order_id: 'C', amount: 7, currency: 'USD' }, { status: 'success' }],
    ] as const) {
      expect(await command(emulator, name, body)).toMatchObject({ status: 200, json: result })
    }
    await emulator.deliveries.idle()
    const primary = ['auth', 'auth_increment', 'credit', ...Array(4).fill('purchase')]
    expect(received.map(({ event }) => event.method).sort()).toEqual([...primary, 'refund', 'refund', 'void'])
  })

  it('is closed to the page of another site', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await createBench().emulator.fetch(`${CONTROL}/api/reset`, { method: 'POST', headers })).status).toBe(403)
  })

  it.each([
    ['https://evil.test', 403],
    ['http://127.0.0.1:34869', 403],
    ['null', 403],
    ['http://emulator.localhost', 200],
    [undefined, 200],
  ])('Origin decides who may use it: %s is %i, with any content type and method', async (origin, status) => {
    const { emulator } = createBench()
    const headers: Record<string, string> = { 'content-type': 'text/plain', ...(origin !== undefined && { origin }) }
    const post = await emulator.fetch(`${CONTROL}/api/reset`, { method: 'POST', headers, body: '{}' })
    const get = await emulator.fetch(`${CONTROL}/api/orders`, { headers })
    expect([post.status, get.status]).toEqual([status, status])
  })

  it('is open to its own pages where a browser sends their origin, also behind a proxy that ends TLS', async () => {
    const { emulator } = createBench({ origin: 'https://emulator.example' })
    const send = (url: string, origin: string) =>
      emulator.fetch(`${url}/_emulator/api/reset`, { method: 'POST', headers: { origin } })
    expect((await send('http://emulator.example', 'https://emulator.example')).status).toBe(200)
    expect((await send('http://127.0.0.1:4010', 'http://127.0.0.1:4010')).status).toBe(200)
    // Under `no-referrer` a browser would send the origin `null` with the forms of a page.
    const page = await emulator.fetch('https://emulator.example/_emulator')
    expect(page.headers.get('referrer-policy')).toBe('same-origin')
  })

  it('forgets what waits for its turn: nothing of it reaches the next test', async () => {
    const asked: string[] = []
    const signals: (AbortSignal | null | undefined)[] = []
    const activities: string[] = []
    const bench = createBench({
      onActivity: ({ type }) => activities.push(type),
      fetch: (input, init) => {
        asked.push(String(input))
        signals.push(init?.signal)
        return new Promise((_, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
        })
      },
    })
    const { emulator } = bench
    emulator.faults.next({ kind: 'duplicate' })
    const addresses = { server_url: 'https://shop.example/hook', validation_url: 'https://shop.example/check' }
    await post(emulator, '/api/v1/payment', direct(emulator, { method: 'auth', ...addresses }))
    await sendCapture(bench)
    expect(asked.sort()).toEqual(['https://shop.example/check', 'https://shop.example/hook'])
    emulator.reset()
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, true])
    activities.length = 0
    await emulator.deliveries.idle()
    expect([asked.length, activities]).toEqual([2, []])
  })

  it('sends again byte for byte, and forgets everything', async () => {
    const bench = createBench()
    const { emulator } = bench
    bench.answers.push(500, 503)
    await payDirect(bench)
    await emulator.deliveries.idle()
    const [{ id, body } = {}] = emulator.deliveries
    expect((await command(emulator, 'resend', { id })).json).toMatchObject({ status: 503 })
    expect(bench.received.map(({ text }) => text)).toEqual([body, body])
    await command(emulator, 'reset')
    await emulator.clock.advance({ days: 1 })
    expect([emulator.orders.list(), emulator.deliveries.length, bench.received.length]).toEqual([[], 0, 2])
    expect(await payDirect(bench)).toMatchObject({ status: 'success' })
  })
})

it('the control page has forms that come back to a page of the emulator, or say what is not possible', async () => {
  const { emulator } = await paid()
  const elsewhere = new URLSearchParams({ return_to: 'https://evil.example/', days: '1' })
  expect((await submit(emulator, `${CONTROL}/api/clock`, elsewhere)).headers.get('location')).toBe('/_emulator')
  const refused = await submit(emulator, `${CONTROL}/api/void`, new URLSearchParams({ order_id: 'A-1' }))
  const why = expect.stringContaining('is not an authorized payment')
  expect([refused.status, await refused.text()]).toEqual([400, why])
  for (const fields of [{ fault: `${'x'.repeat(59)}😀😀` }, { clear: 'true', return_to: '/_emulator\nx: я' }]) {
    expect((await submit(emulator, `${CONTROL}/api/faults`, new URLSearchParams(fields))).status).toBeLessThan(500)
  }
  await submit(emulator, `${CONTROL}/api/faults`, new URLSearchParams({ fault: 'drop' }))
  expect(emulator.faults.list().next).toEqual([{ kind: 'drop' }])
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
    const bench = createBench()
    const { emulator } = bench
    const request = new Request(accountsUrl(bench))
    expect((await emulator.fetch(request)).status).toBe(401)
    expect((await emulator.fetch(request, { headers: plain(emulator) })).status).toBe(200)
    // The second argument of Deno.serve and Bun.serve is not an init.
    const server = new (class {
      method = 'PUT'
    })()
    for (const beside of [{ remoteAddr: {} }, server]) expect((await emulator.fetch(request, beside)).status).toBe(401)
  })
})
