import { describe, expect, it } from 'vitest'
import { checkoutLinkId, createCheckoutLink, openCheckoutLink } from '../../src/checkout-link/index.ts'
import type { Order } from '../../src/shop/lib/shown-order.ts'
import { LINK_SECRET, newOrderId, ORDER, ORIGIN, World } from './support/world.ts'

const DAY_MS = 86_400_000

interface Made {
  id: string
  url: string
  expires_at: string
}

const post = (world: World, body: unknown) =>
  world.api('/api/links', { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) })

async function make(world: World, order_id: string, fields: object = {}): Promise<Made> {
  const response = await post(world, { order: { ...ORDER, order_id }, ...fields })
  expect(response.status).toBe(201)
  return (await response.json()) as Made
}

const revoke = (world: World, id: string) => world.api(`/api/links/${id}`, { method: 'DELETE' })
const tokenOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1)

it('has a short address that leads nowhere once it is guessed, or its order erased, and is listed with its order’s state', async () => {
  const world = new World()
  const ids = ['A-1', 'A-2', 'A-3']
  const shorts: string[] = []
  for (const id of ids) {
    const made = (await make(world, id)) as Made & { short_url: string }
    shorts.push(made.short_url.slice(`${ORIGIN}/p/`.length))
    await world.pay(await world.open(made.url))
    await world.advance(20_000)
  }
  expect(shorts.map((short) => short.length)).toEqual([16, 16, 16])
  const get = async (short: string) => (await world.get(`/p/${short}`)).status
  expect(await Promise.all(shorts.map(get))).toEqual([302, 302, 302])
  // A name without the right mark costs no call of an object.
  const { object } = world.object.calls
  const guesses = [
    `${shorts[0]}2`,
    `${shorts[1]?.slice(0, 15)}`,
    `${shorts[0]?.slice(0, 8)}${shorts[1]?.slice(8)}`,
    'A'.repeat(12),
  ]
  expect([await Promise.all(guesses.map(get)), world.object.calls.object]).toEqual([[404, 404, 404, 404], object])
  const list = async (query: string) => {
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const more: string = cursor && `&cursor=${cursor}`
      const page = await (await world.api(`/api/links?limit=2${query}${more}`)).json()
      const { links, cursor: next } = page as { links: { order_id: string; state: string }[]; cursor: string | null }
      found.push(...links.map(({ order_id, state }) => `${order_id} ${state}`))
      cursor = next
    }
    return found
  }
  expect(await list('')).toEqual(['A-3 paid', 'A-2 paid', 'A-1 paid'])
  expect(await list('&order_id=A-2')).toEqual(['A-2 paid'])
  const again = await make(world, 'A-2')
  expect((await revoke(world, again.id)).status).toBe(200)
  expect((await world.api('/api/orders/A-2/personal-data', { method: 'DELETE' })).status).toBe(200)
  expect(await Promise.all(shorts.map(get))).toEqual([302, 404, 302])
})

