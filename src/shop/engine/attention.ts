// The list of issues for the shop's people: in orders, webhooks without an order, and rejected payments.

import type { CheckoutLink } from '../../checkout-link/index.ts'
import { baseOrderId } from '../../orders/attempt-id.ts'
import { shownOf } from '../../orders/fold.ts'
import type { SqlStatement } from '../../till/database.ts'
import { type Reading, readNamed, readOrders } from '../../till/store.ts'
import { listStrays, type Stray } from '../kv/strays.ts'
import { linkOfReuse } from '../lib/links.ts'
import { notFound, type ProblemError } from '../lib/problem.ts'
import type { RaisedAlert } from '../options.ts'
import type { Scope } from '../scope.ts'
import { query, queryAll, REJECTED, type Row } from '../tables.ts'
import { priceOf, raiseAlert, textOf } from './alerts.ts'
import { FLAG_BITS, findNeeding, itemOf, type Matter, type Needing } from './needing.ts'

/** Something that a person should look at, in a sentence. `amount` is the requested amount, as the wire has it. */
export interface AttentionItem {
  kind: string
  order_id: string | null
  text: string
  amount?: number
  currency?: string
  /** When its order was first stored, ISO 8601, UTC. */
  at: string
  [detail: string]: unknown
}

/** The matters for a person, the oldest first. */
export interface AttentionList {
  items: AttentionItem[]
  /** Whether there are more items than these. */
  more: boolean
  /** How many items there are. */
  count: number
  /** Set while more than 500 changed orders have not been read yet: ask again. */
  behind?: true
}

/** The items of the orders that have waited longest. @param limit How many orders; 0: only the count. */
export async function listAttention(scope: Scope, limit: number): Promise<AttentionList> {
  const open = 'FROM edgetill_matter WHERE is_done = 0'
  const [{ count: flags, orders, isWhole }, [[sum] = [], matters = []]] = await Promise.all([
    findNeeding(scope, limit && limit + 1),
    queryAll(scope, [
      [`SELECT count(*) AS count ${open}`, []],
      [`SELECT id, at, matter ${open} ORDER BY at, id LIMIT ${limit && limit + 1}`, []],
    ]),
  ])
  const count = orders.reduce((all, one) => all + one.matters.length, flags + Number(sum?.count))
  const about = { count, ...(!isWhole && { behind: true as const }) }
  if (limit === 0) return { items: [], more: count > 0, ...about }
  const rows = [
    ...orders.map((one) => ({ at: one.since, id: one.order_id, one })),
    ...matters.map((row) => ({ at: Number(row.at), id: String(row.id), items: [shownMatter(scope, row)] })),
  ].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  const page = rows.slice(0, limit)
  const readings = await readOrders(
    scope.till,
    page.flatMap((row) => ('one' in row ? row.id : [])),
  )
  const items = page.flatMap((row) => {
    const items = 'one' in row ? itemsOf(scope, row.one, readings.shift() as Reading) : row.items
    return items.map((item) => ({ ...item, at: new Date(row.at).toISOString() }))
  })
  return { items, more: rows.length > limit || !isWhole, ...about }
}

type Item = Omit<AttentionItem, 'at'> & Pick<AttentionItem, 'kind' | 'order_id' | 'text'>

/** The items of an order; its flags are those of the attempt that holds money, else of the newest. */
function itemsOf({ env }: Scope, { order_id, bits, matters }: Needing, { attempts }: Reading): Item[] {
  const { order } = shownOf(attempts) ?? {}
  const flags = [...(order?.flags ?? []), 'over_sold'].filter((flag) => (bits & (FLAG_BITS.get(flag) ?? 0)) > 0)
  const flagged = flags.map((flag): RaisedAlert => ({ kind: 'flag', order_id: order?.order_id ?? order_id, flag }))
  const alerts = [...flagged, ...matters.map(({ alert }) => alert)]
  const price = priceOf({ attempts })
  const { amount, currency } = price ?? order ?? {}
  const sum = amount != null && currency != null && { amount, currency }
  return alerts.map((alert) => ({ ...alert, ...sum, text: textOf(alert, env, price) }))
}

const noItem = (): ProblemError => notFound('item')

