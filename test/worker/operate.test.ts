// Captures, refunds and voids: the caller's result, the service's request, and the stored data.
import { describe, expect, it } from 'vitest'
import { payment, secondary } from './support/events.ts'
import { linesOf } from './support/log.ts'
import { authorized, instead, loseCapture, made, send, silent } from './support/money.ts'
import { failing, log, World } from './support/world.ts'

describe('a capture, refund or void', () => {
  it('needs an Idempotency-Key, a JSON object and valid fields, and is of the order and the POS that the worker has', async () => {
    const world = await authorized()
    const capture = (key: string | undefined, body: string) =>
      world.api('/api/orders/A-1/capture', { method: 'POST', headers: key ? { 'idempotency-key': key } : {}, body })
    for (const key of [undefined, 'a b', 'x'.repeat(256)]) {
      expect(await (await capture(key, '{}')).json()).toMatchObject({ status: 400, code: 'idempotency_key_missing' })
    }
    for (const body of ['[]', '{"charge_amount":0.001}', '{"pos_id":"3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11"}']) {
      expect([body, (await capture('k', body)).status]).toEqual([body, 400])
    }
    for (const path of ['capture', 'refund', 'void', 'resend']) {
      const { status, body } = await send(world, path, path, { order_id: 'B-2', server_url: 'x', operation: 'auth' })
      const wrong = path === 'resend' ? 'server_url' : 'operation'
      const { issues } = body as { issues: { path: string; message: string }[] }
      expect([path, status, issues.map((one) => one.path)]).toEqual([
        ...[path, 400, expect.arrayContaining(['order_id', wrong, 'server_url'])],
      ])
      expect(issues[0]?.message).toMatch(/^is unknown: this route takes \w+/)
    }
    const unknown = await world.send('/api/orders/nobody/capture', {}, 'k')
    expect(unknown).toMatchObject({ status: 404, body: { detail: expect.stringContaining('order_currency') } })
    expect(made(world, 'capture')).toEqual([])
    expect((await send(world, 'capture', 'own', { charge_amount: 1 })).status).toBe(200)
  })

  it('is one request for one key, whatever the order of its fields, and of one kind; a rejection is kept too', async () => {
    const world = await authorized()
    const first = await send(world, 'capture', 'one', { charge_amount: 10, comment: 'x' })
    await world.advance(25 * 3_600_000)
    expect(await send(world, 'capture', 'one', { comment: 'x', charge_amount: 10 })).toEqual(first)
    const reused = { status: 422, body: { code: 'idempotency_key_reused' } }
    expect(await send(world, 'capture', 'one', { charge_amount: 11 })).toMatchObject(reused)
    expect(await send(world, 'capture', 'rest', { comment: 'x' })).toMatchObject({ status: 200 })
    for (const kind of ['refund', 'void'])
      expect(await send(world, kind, 'rest', { comment: 'x' })).toMatchObject(reused)
    const { record } = (await world.order('A-1')) ?? { record: [] }
    const acts = record.map(({ action, result }) => `${action} ${result}`)
    const reusedBy = (kind: string) => `${kind} idempotency_key_reused`
    expect(acts).toEqual(['capture done', reusedBy('capture'), 'capture done', reusedBy('refund'), reusedBy('void')])
    const bodies = instead(world, () => Response.json({ message: 'no' }, { status: 422 }))
    const rejected = await send(world, 'refund', 'no')
    expect([rejected.status, await send(world, 'refund', 'no'), bodies.length]).toEqual([422, rejected, 1])
  })

  it('is in the currency that a webhook, a link or the request names', async () => {
    for (const known of ['webhook', 'link', 'request'] as const) {
      const world = new World()
      if (known === 'webhook') await world.deliver(payment('A-1', { method: 'auth', currency: 'USD' }))
      if (known === 'link') await world.open(await world.link({ order_id: 'A-1', method: 'auth', currency: 'USD' }))
      const bodies = instead(world, () => new Response('{}', { status: 404 }))
      const fields = known === 'request' ? { order_currency: 'USD' } : {}
      expect([known, (await send(world, 'capture', 'one', fields)).status]).toEqual([known, 404])
      expect(bodies).toMatchObject([{ order_id: 'A-1', order_currency: 'USD' }])
    }
  })

  it('has its webhooks sent to the origin of the link, whatever host was called; its response counts before them', async () => {
    const seen: unknown[] = []
    const world = await authorized({
      env: { PUBLIC_ORIGIN: '' },
      onEvent: ({ event }) => void (event.kind === 'capture' && seen.push(event)),
    })
    const sent: string[] = []
    world.intercept = (url, init) =>
      void (url.endsWith('/capture') && new Response(init?.body).json().then((body) => sent.push(body.server_url)))
    world.emulator.faults.next({ kind: 'delay', ms: 60_000, on: 'webhook' })
    const path = 'http://internal-binding/api/orders/A-1/capture'
    expect((await world.send(path, { charge_amount: 10 }, 'one')).status).toBe(200)
    await world.advance(2_000)
    const order = await (await world.api('/api/orders/A-1')).json()
    expect([order, seen]).toMatchObject([{ totals: { captured_minor: 1_000 } }, []])
    const address = /^https:\/\/pay\.shop\.example\.com\/webhooks\?expected=[\w-]{60,200}$/
    expect(sent).toEqual([expect.stringMatching(address)])
    await world.advance(120_000)
    await world.advance(2_000)
    expect(seen).toHaveLength(1)
  })

  it('stays what it was without the personal data, with what the books need', async () => {
    const world = await authorized()
    const record = secondary('A-1', 'capture', { amount: 10, customer_phone: '+380441234567', cc_token: 'tok' })
    const bodies = instead(world, (method) => (method === 'POST' ? Response.json(record) : silent(method)))
    const { body } = await send(world, 'capture', 'one', { charge_amount: 10 })
    expect(body).not.toHaveProperty('cc_token')
    expect((await send(world, 'capture', 'nothing', { charge_amount: 0 })).status).toBe(400)
    await world.advance(2_000)
    expect((await world.api('/api/orders/A-1/personal-data', { method: 'DELETE' })).status).toBe(200)
    const { operation_id, order_id, method, status, status_code, amount, currency, created_at } = record
    const books = { operation_id, order_id, method, status, status_code, amount, currency, created_at }
    const response = await send(world, 'capture', 'one', { charge_amount: 10 })
    expect(response).toMatchObject({ status: 200, body: books })
    expect(JSON.stringify(response)).not.toMatch(/380441234567|tok/)
    const rejected = { status: 400, code: 'invalid_input', title: expect.any(String) }
    expect((await send(world, 'capture', 'nothing', { charge_amount: 0 })).body).toMatchObject(rejected)
    expect(bodies).toHaveLength(1)
  })

  it('that was not sent is sent under the same key, whatever it was that kept it', async () => {
    const world = await authorized()
    world.intercept = () =>
      Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } }))
    expect(await send(world, 'capture', 'one')).toMatchObject({ status: 503, body: { code: 'connection' } })
    world.options.env = { BASE_URL: 'https://[' }
    world.object.restart()
    expect(await send(world, 'capture', 'one')).toMatchObject({ status: 500, body: { code: 'config' } })
    world.options.env = {}
    world.object.restart()
    world.intercept = undefined
    world.emulator.faults.next({ kind: 'too_many_requests', retryAfter: 60, on: 'capture-payment' })
    const init = { method: 'POST', headers: { 'idempotency-key': 'one' }, body: '{}' }
    const limited = await world.api('/api/orders/A-1/capture', init)
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([503, '60'])
    expect((await send(world, 'capture', 'one')).status).toBe(200)
    expect(made(world, 'capture')).toHaveLength(1)
  })

  it.each([
    ['that cannot be stored is not sent: try again', 'operation/', { status: 503, body: { code: 'state' } }, 0],
    ['whose response cannot be stored is made once', 'end/', { status: 200, body: { amount: 100.5 } }, 1],
  ])('%s', async (_, row, answer, count) => {
    const world = await authorized()
    world.object.before = failing(row)
    expect(await send(world, 'capture', 'one')).toMatchObject(answer)
    expect(made(world, 'capture')).toHaveLength(count)
    world.object.before = undefined
    expect(await send(world, 'capture', 'one')).toMatchObject({ status: 200, body: { amount: 100.5 } })
    expect(made(world, 'capture')).toHaveLength(1)
  })

  it('whose rejection cannot be stored is settled by the cron, although nobody asks', async () => {
    const world = await authorized()
    world.object.before = failing('end/')
    expect((await send(world, 'capture', 'one', { charge_amount: 200 })).status).toBe(422)
    world.object.before = undefined
    await world.advance(16 * 60_000)
    const { attempts } = await (await world.api('/api/orders/A-1')).json()
    expect(attempts).toEqual([])
  })

  it('whose response was lost, at the service or at the shop’s object, may have been made; its key gives that operation', async () => {
    const world = await authorized()
    await world.idle()
    log.length = 0
    loseCapture(world, 'after_commit')
    expect((await send(world, 'capture', 'zero', { charge_amount: 5 })).status).toBe(502)
    const line = { kind: 'outcome_unknown', attempt_id: expect.any(String), operation: 'capture', order_id: 'A-1' }
    expect(linesOf('A-1').filter(({ kind }) => kind === 'outcome_unknown')).toEqual([line])
    expect((await send(world, 'capture', 'zero', { charge_amount: 5 })).status).toBe(200)
    const { TILL } = world.env()
    let isSent = false
    const get = (id: never) => ({
      fetch: async (url: string, init: { method: string; body: string }) => {
        const response = await TILL.get(id).fetch(url, init)
        if (isSent) throw new TypeError('Network connection lost.')
        return response
      },
    })
    world.intercept = (_, init) => {
      isSent ||= init?.method === 'POST'
      return undefined
    }
    world.options.env = { TILL: { idFromName: TILL.idFromName, get } }
    // The database does not say what it has stored of the response, which says what was made.
    const first = await send(world, 'capture', 'one', { charge_amount: 10 })
    isSent = false
    world.options.env = {}
    const operation_id = made(world, 'capture').at(-1)?.operation_id
    const again = await send(world, 'capture', 'one', { charge_amount: 10 })
    for (const one of [first, again]) expect(one).toMatchObject({ status: 200, body: { operation_id } })
    expect(made(world, 'capture')).toHaveLength(2)
  })
})