describe('a link of POST /api/links', () => {
  it('makes the link that createCheckoutLink makes, and touches no store', async () => {
    const world = new World()
    const { id, url, expires_at } = await make(world, 'A-1')
    expect([world.kv.calls.get, world.kv.calls.put, world.kv.calls.list]).toEqual([0, 0, 0])
    expect(expires_at).toBe(new Date(world.time + DAY_MS).toISOString())
    const options = { origin: ORIGIN, linkSecret: LINK_SECRET, now: () => world.time }
    const ours = await createCheckoutLink({ ...options, order: { ...ORDER, order_id: 'A-1' } })
    const opened = await Promise.all([url, ours].map((link) => openCheckoutLink(tokenOf(link), [LINK_SECRET])))
    expect(opened[0]).toEqual(opened[1])
    expect(url.length).toBe(ours.length)
    expect(id).toBe(await checkoutLinkId(url, LINK_SECRET))
    await world.pay(await world.open(url))
    await world.advance(121_000)
    expect((await world.order('A-1'))?.status).toBe('success')
  })

  it('gives the reference and the e-mail back, in the order and to onEvent', async () => {
    const seen: [string | undefined, string | undefined][] = []
    const world = new World({ onEvent: (_, order) => void seen.push([order.reference, order.customer_email]) })
    const id = newOrderId()
    const { url } = await make(world, id, { reference: 'кошик 77', customer_email: 'shop@example.com' })
    await world.pay(await world.open(url))
    await world.untilHandled()
    const wanted = { reference: 'кошик 77', customer_email: 'shop@example.com' }
    expect(await world.order(id)).toMatchObject(wanted)
    expect(new Set(seen.map(String))).toEqual(new Set([String(Object.values(wanted))]))
  })

  it('takes the order’s own e-mail where no other is given, and forgets it with the personal data', async () => {
    const world = new World()
    const { url } = await make(world, 'A-1', { reference: 'R-1' })
    await world.open(url)
    await world.advance(121_000)
    expect(await world.order('A-1')).toMatchObject({ customer_email: ORDER.customer_email, reference: 'R-1' })
    expect((await world.api('/api/orders/A-1/personal-data', { method: 'DELETE' })).status).toBe(200)
    const order = (await world.order('A-1')) as Order
    expect([order.customer_email, order.reference]).toEqual([undefined, 'R-1'])
    const rows = world.object.rows("SELECT body FROM edgetill_log WHERE order_id = 'A-1' AND kind = 'payment'")
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain('olena')
  })

  it('takes the time of expiry as text or number', async () => {
    const world = new World()
    const at = world.time + 60_000
    const local = '2026-03-01T12:01:00+02:00'
    for (const expires_at of [at, new Date(at).toISOString(), local, local.replace(/:00$/, '00')]) {
      const made = await make(world, 'A-1', { expires_at })
      expect(made.expires_at).toBe(new Date(at).toISOString())
    }
    const { url } = await make(world, 'A-1', { expires_at: at })
    await world.advance(60_000)
    expect((await world.get(url)).status).toBe(410)
  })
})

