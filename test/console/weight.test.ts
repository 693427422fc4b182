// A page of the console is small: 3 kB gzipped at most, also of a busy shop, with a long list or a code to print.
import { expect, it } from 'vitest'
import { payment } from '../worker/support/events.ts'
import { World } from '../worker/support/world.ts'
import { Browser, mount } from './support/browser.ts'

const LIMIT = 3_000
const PAGES = [
  ...['/', '/orders', '/orders/A-1', '/orders/A-1/refund?amount=10', '/links', '/links/cup', '/attention', '/day'],
  ...['/day?from=2026-03-01&to=2026-03-10', '/new-link', '/record', '/more'],
]

async function gzipped(text: string): Promise<number> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  return (await new Response(stream).arrayBuffer()).byteLength
}

it('has at most 3 kB a page, in both languages', async () => {
  const world = new World({ failures: 0, env: { SHOP_NAME: 'Горнятко', SHOP_TZ: 'Europe/Kyiv' } })
  for (let n = 0; n < 40; n++) {
    const who = { customer_fname: 'Олена', customer_lname: `Коваль-${n}` }
    const order = { order_id: `A-${n}`, amount: 100 + n }
    await world.open(await world.link({ ...order, ...who, description: `Великий чайник ${n}` }))
    const created_at = new Date(world.time).toISOString().slice(0, -1)
    await world.deliver(payment(order.order_id, { ...order, status: n % 5 === 0 ? 'failure' : 'success', created_at }))
    await world.advance(5 * 3_600_000)
  }
  const cup = { order_id: 'cup', description: 'Чашка', mode: 'hosted', method: 'purchase', amount: 70, currency: 'UAH' }
  const body = JSON.stringify({ order: { ...cup, order_3ds_bypass: 'supported' }, reusable: true, max_orders: 20 })
  expect((await world.api('/api/links', { method: 'POST', body })).status).toBe(201)
  for (const language of ['en', 'uk']) {
    const browser = await new Browser(mount(world), { 'accept-language': language }).signIn()
    for (const path of PAGES) {
      const { status, text } = await browser.open(`/console${path}`)
      const size = await gzipped(text)
      expect([language, path, status, size <= LIMIT ? LIMIT : size]).toEqual([language, path, 200, LIMIT])
    }
  }
})
