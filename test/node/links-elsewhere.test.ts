// Reusable links over Postgres, opened in several processes at once.
import connect from 'postgres'
import { expect, it } from 'vitest'
import { createShop, type Returns } from '../../src/shop/index.ts'
import { postgres as onPostgres } from '../../src/till/index.ts'
import { Browser, formTo } from '../console/support/browser.ts'
import { payment } from '../worker/support/events.ts'
import { ORIGIN, World } from '../worker/support/world.ts'
import { usePostgres } from './support/postgres.ts'

const postgres = usePostgres()
const ORDER = {
  mode: 'hosted',
  method: 'purchase',
  amount: 50,
  currency: 'UAH',
  description: 'A mug',
  order_3ds_bypass: 'supported',
}

it('sell what they may, whichever process a customer meets, and flag what is paid beyond it', async () => {
  const pools = Array.from({ length: 3 }, () => connect(postgres.url, { max: 5, onnotice() {} }))
  const background: Promise<unknown>[] = []
  const fetchBy = (process: number) => (request: Request) => {
    const waitUntil = (work: Promise<unknown>) => void background.push(work)
    const context = { waitUntil, passThroughOnException() {}, props: {} }
    return shops[process % shops.length]?.fetch(request, world.env(), context) as Promise<Response>
  }
  const world = new World({ emulator: { fetch: async (input, init) => fetchBy(0)(new Request(input, init)) } })
  world.time = Date.now()
  const fetch = ((input, init) => world.emulator.fetch(input as string, init)) as typeof globalThis.fetch
  const shops = pools.map((sql) => createShop({ database: () => onPostgres(sql), fetch }))
  const idle = async () => {
    await world.emulator.deliveries.idle()
    while (background.length > 0) await Promise.all(background.splice(0))
  }
  const json = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${world.env().ADMIN_TOKEN}` }
    return (await fetchBy(1)(new Request(ORIGIN + path, { ...init, headers }))).json()
  }
  const open = async (order_id: string, max_orders: number) => {
    const body = JSON.stringify({ order: { ...ORDER, order_id }, reusable: true, max_orders, max_per_hour: 1_000 })
    const { id, url } = (await json('/api/links', { method: 'POST', body })) as Returns['POST /api/links']
    const path = url.slice(ORIGIN.length)
    const press = async (process: number) => {
      const browser = new Browser(fetchBy(process))
      const { fields } = formTo(await browser.open(path), path)
      return () => browser.raw(path, { method: 'POST', body: new URLSearchParams(fields) })
    }
    const look = async () => ((await json(`/api/links/${id}`)) as Returns['GET /api/links/:id']).reusable
    return { press, look }
  }
  const crowded = await open('mug', 7)
  const pressed = await Promise.all(Array.from({ length: 50 }, (_, i) => crowded.press(i)))
  const answers = await Promise.all(pressed.map((press) => press()))
  const opened = answers.filter(({ status }) => status === 303)
  expect([opened.length, answers.filter(({ status }) => status === 410).length]).toEqual([7, 43])
  for (const { headers } of opened) await world.pay(headers.get('location') ?? '')
  await idle()
  expect(await crowded.look()).toMatchObject({ made: 7, taken: 7, sold: 7 })
  // Two that were declined have given the only place back, and are both paid at last, at the same moment.
  const single = await open('cup', 1)
  for (let i = 0; i < 2; i++) {
    const { headers } = await (await single.press(i))()
    await world.pay(headers.get('location') ?? '', 'insufficient_funds')
    await idle()
  }
  expect(await single.look()).toMatchObject({ made: 2, taken: 0, sold: 0 })
  const cups = world.emulator.orders.list().filter(({ order_id }) => order_id.startsWith('cup'))
  const late = cups.map(({ order_id }, i) => {
    const body = world.signed(payment(order_id, { amount: 50, status: 'success' }))
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return fetchBy(i)(new Request(`${ORIGIN}/webhooks`, { method: 'POST', body, headers }))
  })
  expect((await Promise.all(late)).map(({ status }) => status)).toEqual([200, 200])
  await idle()
  const { orders } = (await json('/api/orders?flag=over_sold')) as Returns['GET /api/orders']
  expect([orders.length, await single.look()]).toMatchObject([1, { taken: 2, sold: 2 }])
  await Promise.all(pools.map((sql) => sql.end()))
})
