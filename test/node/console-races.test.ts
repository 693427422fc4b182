// The console's forms sent twice at once, in workerd.
import { beforeAll, expect, it } from 'vitest'
import { createCheckoutLink } from '../../src/checkout-link/index.ts'
import type { Order } from '../../src/shop/lib/shown-order.ts'
import { Browser, type Form, formTo } from '../console/support/browser.ts'
import { isForChange } from '../support/environment.ts'
import { LINK_SECRET, ORDER, ORIGIN, payAt } from '../worker/support/world.ts'
import { StoppableWorkerd } from './support/stoppable-workerd.ts'

const ORDERS = isForChange ? 10 : 50

let workerd: StoppableWorkerd
beforeAll(async () => {
  workerd = await StoppableWorkerd.start()
  return () => workerd.end()
}, 60_000)

const send = async (request: Request) => {
  const { method, url, headers } = request
  return workerd.fetch(url, { method, headers: [...headers], body: method === 'GET' ? null : await request.text() })
}
async function sell(order_id: string): Promise<void> {
  const order = { ...ORDER, order_id }
  const link = await createCheckoutLink({ origin: ORIGIN, linkSecret: LINK_SECRET, order, now: () => workerd.now() })
  const opened = await workerd.fetch(link)
  await payAt(workerd.emulator, opened.headers.get('location') ?? '', 'success')
}

async function secondStep(browser: Browser, order_id: string): Promise<Form> {
  const first = formTo(await browser.open(`/console/orders/${order_id}`), /\/refund$/)
  return formTo(await browser.submit(first, { amount: '40' }), /\/refund\/confirm$/)
}

it(`a refund’s form that is sent twice at once makes one refund for each of ${ORDERS} orders, whether one person sends it or two`, async () => {
  const [olena, taras] = [await new Browser(send).signIn(), await new Browser(send).signIn()]
  const ids = Array.from({ length: ORDERS }, (_, i) => `R-${i}`)
  for (const id of ids) await sell(id)
  await workerd.advance(5_000)
  for (const [i, id] of ids.entries()) {
    const step = await secondStep(olena, id)
    // Every second time another person has opened the same order: another key.
    const other = i % 2 === 0 ? step : await secondStep(taras, id)
    const both = await Promise.all([olena.submit(step), (i % 2 === 0 ? olena : taras).submit(other)])
    const statuses = both.map(({ status }) => status)
    expect([id, statuses.includes(200)]).toEqual([id, true])
    for (const { status, text } of both) expect(text.includes('Refund: done')).toBe(status === 200)
  }
  await workerd.advance(60_000)
  const shown = await Promise.all(ids.map((id) => workerd.api<Order>(`/orders/${id}`)))
  const orders = shown.map(({ body }) => body)
  expect(orders.map(({ totals }) => totals.refunded_minor)).toEqual(ids.map(() => 4000))
  const refunds = orders.map(({ operations }) => operations.filter(({ method }) => method === 'refund').length)
  expect(refunds).toEqual(ids.map(() => 1))
}, 300_000)
