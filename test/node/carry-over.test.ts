import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import connect from 'postgres'
import { expect, it, onTestFinished } from 'vitest'
import { verb } from '../../src/cli/commands/load.ts'
import type { ServerShop } from '../../src/shop/server.ts'
import { postgres, type TillDatabase } from '../../src/till/index.ts'
import { Browser, formTo, mount, payOrder } from '../console/support/browser.ts'
import { openServer, type Send, within } from '../worker/support/server.ts'
import { ADMIN_TOKEN, ORDER, ORIGIN, payAt, World } from '../worker/support/world.ts'
import { temporaryFolder } from './support/fixtures.ts'
import { usePostgres } from './support/postgres.ts'
import { type Around, runVerb } from './support/verb.ts'

// A day of a shop is carried from an object to Postgres, and back.
const NEW = 'https://new.example.com'
const database = usePostgres()
const AUTHORIZED = { authorization: `Bearer ${ADMIN_TOKEN}` }
const LISTS = [
  ...['orders', 'attention', 'links', 'strays', 'events?failing=true', 'days?from=2026-03-01&to=2026-03-01'],
  ...['operations?from=2026-03-01&to=2026-03-01', 'audit', 'orders/paid', 'orders/lost', 'orders/open'],
]

/** Every list, sum and order of a shop. The acts of moving are newer than the day. */
async function shown(send: Send): Promise<unknown[]> {
  return Promise.all(
    LISTS.map(async (path) => {
      const response = await send(`/api/${path}`, { headers: AUTHORIZED })
      const { entries, ...body } = JSON.parse((await response.text()).replaceAll(NEW, ORIGIN))
      const acts = entries?.filter(({ order_id }: { order_id: string }) => order_id !== '')
      return [path, response.status, { ...body, ...(acts && { entries: acts }) }]
    }),
  )
}

const post = (send: Send, path: string, body: object | string = {}, key = 'none'): Promise<Response> => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return send(path, { method: 'POST', headers: { ...AUTHORIZED, 'idempotency-key': key }, body: text })
}