describe('POST /api/links', () => {
  const order = { ...ORDER, order_id: 'A-1' }

  it.each([
    ['no order', {}, /order: is required/],
    ['an amount that is not money', { order: { ...order, amount: 10.555 } }, /amount/],
    ['a misspelt field', { order, expiresAt: 1 }, /expiresAt: is unknown/],
    ['a time without a zone', { order, expires_at: '2026-12-31T23:59:59' }, /zone/],
    ['a day that does not exist', { order, expires_at: '2027-02-30T10:00:00Z' }, /zone/],
    ['a time that is over', { order, expires_at: '2020-01-01T00:00:00Z' }, /expires_at must be a time in the future/],
    ['a reference that is a number', { order, reference: 7 }, /reference: must be a string/],
    ['an invalid e-mail', { order, customer_email: 'olena' }, /e-mail must be/],
    ['an order that could not be refunded', { order: { ...order, order_id: 'x'.repeat(30) } }, /longOrderId: true/],
  ])('rejects %s with the name of the field', async (_, body, text) => {
    const response = await post(new World(), body)
    expect(response.status).toBe(400)
    const texts = { message: expect.any(String), received: expect.any(String) }
    const issues = [{ path: expect.stringMatching(/^(order|expires|reference|customer_email)/), ...texts }]
    expect(await response.json()).toMatchObject({ code: 'invalid_input', detail: expect.stringMatching(text), issues })
  })

  it('rejects what is not a JSON object', async () => {
    for (const body of ['[', '[]', '"x"', `{"order":"${'x'.repeat(65_536)}"}`]) {
      expect([(await post(new World(), body)).status]).toEqual([400])
    }
  })

  it('takes the longest reference, and an order_id that is long on purpose', async () => {
    const world = new World()
    const fields = { reference: 'Щ'.repeat(128), customer_email: 'a@b', longOrderId: true }
    const made = await make(world, 'Щ'.repeat(253), fields)
    expect((await revoke(world, made.id)).status).toBe(200)
    expect((await world.get(made.url)).status).toBe(410)
  })

  it('needs PUBLIC_ORIGIN, but on the developer’s machine', async () => {
    const world = new World({ env: { PUBLIC_ORIGIN: '' } })
    const response = await post(world, { order })
    expect([response.status, await response.json()]).toEqual([409, expect.objectContaining({ code: 'no_origin' })])
    const request = new Request('http://127.0.0.1:8787/api/links', {
      method: 'POST',
      headers: { authorization: `Bearer ${world.env().ADMIN_TOKEN}` },
      body: JSON.stringify({ order }),
    })
    const { url } = (await (await world.fetch(request)).json()) as Made
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:8787\/checkout\//)
    world.options.env = { PUBLIC_ORIGIN: 'http://worker:8787', ALLOW_INSECURE_HTTP: 'true' }
    expect((await make(world, 'A-1')).url).toMatch(/^http:\/\/worker:8787\/checkout\//)
  })
})

describe('GET /api/links', () => {
  it('shows the link that is asked for, of an order that has two, with all that is known of it', async () => {
    const world = new World()
    const show = async ({ id }: Made) => (await world.api(`/api/links/${id}`)).json()
    const named = { order: { ...ORDER, order_id: 'A-1', customer_fname: 'Олена', customer_lname: 'Коваль' } }
    const [plain, personal] = [await make(world, 'A-1'), await make(world, 'A-1', named)]
    for (const made of [plain, personal]) {
      expect(await show(made)).toEqual({
        ...{ ...made, order_id: 'A-1', amount_minor: 10_050, currency: 'UAH', description: 'Two mugs', by: 'api' },
        ...{
          state: 'sent',
          created_at: new Date(world.time).toISOString(),
          revoked_at: null,
          rejected: null,
          reusable: null,
        },
        ...{ customer_name: made === plain ? null : 'Олена Коваль', orders: [], cursor: null },
      })
    }
    await world.pay(await world.open(personal.url))
    await world.advance(20_000)
    expect(await show(plain)).toMatchObject({ state: 'paid', orders: [{ order_id: 'A-1', status: 'success' }] })
    // One that the shop made itself is not listed.
    const own = await checkoutLinkId(await world.link({ order_id: 'A-1' }), LINK_SECRET)
    expect((await world.api(`/api/links/${own}`)).status).toBe(404)
  })

  it('asks for a list once, and for the orders of the links that it shows only', async () => {
    const world = new World()
    await make(world, 'A-1')
    const cost = async (path: string) => {
      const { object } = world.object.calls
      const { links } = (await (await world.api(path)).json()) as { links: { order_id: string }[] }
      return { links: links.map(({ order_id }) => order_id), calls: world.object.calls.object - object }
    }
    const more = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600) INSERT INTO edgetill_link SELECT
      short || i, id || i, 'B-' || i, amount, currency, description, customer_name, token, created_at, expires_at, NULL, made_by, NULL,
      NULL, NULL FROM edgetill_link, n`
    world.object.storage().sql.exec(more)
    // The first one brings the list of orders up to date.
    expect(await cost('/api/links?state=revoked')).toEqual({ links: [], calls: 2 })
    expect(await cost('/api/links?limit=100')).toMatchObject({ links: { length: 100 }, calls: 2 })
  })

  it('a page of a state that is just full has a cursor where an older link is in that state, however many are between', async () => {
    const world = new World()
    const older = await make(world, 'OLD')
    await world.advance(1_000)
    await world.pay(await world.open((await make(world, 'PAID')).url))
    await world.advance(20_000)
    await world.api('/api/links')
    const { sql } = world.object.storage()
    const copies = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 498) INSERT INTO'
    sql.exec(`${copies} edgetill_link SELECT short || i, id || i, order_id || i, amount, currency, description, customer_name, token,
      created_at, expires_at, NULL, made_by, NULL, NULL, NULL FROM edgetill_link, n WHERE order_id = 'PAID'`)
    const row = 'order_id, token, since, state, is_open, flags, status, shown'
    const paid = `SELECT order_id || i, token, since, state, 0, 0, status, shown FROM edgetill_order, n WHERE order_id = 'PAID'`
    sql.exec(`${copies} edgetill_order (${row}) ${paid}`)
    await make(world, 'NEW')
    type Page = { links: { order_id: string }[]; cursor: string | null }
    const page = async (more = '') => (await (await world.api(`/api/links?state=sent&limit=1${more}`)).json()) as Page
    const first = await page()
    expect([first.links.map(({ order_id }) => order_id), first.cursor]).toEqual([['NEW'], expect.any(String)])
    const last = await page(`&cursor=${first.cursor}`)
    expect([last.links, last.cursor]).toMatchObject([[{ order_id: 'OLD', id: older.id }], null])
  })
})

describe('DELETE /api/links/:id', () => {
  it('revokes a link that was not opened: its page says so, and nothing is created', async () => {
    const world = new World()
    const { id, url } = await make(world, 'A-1', { expires_at: world.time + 3_600_000 })
    const response = await revoke(world, id)
    const revoked = { id, order_id: 'A-1', revoked: true, opened: false }
    expect([response.status, await response.json()]).toEqual([200, revoked])
    // Until the link would have ended anyway.
    await world.advance(3_599_999)
    const page = await world.get(url)
    expect([page.status, await page.text()]).toEqual([410, expect.stringContaining('no longer valid')])
    expect(world.emulator.orders.list()).toEqual([])
  })

  it('revokes that link alone, also one that a shop made itself, and again, however its address is written', async () => {
    const world = new World()
    const other = await make(world, 'A-1')
    const url = await world.link({ order_id: 'A-1' })
    const id = await checkoutLinkId(url, LINK_SECRET)
    for (let i = 0; i < 2; i++) {
      expect((await revoke(world, id)).status).toBe(200)
      await world.advance(121_000)
    }
    const token = tokenOf(url)
    const escaped = `%${token.charCodeAt(0).toString(16)}${token.slice(1)}`
    for (const written of [`${url}/`, `${url}?x=1`, url.replace(token, escaped), `${url.replace(token, escaped)}/`]) {
      expect([written, (await world.get(written)).status]).toEqual([written, 410])
    }
    expect(world.emulator.orders.list()).toEqual([])
    expect(await world.open(other.url)).toMatch(/\/form$/)
    // An opened payment goes on: only `cancel` ends it.
    expect(await (await revoke(world, other.id)).json()).toMatchObject({ opened: true })
    const { entries } = (await (await world.api('/api/audit?limit=1')).json()) as { entries: object[] }
    const at = new Date(world.time).toISOString()
    expect(entries).toEqual([{ at, action: 'revoke_link', by: 'api', order_id: 'A-1', result: 'done' }])
    await world.advance(121_000)
    expect(world.payable('A-1')).toEqual(['A-1'])
  })

  it('with cancel, ends what was opened a minute later by itself, and makes nothing of what was not', async () => {
    const world = new World()
    const [opened, sent] = [await make(world, 'A-1'), await make(world, 'B-1')]
    await world.open(opened.url)
    // Not yet confirmed by the service: it goes on.
    let asked = 0
    world.intercept = (url) => (url.includes('/cancel') && ++asked ? Response.json({}, { status: 503 }) : undefined)
    for (const { id } of [opened, sent]) {
      expect((await world.api(`/api/links/${id}?cancel=true`, { method: 'DELETE' })).status).toBe(200)
    }
    expect([asked, world.payable('A-1')]).toEqual([0, ['A-1']])
    await world.advance(61_000)
    expect([asked, world.payable('A-1')]).toEqual([1, ['A-1']])
    world.intercept = undefined
    await world.advance(900_000)
    expect([world.payable('A-1'), await world.order('B-1')]).toEqual([[], undefined])
    expect(world.emulator.orders.list().map(({ order_id }) => order_id)).toEqual(['A-1'])
  })

  it('knows an id by the secret alone, also the previous one', async () => {
    const world = new World()
    const { id } = await make(world, 'A-1')
    const changed = (id.startsWith('A') ? 'B' : 'A') + id.slice(1)
    const token = tokenOf(await world.link({ order_id: 'A-1' }))
    for (const wrong of ['x', changed, `${id}A`, token, '%00']) {
      const response = await revoke(world, wrong)
      expect([wrong, response.status]).toEqual([wrong, 404])
    }
    const next = new World({
      env: { LINK_SECRET: 'a-new-link-secret-of-32-characters', LINK_SECRET_PREVIOUS: LINK_SECRET },
    })
    expect((await revoke(next, id)).status).toBe(200)
  })
})
