import { newShort } from '../lib/links.ts'
import type { Scope } from '../scope.ts'
import { actShop } from './actions.ts'
import { addLink, type LinkRow } from './links.ts'
import type { Answer } from './register.ts'
import type { NewReusable } from './reuse.ts'
import type { BooksScope } from './scope.ts'
import type { Position } from './tables.ts'

type Question<Q, T> = (scope: BooksScope, query: Q) => Answer<T>

/** Asks every book that may have something: one call where there is one book. */
export async function askAll<Q, T>(scope: Scope, action: Question<Q, T>, query: Q): Promise<T[]> {
  const { rows, books } = await actShop(scope, 1, action, query)
  const further = await Promise.all(books.map(({ number }) => actShop(scope, number, action, query)))
  return [rows, ...further.map((one) => one.rows)].flat()
}

/** How the rows of all books are one list. */
interface Order<T> {
  place: (row: T) => Position
  newestFirst?: boolean
  /** That time is when an order came, or a link was made: between the times of its book. */
  isBounded?: boolean
  /** The times that are asked for, inclusive. */
  from?: number | undefined
  to?: number | undefined
}

/** A page of a list, and the place that the next one comes after. */
export interface Paged<T> {
  page: T[]
  next: Position | undefined
}

/** A page of a list that all books have a part of. */
export async function askPage<Q extends { limit: number }, T>(
  scope: Scope,
  action: Question<Q, T>,
  query: Q,
  { place, newestFirst = false, isBounded = false, from = 0, to = Number.POSITIVE_INFINITY }: Order<T>,
): Promise<Paged<T>> {
  const asked = { ...query, limit: query.limit + 1 }
  const { rows, books } = await actShop(scope, 1, action, asked)
  let found = rows
  for (const book of newestFirst ? books : books.reverse()) {
    const last = found[query.limit]
    const [time] = last && isBounded ? place(last) : []
    // Nothing of it comes before what is found, or it has nothing of these times.
    if (time !== undefined && (newestFirst ? book.last < time : book.first > time)) continue
    if (book.last < from || book.first > to) continue
    const more = await actShop(scope, book.number, action, asked)
    const order = (a: T, b: T): number => compare(place(a), place(b))
    found = [...found, ...more.rows].sort((a, b) => (newestFirst ? order(b, a) : order(a, b))).slice(0, asked.limit)
  }
  const page = found.slice(0, query.limit)
  const last = page.at(-1)
  return { page, next: found.length > page.length && last ? place(last) : undefined }
}

/** As SQLite sorts: texts by their UTF-8. */
function compare([time, id]: Position, [otherTime, otherId]: Position): number {
  if (time !== otherTime || id === otherId) return time - otherTime
  const [points, others] = [[...id], [...otherId]]
  const at = points.findIndex((point, index) => point !== others[index])
  // A beginning of the other one is before it.
  return (points[at]?.codePointAt(0) ?? -1) - (others[at]?.codePointAt(0) ?? -Number(at >= 0))
}

/** Keeps a link in a book; the register may name another one, but not for a reusable link. @returns Its short name. */
export async function keepLink(
  scope: Scope,
  number: number,
  row: Omit<LinkRow, 'short'>,
  reusable?: NewReusable,
): Promise<string> {
  const short = await newShort(scope.env.LINK_SECRET, number)
  const further: [book?: number, reusable?: NewReusable] = reusable ? [number, reusable] : number === 1 ? [] : [number]
  const { book } = await actShop(scope, number, addLink, { ...row, short }, ...further)
  return book === number ? short : keepLink(scope, book, row)
}