/** Removes an item from the list until it changes again. @throws {ProblemError} if the item is not there. */
export async function attentionDone(
  scope: Scope,
  named: string,
  { kind, flag }: { kind: string; flag?: string | null | undefined },
): Promise<void> {
  if (kind === 'checkout_rejected') {
    if (!(await finishStray(scope, rejectedId(baseOrderId(named))))) throw noItem()
    return
  }
  const [{ base_id, next, attempts }] = await readNamed(scope.till, named)
  if (attempts.length === 0) throw noItem()
  const { orders } = await findNeeding(scope, 1, base_id)
  const [{ bits, matters } = { bits: 0, matters: [] as Matter[] }] = orders
  const flags = [...FLAG_BITS].filter(
    ([name, bit]) => kind === 'flag' && (bits & bit) > 0 && (flag == null || flag === name),
  )
  const others = matters
    .filter(({ alert }) => alert.kind === kind && flag == null)
    .map((one) => [itemOf(one), 0] as const)
  const open = [...flags, ...others]
  if (open.length === 0) throw noItem()
  const put = `INSERT INTO edgetill_done (order_id, item, bit, number) VALUES (?, ?, ?, ?) ON CONFLICT (order_id, item) DO UPDATE
    SET number = excluded.number`
  const done = open.map(([item, bit]): SqlStatement => [put, [base_id, item, bit, next - 1]])
  await queryAll(scope, done)
}

/** The id of a rejected payment's row in `edgetill_matter`; it ends with the order_id, or a reusable link's id. */
const rejectedId = (order_id: string): string => `${REJECTED}${order_id}`

/** Stores a matter that belongs to no order: a stray, or a rejected payment. */
const PUT = `INSERT INTO edgetill_matter (id, at, is_done, matter) VALUES (?, ?, 0, ?) ON CONFLICT (id) DO`

function shownMatter({ env }: Scope, { matter }: Row): Item {
  const { amount, currency, number, ...alert } = JSON.parse(String(matter))
  return { ...alert, ...(number && { number }), ...(currency && { amount, currency }), text: textOf(alert, env) }
}

/** Reports to the shop that a link cannot be paid. @param fields The names of the fields that were rejected. */
export async function reportRejected(
  scope: Scope,
  { order, reusable }: CheckoutLink,
  fields: readonly string[],
): Promise<void> {
  const { amount, currency } = order
  const order_id = reusable ? linkOfReuse(order.order_id) : order.order_id
  const alert = { kind: 'checkout_rejected', order_id, fields } as const
  raiseAlert(scope, alert)
  const at = 'CASE WHEN edgetill_matter.is_done = 0 THEN edgetill_matter.at ELSE excluded.at END'
  const sql = `${PUT} UPDATE SET at = ${at}, is_done = 0, matter = excluded.matter`
  await query(scope, sql, rejectedId(order_id), scope.now(), JSON.stringify({ ...alert, amount, currency }))
}

/** Removes a rejected payment's matter: the payment, or another of its reusable link, could be created after all. */
export const acceptedAfterAll = (order_id: string): SqlStatement => [
  'DELETE FROM edgetill_matter WHERE id IN (?, ?)',
  [rejectedId(order_id), rejectedId(linkOfReuse(order_id))],
]

/** Lists webhooks that name no order, unless they are listed already. */
export async function addStray(scope: Scope, ...strays: readonly Stray[]): Promise<void> {
  const rows = strays.map(({ id, received_at, reason, ...about }): SqlStatement => {
    const matter = { kind: 'stray', order_id: null, reason, id, ...about }
    return [`${PUT} NOTHING`, [id, received_at, JSON.stringify(matter)]]
  })
  if (rows.length > 0) await queryAll(scope, rows)
}

/** Lists the strays whose row could not be written when they came. */
export const findStrays = async (scope: Scope): Promise<void> =>
  addStray(scope, ...(await listStrays(scope.kv, 500)).strays)

/** Removes a matter from the list: a person has dealt with it. @returns Whether it was listed. */
export async function finishStray(scope: Scope, id: string): Promise<boolean> {
  return (
    (await query(scope, 'UPDATE edgetill_matter SET is_done = 1 WHERE id = ? AND is_done = 0 RETURNING id', id))
      .length > 0
  )
}
