import { describe, expect, it, vi } from 'vitest'
import { unseal } from '../../src/checkout-link/seal.ts'
import type { Returns } from '../../src/shop/index.ts'
import { Browser, type Form, formTo } from '../console/support/browser.ts'
import { payment } from './support/events.ts'
import { LINK_SECRET, ORIGIN, World, type WorldOptions } from './support/world.ts'

const HOUR_MS = 3_600_000
const MUG = { mode: 'hosted', method: 'purchase', amount: 50, currency: 'UAH', description: 'A mug' }
const ORDER = { ...MUG, order_3ds_bypass: 'supported', order_id: 'mug' }

/** A world with a reusable link, and how customers come to it: a browser that keeps the cookie. */
async function counter(fields: object = {}, options: WorldOptions = {}) {
  const world = new World(options)
  const json = async (path: string, init?: RequestInit) => (await world.api(path, init)).json()
  const body = JSON.stringify({ order: ORDER, reusable: true, ...fields })
  const made = (await json('/api/links', { method: 'POST', body })) as Required<Returns['POST /api/links']>
  const path = String(made.url).slice(ORIGIN.length)
  return {
    ...{ world, made, path, json },
    ids: () => world.emulator.orders.list().map(({ order_id }) => order_id),
    look: (query = '') => json(`/api/links/${made.id}${query}`) as Promise<Returns['GET /api/links/:id']>,
    close: async () => ((await json(`/api/links/${made.id}`, { method: 'DELETE' })) as { opened: boolean }).opened,
    customer() {
      const browser = new Browser((request) => world.fetch(request))
      const page = async () => formTo(await browser.open(path), path)
      const press = ({ fields }: Pick<Form, 'fields'>) =>
        browser.raw(path, { method: 'POST', body: new URLSearchParams(fields) })
      const buy = async () => (await press(await page())).headers.get('location') ?? ''
      return { page, press, buy, look: () => browser.raw(path) }
    },
  }
}