it('every list, sum and answer for a key is the same, and onEvent is given nothing twice', async () => {
  const heard: string[] = []
  let [isDown, isLost] = [false, false]
  const onEvent = ({ id, event }: { id: string; event: { kind: string } }) => {
    if (isDown) throw new Error('no stock')
    heard.push(`${event.kind} ${id}`)
  }
  let shop: ServerShop | undefined
  const toNew = (request: Request) => (shop as ServerShop).fetch(request)
  const world: World = new World({
    canMove: true,
    onEvent,
    fetch: ((input: string, init: RequestInit) =>
      String(input).startsWith(NEW) ? toNew(new Request(input, init)) : world.emulator.fetch(input, init)) as never,
    emulator: {
      fetch: async (input, init) => {
        const request = new Request(input, init)
        if (isLost) return new Response(null, { status: 503 })
        return request.url.startsWith(NEW) ? toNew(request) : world.fetch(request)
      },
    },
  })
  const { emulator } = world
  const old: Send = (path, init) => world.fetch(new Request(new URL(path, ORIGIN), init))
  const open = (order_id: string) => world.link({ order_id }).then((link) => world.open(link))

  await world.pay(await open('paid'))
  const first = await post(old, '/api/orders/paid/refund', { refund_amount: 10 }, 'kept')
  const answer = await first.text()
  expect(first.status).toBe(200)
  await world.pay(await open('lost'))
  isLost = true
  emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'refund-payment' })
  expect((await post(old, '/api/orders/lost/refund', { refund_amount: 7 }, 'lost')).status).toBe(502)
  await emulator.deliveries.idle()
  isLost = false
  const link = await world.link({ order_id: 'open' })
  const page = await world.open(link)
  expect((await post(old, '/api/links', { order: { ...ORDER, order_id: 'sold' }, reusable: false })).status).toBe(201)
  await post(old, '/api/orders/paid/notes', { text: 'calls back' })
  await world.post(world.signed('not JSON'))
  await world.advance(2_000)
  isDown = true
  await world.pay(await open('failing'))
  await world.advance(0)
  isDown = false

  // Closed: money and links wait, customers and webhooks go on.
  expect((await old('/api/log', { headers: AUTHORIZED })).status).toBe(409)
  expect((await post(old, '/api/log/close', { to: NEW })).status).toBe(200)
  const before = (await shown(old)) as unknown[][]
  expect(before.map(([, status]) => status)).toEqual(LISTS.map(() => 200))
  const tables = world.object
    .rows("SELECT name FROM sqlite_master WHERE type = 'table'")
    .map(({ name }) => String(name))
  // A new table is carried too: it belongs into the tables of the route, and here.
  const known = 'act alert closed copy done erasure link log matter money order reuse revoked session version'
  expect(tables.sort()).toEqual(known.split(' ').map((name) => `edgetill_${name}`))
  const full = tables.filter((name) => world.object.rows(`SELECT count(*) AS n FROM ${name}`)[0]?.n !== 0)
  expect((await old('/api/log', { headers: AUTHORIZED })).headers.get('retry-after')).toBe('60')
  const refused = await post(old, '/api/orders/paid/refund', { refund_amount: 1 }, 'late')
  expect([refused.status, ((await refused.json()) as { detail: string }).detail]).toEqual([503, NEW])
  world.time += 60_000
  const log = await (await old('/api/log', { headers: AUTHORIZED })).text()
  expect(log.match(/cc_token\b/)).toBeNull()
  const carried = new Set(log.split('\n').flatMap((line) => (line ? JSON.parse(line)[0] : [])))
  expect([...carried].sort()).toEqual([...full.filter((name) => name !== 'edgetill_closed'), 'stray', 'end'].sort())
  const whole = await (await old('/api/log?cc_token=true', { headers: AUTHORIZED })).text()
  expect(whole).toMatch(/cc_token\b/)

  const sql = connect(database.url, { onnotice() {} })
  onTestFinished(() => sql.end())
  const own = postgres(sql)
  const clocked: TillDatabase = {
    ...own,
    get clock() {
      return String(world.time)
    },
  }
  const config = { PUBLIC_ORIGIN: NEW }
  shop = openServer(emulator, clocked, { onEvent, config, now: () => world.time })
  const next = within(shop, NEW)
  const load = (send: Send, lines: readonly string[]) => post(send, '/api/log', lines.join('\n'))
  const lines = log.trim().split('\n')
  expect(await (await load(next, lines.slice(0, 20))).json()).toEqual({ loaded: 20, open: false })
  expect((await post(next, '/api/links', { order: ORDER })).status).toBe(503)
  const file = join(temporaryFolder(), 'shop.log')
  const around: Around = {
    environment: { EDGETILL_WORKER_URL: NEW, EDGETILL_WORKER_TOKEN: ADMIN_TOKEN },
    fetch: (input, init) => toNew(new Request(input, init)),
  }
  writeFileSync(file, log.replace('["end",{}]', ''))
  expect(await runVerb(verb, [file], around)).toMatchObject({ code: 1, err: expect.stringContaining('is incomplete') })
  writeFileSync(file, log)
  const loaded = { code: 0, out: `${lines.length} rows loaded: the shop is open.\n` }
  expect(await runVerb(verb, [file], around)).toMatchObject(loaded)
  expect((await load(next, lines)).status).toBe(409)
  expect(await shown(next)).toEqual(before)

  const sent = heard.splice(0)
  await world.cron()
  expect(heard).toEqual([])
  expect(await (await post(next, '/api/orders/paid/refund', { refund_amount: 10 }, 'kept')).text()).toBe(answer)
  expect((await post(next, '/api/orders/lost/refund', { refund_amount: 7 }, 'lost')).status).toBe(200)
  expect((await old(new URL(link).pathname)).headers.get('location')).toBe(NEW + new URL(link).pathname)
  expect((await next(new URL(link).pathname)).headers.get('location')).toBe(page)
  // Its webhook comes to the old address.
  await payAt(emulator, page, 'success')
  await emulator.deliveries.idle()
  await shop.till.settle()
  await world.advance(3_600_000)
  await shop.till.settle()
  expect(heard.map((one) => one.split(' ')[0]).sort()).toEqual(['purchase', 'purchase', 'refund'])
  const refunds = (id: string) => emulator.orders.get(id)?.operations.filter(({ method }) => method === 'refund').length
  expect([refunds('paid'), refunds('lost')]).toEqual([1, 1])

  // And back: the old shop is closed, and takes every row of the new one.
  expect((await post(next, '/api/log/close', { to: ORIGIN })).status).toBe(200)
  const after = await shown(next)
  world.time += 60_000
  const back = await (await next('/api/log', { headers: AUTHORIZED })).text()
  expect(await (await load(old, back.trim().split('\n'))).json()).toMatchObject({ open: true })
  expect(await shown(old)).toEqual(after)
  await world.advance(600_000)
  await world.untilHandled()
  const all = [...sent, ...heard]
  expect(new Set(all).size).toBe(all.length)
  expect((await post(old, '/api/orders/lost/refund', { refund_amount: 7 }, 'lost')).status).toBe(200)
  expect([refunds('paid'), refunds('lost')]).toEqual([1, 1])
  await world.advance(60_000)
  const copies = (await world.keys('event/')).length
  expect([(await world.keys('order/')).length, copies]).toEqual([4, 7])
}, 30_000)