describe('a refund that is pending at the service', () => {
  /** An order of 100.50 whose refunds stay pending. @returns What was sent. */
  async function refunding() {
    const world = new World()
    await world.pay(await world.open(await world.link({ order_id: 'A-1' })))
    await world.advance(2_000)
    const sent: unknown[] = []
    const respond = async (init?: RequestInit) => {
      const { refund_amount: amount = 100.5 } = (await new Response(init?.body).json()) as { refund_amount?: number }
      sent.push(amount)
      return Response.json(secondary('A-1', 'refund', { status: 'pending', amount }))
    }
    world.intercept = (url, init) => (url.endsWith('/refund') ? respond(init) : undefined)
    const refund = async (key: string, refund_amount?: number, version?: string) => {
      const headers = { 'idempotency-key': key, ...(version && { 'if-match': version }) }
      const body = JSON.stringify({ refund_amount })
      const response = await world.api('/api/orders/A-1/refund', { method: 'POST', headers, body })
      return [response.status, ((await response.json()) as { code?: string }).code]
    }
    return { world, sent, refund }
  }

  it('counts in the version: of two who saw the same order, one refunds', async () => {
    const { world, sent, refund } = await refunding()
    const seen = (await world.order('A-1'))?.version ?? ''
    expect(seen).toBe('A-1:10050-10050-0-0')
    expect(await refund('olena', 60, seen)).toEqual([200, undefined])
    expect(await refund('petro', 60, seen)).toEqual([412, 'order_changed'])
    expect((await world.order('A-1'))?.version).toBe('A-1:10050-10050-6000-0')
    expect(sent).toEqual([60])
  })

  it('counts in what is left: no more than that is sent, and nothing without an amount', async () => {
    const { sent, refund } = await refunding()
    expect(await refund('one', 60)).toEqual([200, undefined])
    expect(await refund('two')).toEqual([409, 'refund_in_progress'])
    expect(await refund('three', 40.51)).toEqual([409, 'refund_in_progress'])
    expect(await refund('four', 40.5)).toEqual([200, undefined])
    expect(sent).toEqual([60, 40.5])
  })

  it('leaves nothing, and never less, where the service was asked for more than was paid', async () => {
    const { world, sent, refund } = await refunding()
    expect(await refund('one')).toEqual([200, undefined])
    await world.deliver(secondary('A-1', 'refund', { status: 'pending', operation_id: 'op-portal', amount: 100.5 }))
    const headers = { 'idempotency-key': 'two' }
    const body = JSON.stringify({ refund_amount: 10 })
    const response = await world.api('/api/orders/A-1/refund', { method: 'POST', headers, body })
    const detail = expect.stringContaining('at most 0 can')
    expect(await response.json()).toMatchObject({ code: 'refund_in_progress', left_minor: 0, detail })
    expect(sent).toEqual([100.5])
  })
})