describe('a reusable link', () => {
  it('makes an order when its button is pressed, and none by a preview, a look or a reload', async () => {
    const { world, made, path, json, ids, look, customer } = await counter()
    expect([made.short_url.length - ORIGIN.length, made.expires_at]).toEqual([19, '2027-03-01T10:00:00.000Z'])
    expect((await world.get(made.short_url)).headers.get('location')).toBe(path)
    const olena = customer()
    await world.fetch(new Request(made.url, { method: 'HEAD' }))
    await world.fetch(new Request(made.url, { headers: { 'user-agent': 'WhatsApp/2' } }))
    for (let i = 0; i < 3; i++) await olena.page()
    const reusable = { max_orders: null, max_per_hour: 60, made: 0, closing: false }
    expect([ids(), await look()]).toMatchObject([[], { state: 'sent', reusable }])
    await world.pay(await olena.buy())
    expect(ids()).toEqual([expect.stringMatching(/^mug-[A-Z2-9]{10}$/)])
    await world.advance(20_000)
    const [order_id = ''] = ids()
    expect(await look()).toMatchObject({
      ...{ id: made.id, order_id: 'mug', state: 'opened', reusable: { made: 1 }, cursor: null },
      orders: [{ order_id, status: 'success', description: 'A mug', totals: { captured: 5000 } }],
    })
    // The order leads to its link, and money moves as it does of any other one.
    expect(await json(`/api/links?order_id=${order_id}`)).toMatchObject({ links: [{ id: made.id }] })
    expect((await world.send(`/api/orders/${order_id}/refund`, { refund_amount: 1 })).status).toBe(200)
  })

  it('makes one order of two presses, of two pages, and of a browser that comes back; once paid, another one', async () => {
    const { world, ids, customer } = await counter()
    const olena = customer()
    const press = async (...pages: Form[]) =>
      (await Promise.all(pages.map(olena.press))).map(({ headers }) => headers.get('location'))
    const first = await olena.page()
    const [checkout = '', same] = await press(first, first)
    expect([same, await olena.buy(), ids().length]).toEqual([checkout, checkout, 1])
    const later = await olena.page()
    await world.pay(checkout as string)
    await world.advance(20_000)
    // Pages that were shown before it was paid lead to its result.
    for (const to of await press(first, later)) expect(to).toContain(`/return/${ids()[0]}?`)
    expect(ids()).toHaveLength(1)
    const again = await olena.page()
    expect(new Set(await press(again, again)).size).toBe(1)
    expect(ids()).toHaveLength(2)
  })

  it('makes another order for whoever comes back to one that the shop has cancelled', async () => {
    const { world, ids, customer } = await counter()
    const olena = customer()
    const checkout = await olena.buy()
    // Not yet where there is a note alone, or where it could not be cancelled.
    world.intercept = (url) => (url.includes('/cancel') ? Response.json({}, { status: 422 }) : undefined)
    expect((await world.send(`/api/orders/${ids()[0]}/notes`, { text: 'x' })).status).toBe(201)
    expect(await olena.buy()).toBe(checkout)
    expect((await world.send(`/api/orders/${ids()[0]}/cancel`)).status).toBe(422)
    expect(await olena.buy()).toBe(checkout)
    world.intercept = undefined
    expect((await world.send(`/api/orders/${ids()[0]}/cancel`)).status).toBe(200)
    await olena.buy()
    expect([ids().length, world.payable('mug')]).toEqual([2, [ids()[1]]])
  })

  it('gives each browser its own order, and nobody another one’s', async () => {
    const { world, path, ids, customer } = await counter()
    const [olena, taras, thief] = [customer(), customer(), customer()]
    const [form, foreign] = [await olena.page(), await thief.page()]
    expect(await olena.buy()).not.toBe(await taras.buy())
    // Without the cookie, with another one, and with a form that was changed: nothing is made, and the page is there again.
    const changed = { fields: { ...form.fields, after: ids()[0] as string } }
    for (const sent of [customer().press(form), thief.press(form), olena.press(foreign), olena.press(changed)])
      expect([(await sent).status, await (await sent).text()]).toEqual([
        403,
        expect.stringMatching(/once more.*<form/s),
      ])
    expect(ids()).toHaveLength(2)
    const cookie = (await customer().look()).headers.get('set-cookie')?.replace(/=[\w-]{22};/, '=…;')
    expect(cookie).toBe(`edgetill_visitor=…; Max-Age=86400; Path=${path}; HttpOnly; Secure; SameSite=Lax`)
    const isSecure = async (origin: string) =>
      (await world.fetch(new Request(origin + path))).headers.get('set-cookie')?.includes('; Secure')
    for (const ALLOW_INSECURE_HTTP of ['', 'true']) {
      world.options.env = { ALLOW_INSECURE_HTTP }
      const secure = await Promise.all(['http://localhost:8787', 'http://pay.example.com', ORIGIN].map(isSecure))
      expect(secure).toEqual([false, ALLOW_INSECURE_HTTP === '', true])
    }
  })

  it('makes at most so many orders an hour, and in all; whoever has one goes on with it', async () => {
    const { world, ids, look, customer } = await counter({ max_per_hour: 2, max_orders: 3 })
    const [first, second, third, fourth] = [customer(), customer(), customer(), customer()]
    const [late, later] = [await third.page(), await fourth.page()]
    const checkout = await first.buy()
    await second.buy()
    const closed = async (...sent: Promise<Response>[]) => {
      const pages = await Promise.all(sent.map(async (one) => [(await one).status, await (await one).text()]))
      expect(pages).toEqual(sent.map(() => [ids().length < 3 ? 429 : 410, expect.not.stringContaining('<form')]))
    }
    await closed(third.press(late), third.look())
    expect([await first.buy(), ids().length]).toEqual([checkout, 2])
    await world.advance(HOUR_MS)
    expect((await third.press(late)).status).toBe(303)
    await world.advance(HOUR_MS)
    await closed(fourth.press(later), fourth.look())
    expect([ids().length, (await look()).reusable?.made]).toEqual([3, 3])
  })

  it('makes none after its end, and cancels the order of a customer who comes back', async () => {
    const { world, ids, look, customer } = await counter({ expires_at: Date.parse('2026-03-01T11:00:00Z') })
    const [olena, taras] = [customer(), customer()]
    const late = await taras.page()
    await olena.buy()
    await world.advance(HOUR_MS)
    expect([(await taras.press(late)).status, (await olena.look()).status]).toEqual([410, 410])
    expect([ids().length, world.payable('mug'), (await look()).state]).toEqual([1, [], 'expired'])
  })

  it('has its unpaid orders cancelled after its end, though nobody comes back', async () => {
    const { world, look, customer } = await counter({ expires_at: Date.parse('2026-03-01T11:00:00Z') })
    await customer().buy()
    await world.advance(HOUR_MS)
    expect([world.payable('mug').length, (await look()).reusable?.closing]).toEqual([1, true])
    // The cron goes on for a day.
    world.intercept = (url) => (url.includes('/cancel') ? Response.json({}, { status: 503 }) : undefined)
    for (let run = 0; run < 95; run++) await world.cron()
    world.intercept = undefined
    await world.cron()
    expect([world.payable('mug'), (await look()).reusable?.closing]).toEqual([[], false])
  })

  it.each([
    ['a name that leaves no place for 11 characters', { order: { ...ORDER, order_id: 'x'.repeat(19) } }, /at most 18/],
    ['a customer', { customer_email: 'olena@example.com' }, /^customer_email: a reusable link is for any customer/],
    ['its order’s customer', { order: { ...ORDER, customer_fname: 'Olena' } }, /^customer_fname: a reusable link is/],
    ['no orders', { max_orders: 0 }, /max_orders: must be a whole number from 1/],
    ['a limit without being reusable', { reusable: false, max_per_hour: 5 }, /^max_per_hour: .*reusable: true/],
    ['a number of orders without being reusable', { reusable: false, max_orders: 5 }, /^max_orders: .*reusable: true/],
  ])('is not made with %s', async (_, fields, says) => {
    const { made } = await counter(fields)
    expect(made).toMatchObject({ status: 400, code: 'invalid_input', detail: expect.stringMatching(says) })
  })

  it('is there only where the register has it, and opens under no key of a link of one order', async () => {
    const { world, made, ids, customer } = await counter()
    // An engine that is older would take it for a link of the order "mug".
    expect(await unseal([LINK_SECRET], 'checkout link', made.url.split('/').at(-1) as string)).toBeUndefined()
    const [olena, taras] = [customer(), customer()]
    const page = await olena.page()
    world.gate.storage('', 'shop').sql.exec('DELETE FROM reusable')
    const close = () => world.api(`/api/links/${made.id}`, { method: 'DELETE' })
    const statuses = (await Promise.all([olena.press(page), taras.look(), close()])).map(({ status }) => status)
    expect([statuses, ids()]).toEqual([[404, 404, 404], []])
    world.gate.before = () => {
      throw new Error('the object failed')
    }
    expect((await olena.press(page)).status).toBe(503)
    const body = JSON.stringify({ order: ORDER, reusable: true })
    expect((await world.api('/api/links', { method: 'POST', body })).status).toBe(503)
  })

  it('keeps its address when the personal data of its time is removed', async () => {
    const { world, made, customer } = await counter({}, { env: { RETENTION_DAYS: '1' } })
    await customer().buy()
    await world.advance(72 * HOUR_MS)
    await world.cron()
    expect([(await world.get(made.short_url)).status, await customer().buy()]).toEqual([
      302,
      expect.stringMatching(/form$/),
    ])
  })
})