it('rejects, with a code for each reason', async () => {
  const olena = 'a-token-of-32-characters-for-olena'
  const world = new World({ canMove: true, env: { PEOPLE: JSON.stringify({ olena: { token: olena, role: 'all' } }) } })
  const send: Send = (path, init) => world.fetch(new Request(new URL(path, ORIGIN), init))
  const codeOf = async (response: Promise<Response>) => {
    const { status, code } = (await (await response).json()) as { status: number; code: string }
    return `${status} ${code}`
  }
  const log = (query = '', token = ADMIN_TOKEN) =>
    send(`/api/log${query}`, { headers: { authorization: `Bearer ${token}` } })
  expect(await codeOf(log())).toBe('409 not_closed')
  expect(await codeOf(post(send, '/api/log/close', { to: 'nowhere' }))).toBe('400 invalid_input')
  expect(await codeOf(post(send, '/api/log', '{}'))).toBe('400 invalid_json')
  expect(await codeOf(post(send, '/api/log', '["edgetill_version",{"owner":"another"}]'))).toBe('409 not_loaded')
  expect(await codeOf(post(send, '/api/log', '["end",{}]'))).toBe('undefined undefined')
  await world.open(await world.link({ order_id: 'A-1' }))
  expect(await codeOf(post(send, '/api/log', '["end",{}]'))).toBe('409 not_loaded')
  await post(send, '/api/log/close')
  expect(await codeOf(log())).toBe('503 closing')
  expect(await codeOf(log('?cc_token=true', olena))).toBe('403 forbidden')
  expect(await codeOf(log('?cursor=x'))).toBe('503 closing')
  // Without another shop, customers and webhooks wait.
  const [page, webhook] = [await world.get(await world.link({ order_id: 'A-1' })), await world.post(world.signed({}))]
  expect([page.status, webhook.status]).toEqual([503, 503])
  expect(await (await world.get('/health')).json()).toEqual({ status: 'closed', to: '' })
  expect(await codeOf(post(send, '/api/orders/A-1/cancel'))).toBe('503 closed')
})

it('tells the person at the console of a closed shop that nothing was sent', async () => {
  const world = new World({ canMove: true })
  await payOrder(world)
  const browser = await new Browser(mount(world)).signIn()
  const refund = formTo(await browser.open('/console/orders/A-1'), /\/refund$/)
  const step = await browser.submit(refund, { amount: '30' })
  await world.send('/api/log/close')
  const failed = await browser.submit(formTo(step, /confirm$/), { reason: 'A chip' })
  expect([failed.status, failed.text.includes('Nothing was sent')]).toEqual([503, true])
  expect((await browser.open('/console/orders/A-1')).status).toBe(200)
})
