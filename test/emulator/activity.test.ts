import { describe, expect, it } from 'vitest'
import { type Activity, createEmulator, type RequestFilter } from '../../src/emulator/index.ts'
import { assertNothingRejected } from '../../src/testing/index.ts'
import { readWebhook } from '../../src/webhooks/index.ts'
import { cardForm, createBench, direct, type Json, openCheckout, post, submit } from './call.ts'
import { CONTROL, command, read, readJson } from './control.ts'

const CARD = '4111111111111111'

function watched(options: Parameters<typeof createBench>[0] = {}) {
  const activities: Activity[] = []
  const bench = createBench({ ...options, onActivity: (activity) => activities.push(activity) })
  return { ...bench, activities }
}

describe('the request log', () => {
  it('keeps what was sent and what came back, with credentials and card data masked', async () => {
    const { emulator } = watched()
    const response = await post(emulator, '/api/v1/payment', direct(emulator))
    const shown = (await response.text()) + JSON.stringify(emulator.orders.list())
    for (const secret of [emulator.credentials.apiSecret, CARD]) expect(shown).not.toContain(secret)
    const [request] = emulator.requests()
    expect(request).toMatchObject({
      id: 'emulator-request-1',
      at: '2026-01-31T10:00:00.000',
      method: 'POST',
      path: '/api/v1/payment',
      operation: 'create-payment',
      order_id: 'A-1',
      status: 200,
      reason: null,
      faults: [],
    })
    expect(request?.headers['x-api-auth']).toBe('SVC emulator-api-key:***')
    const sent = JSON.parse(request?.body ?? '') as Json
    expect(sent).toMatchObject({ cc_number: '411111******1111', card_cvv: '***', exp_month: '***', amount: 100.5 })
    expect(JSON.parse(request?.response_body ?? '')).toMatchObject({ order_id: 'A-1', cc_token: '***' })
    const text = JSON.stringify(emulator.requests())
    for (const secret of ['emulator-api-secret', 'emulator-endpoints-key', CARD, 'emulator-token-']) {
      expect(text).not.toContain(secret)
    }
  })

  it('masks card data in a form, in broken JSON, in free text and in a body that is too long to parse', async () => {
    const { emulator } = watched()
    await submit(emulator, await openCheckout(emulator), cardForm('success'))
    await post(emulator, '/api/v1/payment', `{"cc_number":"${CARD}","card_cvv":"987",`)
    await post(emulator, '/api/v1/payment', direct(emulator, { description: 'card 4111 1111 1111 1111' }))
    await post(emulator, '/api/v1/payment', `{"card_cvv":"987","cc_number":"${CARD}","x":"${'y'.repeat(300_000)}"}`)
    const texts = emulator.requests().map(({ body }) => body)
    expect(texts).toHaveLength(5)
    for (const text of texts) expect(text).not.toMatch(/4111[ ]?1111[ ]?1111|987|=123/)
    expect(texts[1]).toContain('cc_number=411111******1111')
    expect(texts[4]).toMatch(/\[cut: 3000\d\d bytes in all\]$/)
  })

  it('keeps the latest 2,000 requests and 10,000 webhooks', async () => {
    const emulator = createEmulator()
    for (let i = 0; i < 2005; i++) await emulator.fetch(`http://emulator.localhost/none/${i}`)
    expect([emulator.requests().length, emulator.requests()[0]?.path]).toEqual([2000, '/none/5'])
    for (let i = 0; i < 10_003; i++) {
      emulator.control.createPayment({ method: 'credit', order_id: `C-${i}`, amount: 1, currency: 'UAH' })
    }
    await emulator.deliveries.idle()
    expect([emulator.deliveries.length, emulator.deliveries[0]?.order_id]).toEqual([10_000, 'C-3'])
  })
})

