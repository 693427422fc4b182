import { describe, expect, it } from 'vitest'
import { unseal } from '../../src/checkout-link/seal.ts'
import type { Returns } from '../../src/shop/index.ts'
import { Browser, type Form, formTo } from '../console/support/browser.ts'
import { eventually } from '../support/eventually.ts'
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
    const reusable = { max_orders: null, max_per_hour: 60, made: 0, taken: 0, sold: 0, closing: false }
    expect([ids(), await look()]).toMatchObject([[], { state: 'sent', reusable }])
    await world.pay(await olena.buy())
    expect(ids()).toEqual([expect.stringMatching(/^mug-[A-Z2-9]{10}$/)])
    await world.advance(20_000)
    const [order_id = ''] = ids()
    expect(await look()).toMatchObject({
      ...{ id: made.id, order_id: 'mug', state: 'opened', reusable: { made: 1 }, cursor: null },
      orders: [{ order_id, status: 'success', description: 'A mug', totals: { captured_minor: 5000 } }],
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
    await world.pay(await second.buy())
    const closed = async (...sent: Promise<Response>[]) => {
      const pages = await Promise.all(sent.map(async (one) => [(await one).status, await (await one).text()]))
      expect(pages).toEqual(sent.map(() => [ids().length < 3 ? 429 : 410, expect.not.stringContaining('<form')]))
    }
    await closed(third.press(late), third.look())
    expect([await first.buy(), ids().length]).toEqual([checkout, 2])
    // What is paid keeps its place; an order that nobody pays for an hour would not.
    await world.pay(checkout)
    await world.advance(HOUR_MS)
    const last = await third.press(late)
    expect(last.status).toBe(303)
    await world.pay(last.headers.get('location') ?? '')
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
    // The cron goes on for a day, four times an hour.
    let tries = 0
    world.intercept = (url) => (url.includes('/cancel') && ++tries ? Response.json({}, { status: 503 }) : undefined)
    await world.advance(HOUR_MS)
    expect([world.payable('mug').length, (await look()).reusable?.closing]).toEqual([1, true])
    for (let run = 0; run < 94; run++) {
      await world.advance(900_000)
      await world.cron()
    }
    expect(tries).toBe(95)
    world.intercept = undefined
    await world.advance(900_000)
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
    world.object.storage().sql.exec('DELETE FROM edgetill_link')
    const close = () => world.api(`/api/links/${made.id}`, { method: 'DELETE' })
    const statuses = (await Promise.all([olena.press(page), taras.look(), close()])).map(({ status }) => status)
    expect([statuses, ids()]).toEqual([[404, 404, 404], []])
    world.object.before = () => {
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

describe('the number of a reusable link', () => {
  /** The state of its places, once the lists have what happened. */
  const settle = async ({ world, look }: Awaited<ReturnType<typeof counter>>) => {
    await world.advance(20_000)
    const { reusable } = await look()
    return [reusable?.sold, reusable?.taken]
  }

  it('counts what is sold: an order that is declined, or cancelled by the shop, gives its place back', async () => {
    const shop = await counter({ max_orders: 1 })
    const { world, ids, customer } = shop
    const [olena, taras, petro] = [customer(), customer(), customer()]
    const full = async (one: typeof olena) => {
      const { status, headers } = await one.look()
      return [status, headers.get('set-cookie') === null]
    }
    await world.pay(await olena.buy(), 'insufficient_funds')
    expect([await settle(shop), (await taras.look()).status]).toEqual([[0, 0], 200])
    await taras.buy()
    // Olena's order has no place while Taras may pay: she reads that none is left, also when she presses an old page.
    expect([await settle(shop), await full(olena), await full(petro)]).toEqual([
      [0, 1],
      [410, true],
      [410, true],
    ])
    const [, his = ''] = ids()
    expect((await world.send(`/api/orders/${his}/cancel`)).status).toBe(200)
    expect([await settle(shop), await full(petro)]).toEqual([
      [0, 0],
      [200, false],
    ])
    // She has it again, and sells it out.
    const checkout = await olena.buy()
    expect(await full(petro)).toEqual([410, true])
    await world.pay(checkout)
    expect([await settle(shop), await full(petro), world.payable('mug')]).toEqual([[1, 1], [410, true], []])
  })

  it('flags it too where the program died as it had stored the payment', async () => {
    const alerts: object[] = []
    const shop = await counter({ max_orders: 1 }, { onAlert: (alert) => void alerts.push(alert) })
    const { world, ids, customer } = shop
    for (const card of ['insufficient_funds', 'success'] as const) {
      await world.pay(await customer().buy(), card)
      await settle(shop)
    }
    const [first = ''] = ids()
    const { TILL: object } = world.env()
    const get = (name: never) => ({
      async fetch(url: string, call: { method: string; body: string }) {
        if (call.body.includes('sold = CASE')) throw new Error('reset')
        return object.get(name).fetch(url, call)
      },
    })
    world.options.env = { TILL: { ...object, get } }
    await world.deliver(payment(first, { amount: 50, status: 'success' }))
    await world.idle()
    world.options.env = {}
    // The lists make up for it, and the cron tells of it.
    const page = (await (await world.api('/api/orders?flag=over_sold')).json()) as Returns['GET /api/orders']
    expect(page.orders.map(({ order_id }) => order_id)).toEqual([first])
    await world.advance(120_000)
    expect(alerts.filter((one) => 'flag' in one && one.flag === 'over_sold')).toHaveLength(1)
  })

  it('keeps the place that was taken again for whoever is being led to another attempt', async () => {
    const shop = await counter({ max_orders: 1 })
    const { world, ids, customer } = shop
    const [olena, taras] = [customer(), customer()]
    await world.pay(await olena.buy(), 'insufficient_funds')
    expect([await settle(shop), (await taras.look()).status]).toEqual([[0, 0], 200])
    const seen = new Set<number>()
    world.intercept = async (url, init) => {
      seen.add((await taras.look()).status)
      return world.emulator.fetch(url, init)
    }
    const checkout = await olena.buy()
    world.intercept = undefined
    expect([[...seen], ids().map((id) => id.slice(14))]).toEqual([[410], ['', '~2']])
    // Declined again, it gives the place back again.
    await world.pay(checkout, 'insufficient_funds')
    expect([await settle(shop), (await taras.look()).status]).toEqual([[0, 0], 200])
  })

  it('gives the place of an order that nobody has paid for an hour to the next customer, and cancels it first', async () => {
    const shop = await counter({ max_orders: 2 })
    const { world, ids, customer } = shop
    await customer().buy()
    await world.pay(await customer().buy())
    await settle(shop)
    const late = customer()
    expect((await late.look()).status).toBe(410)
    await world.advance(HOUR_MS)
    // Not while the service does not confirm that it is cancelled.
    world.intercept = (url) => (url.includes('/cancel') ? Response.json({}, { status: 422 }) : undefined)
    expect((await late.look()).status).toBe(410)
    world.intercept = undefined
    await world.pay(await late.buy())
    expect([await settle(shop), world.payable('mug'), ids().length]).toEqual([[2, 2], [], 3])
  })

  it('is never exceeded by fifty who press at once, over all that failed before', async () => {
    const shop = await counter({ max_orders: 7, max_per_hour: 1_000 })
    const { world, customer } = shop
    for (let i = 0; i < 3; i++) await world.pay(await customer().buy(), 'insufficient_funds')
    expect(await settle(shop)).toEqual([0, 0])
    const crowd = Array.from({ length: 50 }, customer)
    const forms = await Promise.all(crowd.map((one) => one.page()))
    const presses = await Promise.all(crowd.map((one, i) => one.press(forms[i] as Form)))
    const opened = presses.filter(({ status }) => status === 303)
    expect([opened.length, presses.filter(({ status }) => status === 410).length]).toEqual([7, 43])
    for (const { headers } of opened) await world.pay(headers.get('location') ?? '')
    expect(await settle(shop)).toEqual([7, 7])
  })

  it('flags a payment that succeeds when all are sold, with an alert, once; and is raised by the shop', async () => {
    const alerts: object[] = []
    const given = new Map<string, readonly string[]>()
    const options: WorldOptions = {
      onAlert: (alert) => void alerts.push(alert),
      onEvent: (_, order) => void given.set(order.order_id, order.flags),
    }
    const shop = await counter({ max_orders: 1 }, options)
    const { world, made, ids, look, customer } = shop
    await world.pay(await customer().buy(), 'insufficient_funds')
    await settle(shop)
    await world.pay(await customer().buy())
    expect(await settle(shop)).toEqual([1, 1])
    // The first one's bank changes its mind: its customer paid at the service's own page.
    const [first = '', second = ''] = ids()
    for (let i = 0; i < 2; i++) {
      await world.deliver(payment(first, { amount: 50, status: 'success' }))
      // The same alert is not raised within an hour anyway.
      await world.advance(3_700_000)
    }
    const flagsOf = async (id: string) => ((await world.order(id)) as { flags: string[] }).flags
    const copies = [...(await world.stored('order/')).values()] as { order_id: string; flags: string[] }[]
    const copied = (id: string) => copies.find(({ order_id }) => order_id === id)?.flags
    for (const flags of [await flagsOf(first), copied(first), given.get(first)]) expect(flags).toContain('over_sold')
    for (const flags of [await flagsOf(second), copied(second), given.get(second)])
      expect(flags).not.toContain('over_sold')
    expect(alerts.filter((one) => 'flag' in one && one.flag === 'over_sold')).toHaveLength(1)
    expect((await (await world.api('/api/orders?flag=over_sold')).json()) as object).toMatchObject({
      orders: [{ order_id: first }],
    })
    const change = (body: object, id = made.id) =>
      world.api(`/api/links/${id}`, { method: 'PATCH', body: JSON.stringify(body) })
    expect([(await change({ max_orders: 0 })).status, (await change({ max_orders: 3 })).status]).toEqual([400, 200])
    expect((await look()).reusable).toMatchObject({ max_orders: 3, sold: 2, taken: 2 })
    await world.pay(await customer().buy())
    expect(await settle(shop)).toEqual([3, 3])
    // A note on an order that was sold in time changes nothing.
    await world.send(`/api/orders/${second}/notes`, { text: 'x' })
    await world.advance(20_000)
    expect(await flagsOf(second)).not.toContain('over_sold')
  })
})

describe('closing a reusable link', () => {
  it('ends its unpaid orders, so many in a call, and no visitor makes or pays one', async () => {
    const { world, json, ids, look, close, customer } = await counter()
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

  it('says that one may still be paid whose cancelling fails, and that none may where there is none', async () => {
    const { world, made, json, close, customer } = await counter()
    const closed = { id: made.id, order_id: 'mug', revoked: true, opened: false }
    expect(await (await counter()).close()).toBe(false)
    await customer().buy()
    world.intercept = (url) => {
      if (url.includes('/cancel')) throw new Error('reset')
      return undefined
    }
    expect([await close(), world.payable('mug').length]).toEqual([true, 1])
    world.intercept = undefined
    expect(await json(`/api/links/${made.id}`, { method: 'DELETE' })).toEqual(closed)
    expect(world.payable('mug')).toEqual([])
  })

  it('is answered when the database has it, as that of a link of one order is', async () => {
    const { world, made, json, customer } = await counter()
    await customer().buy()
    const body = JSON.stringify({ order: { ...ORDER, order_id: 'A-1' } })
    const single = (await json('/api/links', { method: 'POST', body })) as Returns['POST /api/links']
    const env = world.env()
    const { TILL: object, ADMIN_TOKEN } = env
    const init = { method: 'DELETE', headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }
    let asked = 0
    const get = (name: never) => ({
      async fetch(url: string, call: { method: string; body: string }) {
        asked++
        await new Promise((done) => setTimeout(done))
        const answer = object.get(name).fetch(url, call)
        return answer.finally(() => asked--)
      },
    })
    for (const { id } of [single, made]) {
      const request = new Request(`${ORIGIN}/api/links/${id}`, init)
      const { status } = await world.fetch(request, { ...env, TILL: { ...object, get } })
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
    const never =
      "INSERT INTO edgetill_reuse SELECT nonce, number + 1, 'mug-NEVER', visitor, at, '-', 0, 0, 0 FROM edgetill_reuse ORDER BY at DESC LIMIT 1"
    world.object.storage().sql.exec(never)
    expect([await close(), world.payable('mug').length]).toEqual([true, 1])
    for (let i = 0; i < 2; i++) expect([await close(), world.payable('mug')]).toEqual([true, []])
    // Before the list has it.
    for (const id of ids().slice(0, 20)) await world.deliver(payment(id, { amount: 50 }))
    expect(await close()).toBe(false)
  })

  it.each([
    [22, 480, [true, 2]],
    [1, 500, [false, 0]],
  ])('tries those that may be paid alone: %i after %i that were paid', async (open, paid, left) => {
    const { world, close, customer } = await counter({ max_per_hour: 1_000 })
    await world.pay(await customer().buy())
    await world.api('/api/orders')
    const { sql } = world.object.storage()
    const copies = `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${paid}) INSERT INTO`
    sql.exec(
      `${copies} edgetill_reuse SELECT nonce, number + i, order_id || i, visitor, at, '-', 0, 0, 0 FROM edgetill_reuse, n`,
    )
    const row = 'order_id, token, since, state, is_open, flags, status, shown'
    sql.exec(
      `${copies} edgetill_order (${row}) SELECT order_id || i, token, since, state, 0, 0, status, shown FROM edgetill_order, n`,
    )
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
    await eventually(() => expect(asked).toBeGreaterThan(19))
    world.begin()
    world.intercept = undefined
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
      world.object.before = () => {
        if (left-- === 0) closing = close()
      }
      await olena.press(page)
      world.object.before = undefined
      if (await closing) await close()
      expect([moment, closing && world.payable('mug')]).toEqual([moment, closing && []])
    }
  })
})
