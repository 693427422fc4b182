// The lists of a shop with 5,000 orders: each page goes on where the one before it ended.
import { expect, it } from 'vitest'
import type { MoneyState } from '../../src/orders/money-state.ts'
import type { ListedOrder } from '../../src/shop/routes/calls.ts'
import { payment, secondary } from '../worker/support/events.ts'
import { World } from '../worker/support/world.ts'
import { Browser, mount } from './support/browser.ts'

const ORDERS = 5_000
/** Three orders share a moment. */
const AT_ONCE = 3

const FILTERS: Record<string, readonly MoneyState[] | undefined> = {
  all: undefined,
  success: ['paid', 'reserved', 'partly_charged', 'partly_refunded'],
  waiting: ['waiting', 'pending'],
  refunded: ['refunded', 'partly_refunded'],
  failure: ['failed'],
}

const MADE = "printf('%s-%05d', o.order_id, n.i)"

/** A shop with an order in each state. */
async function everyState(world: World): Promise<void> {
  const pay = (id: string, fields: object = {}) => world.deliver(payment(id, { amount: 100, ...fields }))
  const then = (id: string, method: string, amount: number) => world.deliver(secondary(id, method, { amount }))
  await world.open(await world.link({ order_id: 'waiting', amount: 100 }))
  await pay('pending', { status: 'pending' })
  await pay('failed', { status: 'failure' })
  await pay('paid')
  for (const id of ['reserved', 'partly_charged', 'released']) await pay(id, { method: 'auth' })
  await then('partly_charged', 'capture', 40)
  await then('released', 'void', 100)
  for (const id of ['partly_refunded', 'refunded']) await pay(id)
  await then('partly_refunded', 'refund', 40)
  await then('refunded', 'refund', 100)
}

it('shows each of 5,000 orders once, the newest first, under every filter', async () => {
  const world = new World({ failures: 0 })
  await everyState(world)
  const { orders } = (await (await world.api('/api/orders')).json()) as { orders: ListedOrder[] }
  expect(orders.map(({ order_id, state }) => [order_id, state])).toEqual(orders.map(({ state }) => [state, state]))
  expect(orders).toHaveLength(9)
  // Their rows again, under other ids and at other moments.
  const rowsOf = (statement: string) => world.object.storage().sql.exec(statement).toArray() as Record<string, string>[]
  const names = rowsOf("SELECT name FROM pragma_table_info('edgetill_order')")
  const made: Record<string, string> = {
    order_id: MADE,
    since: `o.since - n.i / ${AT_ONCE} * 1000`,
    shown: `json_set(o.shown, '$.order_id', ${MADE})`,
  }
  const columns = names.map(({ name }) => String(name))
  rowsOf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ORDERS - orders.length})
    INSERT INTO edgetill_order (${columns}) SELECT ${columns.map((name) => made[name] ?? `o.${name}`)}
    FROM n JOIN (SELECT row_number() OVER (ORDER BY order_id) - 1 AS place, * FROM edgetill_order) o ON o.place = n.i % ${orders.length}`)
  const rows = rowsOf('SELECT order_id, shown FROM edgetill_order ORDER BY since DESC, order_id DESC')
  expect(rows).toHaveLength(ORDERS)

  const of = (states: readonly MoneyState[] | undefined) =>
    rows.flatMap(({ order_id, shown }) => (!states || states.includes(JSON.parse(String(shown)).state) ? order_id : []))
  for (const states of Object.values(FILTERS)) {
    const found: string[] = []
    const narrowed = states ? `&state=${states}` : ''
    for (let [more, cursor] = ['', '' as string | null]; cursor !== null; more = `&cursor=${cursor}`) {
      const reply = await world.api(`/api/orders?limit=100${narrowed}${more}`)
      const page = (await reply.json()) as { orders: ListedOrder[]; cursor: string | null }
      cursor = page.cursor
      if (cursor !== null) expect(page.orders).toHaveLength(100)
      found.push(...page.orders.map(({ order_id }) => order_id))
    }
    expect(found).toEqual(of(states))
    expect(found.length).toBeGreaterThan(500)
  }

  // The pages of the console lead from one to the next.
  const browser = await new Browser(mount(world)).signIn()
  const found: string[] = []
  for (let next: string | undefined = '/console/orders?state=failure'; next !== undefined; ) {
    const { text } = await browser.open(next)
    found.push(...[...text.matchAll(/<a href="\/console\/orders\/([^"?]+)"/g)].map(([, id = '']) => id))
    next = /href="(\/console\/orders\?(?![^"]*lang=)[^"]*cursor=[^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }
  expect(found).toEqual(of(FILTERS.failure))
}, 120_000)