it('a fault leaves a trace on the request or webhook that it fired on, also where the connection breaks', async () => {
  const { emulator, activities } = watched()
  const fault = { kind: 'reset', when: 'after_commit' } as const
  emulator.faults.next(fault)
  emulator.faults.next({ kind: 'corrupt_signature' })
  emulator.faults.rate({ kind: 'numbers_as_strings' }, 1)
  await expect(post(emulator, '/api/v1/payment', direct(emulator))).rejects.toThrow('on purpose')
  await emulator.deliveries.idle()
  const reason = 'the connection was broken on purpose'
  expect(emulator.requests()).toMatchObject([{ order_id: 'A-1', status: null, reason, faults: [fault] }])
  const kinds = ['corrupt_signature', 'numbers_as_strings']
  expect(emulator.deliveries[0]?.faults.map(({ kind }) => kind)).toEqual(kinds)
  const one = { type: 'fault', at: '2026-01-31T10:00:00.000', order_id: 'A-1' }
  expect(activities.filter(({ type }) => type === 'fault' || type === 'error')).toEqual([
    ...kinds.map((kind) => ({ ...one, fault: { kind }, on: 'webhook', id: 'emulator-delivery-1' })),
    { ...one, fault, on: 'create-payment', id: 'emulator-request-1' },
  ])
})

describe('onActivity', () => {
  it('gets each attempt at a webhook, with the time of the next one', async () => {
    const { emulator, answers, activities } = watched({ retryDelaysMs: [60_000] })
    answers.push(500, 200)
    await post(emulator, '/api/v1/payment', direct(emulator))
    await emulator.clock.advance({ minutes: 1 })
    const [first, second] = ['2026-01-31T10:00:00.000', '2026-01-31T10:01:00.000']
    const event = { order_id: 'A-1', method: 'purchase', status: 'success' }
    const common = { type: 'webhook', id: 'emulator-delivery-1', ...event, ms: 0, url: 'https://shop.example/hook' }
    expect(activities.filter(({ type }) => type === 'webhook')).toEqual([
      { ...common, at: first, attempt: 1, response: 500, error: null, retry_at: second },
      { ...common, at: second, attempt: 2, response: 200, error: null, retry_at: null },
    ])
  })

  it('gets a mistake of the emulator with its stack, of a page too; the caller gets the error', async () => {
    const signature = () => {
      throw new RangeError('a mistake')
    }
    const { emulator, activities } = watched({ signature })
    emulator.deliveries.filter = signature
    await expect(post(emulator, '/api/v1/payment', direct(emulator))).rejects.toThrow('a mistake')
    expect(emulator.requests()[0]).toMatchObject({ status: null, reason: 'internal error' })
    await expect(emulator.fetch(`${CONTROL}/webhooks`)).rejects.toThrow('a mistake')
    const stack = expect.stringMatching(/RangeError: a mistake\n\s+at /)
    expect(activities.filter(({ type }) => type === 'error')).toMatchObject(
      ['emulator-request-1', null].map((id) => ({ id, stack })),
    )
  })

  it('is not called for pages and readings', async () => {
    const { emulator, activities } = watched()
    for (const path of ['', '/', '/api/orders']) await emulator.fetch(CONTROL + path)
    const root = await emulator.fetch('http://emulator.localhost/')
    expect([root.status, root.headers.get('location'), activities]).toEqual([302, '/_emulator', []])
  })
})

