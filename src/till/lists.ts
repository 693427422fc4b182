// The list of orders, with filters and a search. Each statement finds its rows by an index, except a search by words.

import { ConfigError } from '../errors.ts'
import { baseOrderId } from '../orders/attempt-id.ts'
import type { ListedOrder } from '../orders/listed-order.ts'
import { MONEY_STATES, type MoneyState } from '../orders/money-state.ts'
import type { OrderFlag } from '../orders/order.ts'
import { backwards, patternOf, phoneOf, searchedWords, sumOf } from '../orders/search-words.ts'
import type { SqlValue } from './database.ts'
import type { TillOptions } from './events.ts'
import { hasFlag } from './list-tables.ts'
import { catchUp, type ListRow } from './listed.ts'
import { run } from './store.ts'

/** A page of a list. `limit`: 1 to 500, by default 50. `cursor`: from the previous page, with the same filters. */
export interface Page {
  limit?: number | undefined
  cursor?: string | null | undefined
}

/** Filters, which all apply. Every page except the last is full. */
export interface OrdersQuery extends Page {
  /** The state of the order's money is in this list. */
  states?: readonly MoneyState[] | undefined
  /** The service's status of the payment. */
  status?: string | undefined
  /** `any`: with at least one flag that needs a person. */
  flag?: OrderFlag | 'any' | undefined
  /** Your own name of the sale, from `createPayment`. */
  reference?: string | undefined
  /** Payments of the last week without a final status, and orders with an operation without an outcome. */
  open?: boolean | undefined
  /** `listed_at` is then or later. */
  from?: Date | undefined
  /** `listed_at` is earlier. */
  to?: Date | undefined
  /**
   * The beginning of an order_id, a reference or an e-mail address; the number that ends an order_id, the end of a
   * phone number, a card's last four digits, or a sum; else words of the goods, the buyer or the address, in orders of
   * the 92 days before `to` or now.
   */
  search?: string | undefined
}

const DAY_MS = 86_400_000
/** How old an order may be to be found by words: such a search reads every order. */
const WORDS_MS = 92 * DAY_MS

/** The states of each status; any other status has the first state. */
const STATES_OF = new Map<string, readonly MoneyState[]>([
  ['pending', ['pending']],
  ['failure', ['failed']],
  ['success', MONEY_STATES.slice(3)],
])

/**
 * Begins a list.
 * @param place The form of a cursor.
 * @returns The cursor's parts.
 * @throws {ConfigError} for a wrong page.
 */
export async function beginList(scope: TillOptions, { limit = 1, cursor }: Page, place: RegExp): Promise<string[]> {
  if (!Number.isInteger(limit) || limit < 1 || limit > 500)
    throw new ConfigError('limit', 'limit must be a whole number from 1 to 500.')
  const parts = cursor ? place.exec(cursor) : []
  if (!parts) throw new ConfigError('cursor', 'cursor must be that of the previous page.')
  if (await catchUp(scope)) return parts.slice(1)
  throw Object.assign(new Error('The list is behind: call again.'), { name: 'StorageError' })
}

type Condition = readonly [sql: string, ...values: SqlValue[]]
const begins = (name: string, text: string): Condition => [`${name} >= ? AND ${name} < ?`, text, `${text}\u{10ffff}`]

/** The part of a search that uses indexes. */
function indexed(search: string): Condition {
  const ways = [begins('order_id', baseOrderId(search)), begins('reference', search)]
  ways.push(begins('email', search.toLowerCase()))
  const phone = phoneOf(search)
  if (phone) ways.push(begins('phone', backwards(phone)))
  if (/^\d{4}$/.test(search)) ways.push(['last_four = ?', search])
  if (/^\d{1,12}$/.test(search)) ways.push(['tail = ?', search])
  const sum = sumOf(search)
  if (sum !== undefined) ways.push(...['amount', 'sum', 'refunded'].map((name): Condition => [`${name} = ?`, sum]))
  return [`(${ways.map(([sql]) => sql).join(' OR ')})`, ...ways.flatMap(([, ...values]) => values)]
}

/** The order of a row with the columns `shown` and `since`. */
export const listedOf = ({ shown, since }: ListRow): ListedOrder => ({
  ...JSON.parse(String(shown)),
  listed_at: new Date(Number(since)).toISOString(),
})

/** A page of orders, the newest first. */
export async function listOrders(
  scope: TillOptions,
  query: OrdersQuery,
): Promise<{ orders: ListedOrder[]; cursor: string | null }> {
  const { states = MONEY_STATES, status, flag, reference, open, from, to, search, limit = 50 } = query
  const [mode, time, last = ''] = await beginList(scope, query, /^([iw]?)(\d+)\/(.*)$/s)
  const { clock } = scope.database
  const leads: Condition[] = []
  if (reference !== undefined) leads.push(['reference = ?', reference])
  if (flag !== undefined) leads.push([hasFlag(flag)])
  if (open) leads.push([`is_open > 0 AND (is_open > 1 OR since > ${clock} - ${7 * DAY_MS})`])
  const ofStatus = status === undefined ? MONEY_STATES : (STATES_OF.get(status) ?? ['waiting'])
  const wanted = states.filter((state) => ofStatus.includes(state)).map((state) => MONEY_STATES.indexOf(state))
  const found = new Map<SqlValue, ListRow>()
  /** @param plus `+` keeps the database from using a column's index. */
  const find = async (conditions: readonly Condition[], plus = ''): Promise<void> => {
    const all = [...conditions, ...leads]
    if (status !== undefined) all.push(['status = ?', status])
    if (from) all.push([`${plus}since >= ?`, from.getTime()])
    if (to) all.push([`${plus}since < ?`, to.getTime()])
    if (time) all.push([`${plus}since <= ? AND (${plus}since < ? OR order_id < ?)`, Number(time), Number(time), last])
    const sql = `SELECT order_id, since, reference, shown FROM edgetill_order WHERE ${all.map(([sql]) => sql).join(' AND ') || '1 = 1'}
      ORDER BY ${plus}since DESC, order_id DESC LIMIT ${limit + 1}`
    const rows = await run<ListRow>(scope, sql, ...all.flatMap(([, ...values]) => values))
    for (const row of rows) found.set(row.order_id as SqlValue, row)
  }
  const ofState: Condition[] = wanted.length < MONEY_STATES.length ? [[`+state IN (${[-1, ...wanted]})`]] : []
  let way = ''
  if (search !== undefined) {
    await find([indexed(search), ...ofState], '+')
    // Words are compared if no index has found an order, or another order may be meant.
    const isNamed = [...found.values()].some((row) => row.order_id === baseOrderId(search) || row.reference === search)
    way = mode || (found.size > 0 && (isNamed || /^[\d\s()+.,-]+$|@/.test(search)) ? 'i' : 'w')
    const words = searchedWords(search).map((word): Condition => [`words LIKE ? ESCAPE '!'`, patternOf(word)])
    const since: Condition = [`since >= ${to ? to.getTime() : clock} - ${WORDS_MS}`]
    if (way === 'w' && words.length > 0) await find([...words, since, ...ofState])
  } else if (leads.length > 0 || ofState.length === 0) await find(ofState)
  else for (const state of wanted) await find([[`state = ${state}`]])
  const sorted = [...found.values()].sort(
    (a, b) => Number(b.since) - Number(a.since) || (String(a.order_id) < String(b.order_id) ? 1 : -1),
  )
  const end = sorted.length > limit && sorted[limit - 1]
  const orders = sorted.slice(0, limit).map(listedOf)
  return { orders, cursor: end ? `${way}${end.since}/${end.order_id}` : null }
}
