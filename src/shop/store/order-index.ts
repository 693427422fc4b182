import { sha256 } from '../lib/crypto.ts'
import { orderKeyOf } from './event-log.ts'
import { fitsMetadata, type KvStore, type Row, unlessJustWritten } from './kv.ts'
import type { Order } from './order.ts'

const DAY_MS = 86_400_000
/** Later than any time that will be written; 13 digits, so that keys sort by time. */
const FAR = 9_999_999_999_999
const ROW_SECONDS = 400 * 86_400
const RECENT = 'recent/'

export const dayOf = (time: number): number => Math.floor(time / DAY_MS)

/** What a list of orders shows of one. Amounts are the wire's numbers, totals are minor units. */
export type OrderSummary = Pick<
  Order,
  | 'order_id'
  | 'status'
  | 'method'
  | 'amount'
  | 'currency'
  | 'totals'
  | 'flags'
  | 'updated_at'
  | 'reference'
  | 'replaces'
  | 'replaced_by'
>

export function summaryOf(order: Order): OrderSummary {
  const { order_id, status, method, amount, currency, totals, flags, updated_at } = order
  const { reference, replaces, replaced_by } = order
  return {
    ...{ order_id, status, method, amount, currency, totals, flags, updated_at },
    ...(reference !== undefined && { reference }),
    ...(replaces !== undefined && { replaces }),
    ...(replaced_by !== undefined && { replaced_by }),
  }
}

/** One row of the index: an order that had an event on that day. */
export interface RecentRow {
  key: string
  order_id: string
  /** When the row was written, milliseconds since 1970. */
  time: number
  /** Absent in the mark of an old row. */
  summary?: OrderSummary
  /** The order has a row of a later day: it is shown there. */
  isOld: boolean
}

/** What a row holds: the order's summary, or the mark of an old row. */
type Held = Partial<OrderSummary> & { old?: true }

const keyOf = (time: number, orderKey: string): string => `${RECENT}${invertedOf(time)}/${orderKey}`
const invertedOf = (time: number): string => String(FAR - time).padStart(13, '0')

/**
 * Puts an order into the index of the latest ones.
 *
 * Key `recent/<inverted time>/<order key>`; metadata: the summary, where it fits; the value holds it too; gone after 400
 * days.
 */
export async function putRecent(store: KvStore, order: OrderSummary, time: number): Promise<void> {
  await putRow(store, keyOf(time, await orderKeyOf(order.order_id)), order)
}

/** Marks a row as one whose order has a later row. */
export async function markOld(store: KvStore, order_id: string, time: number): Promise<void> {
  await putRow(store, keyOf(time, await orderKeyOf(order_id)), { order_id, old: true })
}

async function putRow(store: KvStore, key: string, held: object): Promise<void> {
  // The same key within the same second: another webhook has just written this very row.
  await unlessJustWritten(store.put(key, held, fitsMetadata(held) ? held : undefined, ROW_SECONDS))
}

/** A page of the index, newest first. An order that had events on several days has a row for each. */
export async function listRecent(
  store: KvStore,
  limit: number,
  cursor?: string,
  prefix: string = RECENT,
): Promise<{ rows: RecentRow[]; cursor: string | undefined }> {
  const page = await store.page(prefix, limit, cursor)
  return { rows: await rowsOf(store, page.rows), cursor: page.cursor }
}

/**
 * The rows of a period in blocks, the oldest first. KV lists the newest first: a block of more than a page is divided.
 *
 * @param after Milliseconds since 1970, exclusive. @param until Milliseconds since 1970, inclusive.
 */
export async function* listOldestFirst(
  store: KvStore,
  after: number,
  until: number,
  digits = '',
): AsyncGenerator<{ rows: RecentRow[]; newest: number }> {
  const newest = FAR - Number(digits.padEnd(13, '0'))
  const oldest = FAR - Number(digits.padEnd(13, '9'))
  if (newest <= after || oldest > until) return
  const { rows, cursor } = await listRecent(store, 1000, undefined, RECENT + digits)
  if (cursor === undefined) {
    const found = rows.filter(({ time }) => time > after && time <= until)
    yield { rows: found.reverse(), newest: Math.min(newest, until) }
  } else for (let digit = 9; digit >= 0; digit--) yield* listOldestFirst(store, after, until, digits + digit)
}

/** Blocks of this many milliseconds and more are listed: a quarter of an hour at each end may belong to neither side. */
const SMALLEST_BLOCK = 6

/**
 * The prefixes under which the rows of a period lie, newest first: at most 9 for each digit and end, however many orders
 * are stored. The first and the last may hold rows from outside of it.
 *
 * @param from Milliseconds since 1970, inclusive.
 * @param to Milliseconds since 1970, exclusive. @param now No row is later.
 */
export function prefixesOf(from: number, to: number, now: number): string[] {
  const last = FAR - from
  // Nothing lies in the future: a wider block there costs nothing.
  let at = floorTo(FAR - to, to > now ? SMALLEST_BLOCK + 4 : SMALLEST_BLOCK)
  const prefixes: string[] = []
  while (at <= last) {
    let digits = SMALLEST_BLOCK
    while (digits < 12 && at % 10 ** (digits + 1) === 0 && at + 10 ** (digits + 1) - 1 <= last) digits++
    prefixes.push(
      RECENT +
        String(at)
          .padStart(13, '0')
          .slice(0, 13 - digits),
    )
    at += 10 ** digits
  }
  return prefixes
}

const floorTo = (value: number, digits: number): number => Math.max(0, value - (value % 10 ** digits))

async function rowsOf(store: KvStore, found: readonly Row[]): Promise<RecentRow[]> {
  const rows = await Promise.all(
    found.map(async ({ key, metadata }): Promise<RecentRow> => {
      const [, inverted = ''] = key.split('/')
      const { old, ...held } = (metadata ?? (await store.get(key)) ?? {}) as Held
      const { order_id = '' } = held
      const summary = held.totals && { summary: held as OrderSummary }
      return { key, order_id, time: FAR - Number(inverted), ...summary, isOld: old === true }
    }),
  )
  return rows.filter(({ order_id }) => order_id !== '')
}

/** A row of another index that leads to an order. */
export interface IndexRow {
  key: string
  order_id: string
  /** Milliseconds since 1970. */
  time: number
}

const referencePrefix = async (reference: string): Promise<string> => `reference/${await sha256(reference)}/`

/**
 * Lets an order be found by what the shop calls the sale.
 *
 * Key `reference/<hash of the reference>/<order key>`; metadata: order_id and time, where they fit; the value holds them
 * too; gone after 400 days.
 */
export async function putReference(store: KvStore, reference: string, order_id: string, time: number): Promise<void> {
  const held = { order_id, time }
  await putRow(store, (await referencePrefix(reference)) + (await orderKeyOf(order_id)), held)
}

/** A page of the orders of one reference, in no particular order. */
export async function listReference(
  store: KvStore,
  reference: string,
  limit: number,
  cursor?: string,
): Promise<{ rows: IndexRow[]; cursor: string | undefined }> {
  const page = await store.page(await referencePrefix(reference), limit, cursor)
  const rows = await Promise.all(
    page.rows.map(async ({ key, metadata }) => {
      const held = (metadata ?? (await store.get(key))) as { order_id?: string; time?: number } | undefined
      return { key, order_id: held?.order_id ?? '', time: held?.time ?? 0 }
    }),
  )
  return { rows: rows.filter(({ order_id }) => order_id !== ''), cursor: page.cursor }
}