describe('was anything rejected?', () => {
  it('requests are selected by status, class of status and order, in process and over HTTP', async () => {
    const { emulator } = createBench()
    for (const order_id of ['A', 'A', 'B']) await post(emulator, '/api/v1/payment', direct(emulator, { order_id }))
    const ids = (filter: RequestFilter) =>
      emulator.requests(filter).map(({ status, order_id }) => `${status} ${order_id}`)
    expect(ids({ status: 400 })).toEqual(['400 A'])
    expect(ids({ status: '4xx' })).toEqual(['400 A'])
    expect(ids({ status: '2xx', order_id: 'B' })).toEqual(['200 B'])
    expect(emulator.requests().length).toBe(3)
    for (const [query, count] of [
      ['status=400', 1],
      ['status=4xx', 1],
      ['status=200&order_id=A', 1],
      ['status=404', 0],
    ] as const) {
      expect([query, await readJson(emulator, `requests?${query}`)]).toMatchObject([query, { length: count }])
    }
    expect(await read(emulator, '/api/requests?status=40')).toContain('must be a status like 400, or 4xx')
  })

  it('assertNothingRejected fails with the reasons', async () => {
    const { emulator } = createBench()
    await post(emulator, '/api/v1/payment', direct(emulator))
    emulator.faults.next({ kind: 'too_many_requests' })
    await post(emulator, '/api/v1/payment', direct(emulator, { order_id: 'limited' }))
    await command(emulator, 'refund', { order_id: 'unknown' })
    await assertNothingRejected(emulator)
    await post(emulator, '/api/v1/payment', direct(emulator, { order_id: 'B', amount: '5' }))
    await expect(assertNothingRejected(emulator)).rejects.toThrow(
      'The emulator rejected 1 request:\n  POST /api/v1/payment: 400 Invalid parameters: amount must be',
    )
    await expect(assertNothingRejected({} as never)).rejects.toThrow('takes an emulator')
  })
})

it('an edited webhook is signed and sent once, as a new one', async () => {
  const { emulator, received, answers } = createBench()
  await post(emulator, '/api/v1/payment', direct(emulator))
  await emulator.deliveries.idle()
  const [first] = emulator.deliveries
  const page = await read(emulator, `/webhooks/${first?.id}`)
  expect(page).toMatch(/<textarea id="edited" name="event"/)
  answers.push(500)
  const event = JSON.stringify({ ...first?.event, status: 'failure', amount: 5 })
  const form = new URLSearchParams({ id: String(first?.id), event, return_to: '/_emulator/orders?order_id=A-1' })
  const done = await submit(emulator, `${CONTROL}/api/resend`, form)
  expect([done.status, done.headers.get('location')]).toEqual([303, '/_emulator/orders?order_id=A-1'])
  await emulator.clock.advance({ days: 2 })
  expect(received.map(({ event }) => event.status)).toEqual(['success', 'failure'])
  expect(emulator.deliveries.map(({ attempts }) => attempts.length)).toEqual([1, 1])
  expect(emulator.orders.get('A-1')?.status).toBe('success')
  const { apiSecret } = emulator.credentials
  const [, edited] = received
  expect(await readWebhook(new Request('https://s.example/', formOf(edited?.text ?? '')), apiSecret)).toMatchObject({
    amount: 5,
  })
  for (const [wrong, text] of [
    ['{', 'event is not JSON'],
    ['[]', 'must be a JSON object'],
    ['5', 'must be a JSON object'],
  ] as const) {
    expect((await command(emulator, 'resend', { id: first?.id, event: wrong })).json.error).toContain(text)
  }
})

const formOf = (body: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
})

it.each([400, 501, 5000, 100_000])('JSON that is nested %i deep is a 400, never a 500', async (depth) => {
  const { emulator } = createBench()
  const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`
  const body = JSON.stringify(direct(emulator, { products: 1 })).replace('"products":1', `"products":${nested}`)
  const paid = await post(emulator, '/api/v1/payment', body)
  expect([depth, paid.status]).toEqual([depth, depth < 500 ? 200 : 400])
  if (depth > 500) expect(await paid.text()).toContain('nested too deeply')
  for (const name of ['capture', 'reset', 'restore', 'shops', 'faults']) {
    const json = `{"order_id":"A","next":${nested},"version":2,"name":${nested}}`
    expect([name, (await command(emulator, name, json)).status]).toEqual([name, 400])
  }
  // Everything still works with what was taken.
  emulator.restore(emulator.snapshot())
  expect((await emulator.fetch(`${CONTROL}/orders?order_id=A-1`)).status).toBe(depth < 500 ? 200 : 404)
})