describe('closing a reusable link', () => {
  it('ends its unpaid orders, so many in a call, and no visitor makes or pays one', async () => {
    const { world, json, ids, look, close, customer } = await counter({}, { bookSize: 10 })
    const customers = Array.from({ length: 23 }, customer)
    for (const one of customers) {
      const checkout = await one.buy()
      if (one === customers[0]) await world.pay(checkout)
    }
    await world.advance(20_000)
    const [stranger, page] = [customer(), await customer().page()]
    expect([world.payable('mug').length, await close()]).toEqual([22, true])
    expect([world.payable('mug').length, (await look()).reusable?.closing]).toEqual([2, true])
    expect([await close(), world.payable('mug')]).toEqual([false, []])
    expect(await look()).toMatchObject({ state: 'revoked', reusable: { made: 23, closing: false } })
    // Who has an order sees what became of it.
    for (const [i, one] of [stranger, ...customers.slice(0, 2)].entries())
      for (const { status, headers } of [await one.look(), await one.press(page)])
        expect([status, headers.get('location')?.includes('/return/mug-')]).toEqual(i ? [303, true] : [410, undefined])
    // All of them are listed, a page at a time.
    await world.advance(20_000)
    const all: string[] = []
    for (let [more, next] = ['', '' as string | null]; next !== null; more = `&cursor=${next}`) {
      const { orders, cursor } = await look(`?limit=10${more}`)
      all.push(...orders.map(({ order_id }) => order_id))
      next = cursor
    }
    expect(all.sort()).toEqual(ids().sort())
    const { entries } = (await json('/api/audit?limit=100')) as Returns['GET /api/audit']
    const acts = entries.filter(({ order_id }) => order_id === 'mug').map(({ by, action }) => `${by} ${action}`)
    expect(acts).toEqual(['api revoke_link', 'api link'])
  })

  it('says that one may still be paid whose object fails, and that none may where there is none', async () => {
    const { world, made, json, close, customer } = await counter()
    const closed = { id: made.id, order_id: 'mug', revoked: true, opened: false }
    expect(await (await counter()).close()).toBe(false)
    await customer().buy()
    const gates = world.env().ORDER_GATE as { get(name: unknown): object }
    const failed = { fetch: () => Promise.reject(new Error('reset')) }
    const get = (name: unknown) => (String(name).startsWith('shop') ? gates.get(name) : failed)
    world.options.env = { ORDER_GATE: { ...gates, get } as never }
    expect([await close(), world.payable('mug').length]).toEqual([true, 1])
    world.options.env = {}
    expect(await json(`/api/links/${made.id}`, { method: 'DELETE' })).toEqual(closed)
    expect(world.payable('mug')).toEqual([])
  })

  it('is answered when the books have it, as that of a link of one order is', async () => {
    const { world, made, json, customer } = await counter()
    await customer().buy()
    const body = JSON.stringify({ order: { ...ORDER, order_id: 'A-1' } })
    const single = (await json('/api/links', { method: 'POST', body })) as Returns['POST /api/links']
    const env = world.env()
    const { ORDER_GATE: gates, ADMIN_TOKEN } = env
    const init = { method: 'DELETE', headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }
    let asked = 0
    const get = (name: never) => ({
      async fetch(url: string, call: { method: string; body: string }) {
        asked++
        await new Promise((done) => setTimeout(done))
        const answer = gates.get(name).fetch(url, call)
        return answer.finally(() => asked--)
      },
    })
    for (const { id } of [single, made]) {
      const request = new Request(`${ORIGIN}/api/links/${id}`, init)
      const { status } = await world.fetch(request, { ...env, ORDER_GATE: { ...gates, get } })
      expect([status, asked]).toEqual([200, 0])
    }
  })

  it('says that some may still be paid while the bank confirms them, until their end is known, and tries others first', async () => {
    const { world, ids, close, customer } = await counter()
    for (let i = 0; i < 21; i++) {
      const checkout = await customer().buy()
      if (i < 20) await world.pay(checkout, 'three_d_secure')
      await world.advance(1)
    }
    // One whose visitor was gone before it was opened.
    const never = "INSERT INTO reuse SELECT nonce, at + 1, 'mug-NEVER', visitor, 0 FROM reuse ORDER BY at DESC LIMIT 1"
    world.gate.storage('', 'shop').sql.exec(never)
    expect([await close(), world.payable('mug').length]).toEqual([true, 1])
    for (let i = 0; i < 2; i++) expect([await close(), world.payable('mug')]).toEqual([true, []])
    // Before the list has it.
    for (const id of ids().slice(0, 20)) await world.deliver(payment(id, { amount: 50 }))
    expect(await close()).toBe(false)
  })

  it.each([
    [22, 480, [true, 2]],
    [1, 500, [false, 0]],
  ])('looks at 500 in a turn, and on until it has tried some: %i after %i that were paid', async (open, paid, left) => {
    const { world, close, customer } = await counter({ max_per_hour: 1_000 })
    await world.pay(await customer().buy())
    await world.advance(20_000)
    const { sql } = world.gate.storage('', 'shop')
    const copies = `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${paid}) INSERT INTO`
    sql.exec(`${copies} reuse SELECT nonce, at - i, order_id || i, visitor, 0 FROM reuse, n`)
    const row = 'order_id, version, since, is_open, has_flags, summary'
    sql.exec(`${copies} listed (${row}) SELECT order_id || i, version, since, 0, 0, summary FROM listed, n`)
    for (let i = 0; i < open; i++) await customer().buy()
    expect([await close(), world.payable('mug').length]).toEqual(left)
  })

  it('goes on by itself where the program stopped half way', async () => {
    const { world, look, close, customer } = await counter()
    for (let i = 0; i < 23; i++) await customer().buy()
    await world.advance(20_000)
    let asked = 0
    world.intercept = (url) => (url.includes('/cancel') && asked++ > 9 ? new Promise<Response>(() => {}) : undefined)
    void close()
    await vi.waitUntil(() => asked > 19)
    world.begin()
    world.intercept = undefined
    await world.advance(900_000)
    expect([world.payable('mug').length, (await look()).reusable?.closing]).toEqual([13, true])
    for (let i = 0; i < 2; i++) await world.cron()
    expect([world.payable('mug'), (await look()).reusable?.closing]).toEqual([[], false])
  })

  it('leaves no payment of a visitor who presses the button at that moment, whichever it is', async () => {
    let closing: Promise<boolean> | undefined
    for (let moment = 0; moment === 0 || closing; moment++) {
      const { world, close, customer } = await counter()
      const olena = customer()
      const page = await olena.page()
      let left = moment
      closing = undefined
      world.gate.before = () => {
        if (left-- === 0) closing = close()
      }
      await olena.press(page)
      world.gate.before = undefined
      if (await closing) await close()
      expect([moment, closing && world.payable('mug')]).toEqual([moment, closing && []])
    }
  })
})
