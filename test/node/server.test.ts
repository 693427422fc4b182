import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { nodeHandler } from '../../src/shop/server.ts'
import { pay } from '../../src/testing/index.ts'
import { sqlite } from '../../src/till/index.ts'
import { Browser, formTo } from '../console/support/browser.ts'
import { api, linkTo, ORIGIN, openServer, type Send, within } from '../worker/support/server.ts'
import { ADMIN_TOKEN, newOrderId, ORDER } from '../worker/support/world.ts'
import { listen, serveNewEmulator, temporaryFolder } from './support/fixtures.ts'

// `edgetill/server` over files of SQLite, behind node:http, and inside Express.

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const REFUND = { refund_amount: 10.5, order_currency: 'UAH' }
const open = (file = ':memory:') => sqlite(new DatabaseSync(file))

describe('over SQLite, behind node:http', () => {
  it('sells by a link, refunds once for a key, and shows both to its people', async () => {
    const served = await serveNewEmulator()
    const { emulator } = served
    const seen: string[] = []
    const file = join(temporaryFolder(), 'shop.db')
    const shop = openServer(emulator, open(file), { fetch, onEvent: ({ event }) => void seen.push(event.kind) })
    await shop.start()
    const origin = await listen(createServer(nodeHandler(shop)))
    const send: Send = (path, init) => globalThis.fetch(new URL(path, origin), { redirect: 'manual', ...init })
    const order_id = newOrderId()
    const link = await linkTo(send, { order_id })
    expect(link).toMatch(new RegExp(`^${origin}/checkout/[\\w-]+$`))
    const result = await pay((await send(link)).headers.get('location') ?? '')
    await emulator.deliveries.idle()
    expect(await (await globalThis.fetch(result)).text()).toContain('<h1>Your payment was successful</h1>')
    const path = `/api/orders/${order_id}`
    const press = () => api(send, 'POST', `${path}/refund`, REFUND, { 'idempotency-key': 'once' })
    const presses = await Promise.all(Array.from({ length: 10 }, press))
    expect(new Set(presses.map(({ status, body }) => `${status} ${body.operation_id}`)).size).toBe(1)
    const refund = await shop.till.refund({ order_id, ...REFUND }, { key: 'once' })
    expect(refund).toMatchObject({ outcome: 'done', record: { operation_id: presses[0]?.body.operation_id } })
    expect((await api(send, 'GET', path)).body).toMatchObject({
      totals: { captured_minor: 10050, refunded_minor: 1050 },
    })
    await emulator.deliveries.idle()
    await shop.stop()
    expect(seen.sort()).toEqual(['purchase', 'refund'])
    expect((await api(within(openServer(emulator, open(file), { fetch })), 'GET', path)).body).toMatchObject({
      order_id,
    })

    const again = within(openServer(emulator, open(file), { fetch }), origin)
    const browser = new Browser((request) => again(request.url, request), {}, origin)
    await browser.signIn()
    expect((await browser.open('/console/orders')).text).toContain(order_id)
  })
})

describe('inside Express, below a path', () => {
  it('has all its addresses there, also behind a body parser', async () => {
    const { emulator } = await serveNewEmulator()
    const app = express()
    app.get('/', (_, response) => void response.send('the shop of today'))
    app.use(express.urlencoded({ extended: false }), express.json())
    const origin = await listen(createServer(app))
    const mounted = `${origin}/pay`
    const shop = openServer(emulator, open(), { fetch, config: { PUBLIC_ORIGIN: mounted } })
    app.use('/pay', nodeHandler(shop))
    const send: Send = (path, init) => globalThis.fetch(new URL(path, origin), { redirect: 'manual', ...init })
    const at: Send = (path, init) => send(`/pay${path}`, init)
    expect(await (await send('/')).text()).toBe('the shop of today')
    expect([(await at('/health')).status, (await send('/health')).status]).toEqual([200, 404])
    const order_id = newOrderId()
    const { body } = await api(
      at,
      'POST',
      '/api/links',
      { order: { ...ORDER, order_id }, landing: true },
      { 'content-type': 'application/json' },
    )
    const { pathname } = new URL(String(body.url))
    expect(String(body.url)).toMatch(new RegExp(`^${mounted}/checkout/`))
    expect((await send(String(body.short_url))).headers.get('location')).toBe(pathname)
    const browser = new Browser((request) => globalThis.fetch(request, { redirect: 'manual' }), {}, origin)
    formTo(await browser.open(pathname), pathname)
    const opened = await send(pathname, { method: 'POST', headers: FORM, body: 'a=b' })
    const result = await pay(opened.headers.get('location') ?? '')
    await emulator.deliveries.idle()
    expect(result).toMatch(new RegExp(`^${mounted}/return/`))
    expect(await (await send(result)).text()).toContain('<h1>Your payment was successful</h1>')
    const refund = await api(at, 'POST', `/api/orders/${order_id}/refund`, REFUND, {
      'idempotency-key': 'k',
      'content-type': 'application/json',
    })
    expect(refund.status).toBe(200)
    const login = formTo(await browser.open('/pay/console'), '/pay/console/login')
    await browser.submit(login, { password: ADMIN_TOKEN })
    expect((await browser.open('/pay/console/orders')).text).toContain(`/pay/console/orders/${order_id}`)
    expect((await at('/api/nothing')).status).toBe(401)
    await shop.stop()
  })

  it('says that PUBLIC_ORIGIN has another path than the mount', async () => {
    const shop = openServer(createEmulator(), open(), { config: { PUBLIC_ORIGIN: `${ORIGIN}/shop` } })
    const app = express().use('/pay', nodeHandler(shop))
    const response = await globalThis.fetch(`${await listen(createServer(app))}/pay/health`)
    expect([response.status, await response.text()]).toEqual([
      500,
      'PUBLIC_ORIGIN must end in /pay, where the shop is mounted.',
    ])
  })
})
