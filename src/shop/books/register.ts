import type { BooksScope } from './scope.ts'

// The first book is the register: it knows how many books there are, and which of them to ask.

/** Orders that a book takes: an object holds 10 GB, and an order with its payment 1.1 kB. */
const SIZE = 2_000_000

/** A further book. Whatever is in it came, or was made, between these times. */
export interface Book {
  number: number
  first: number
  last: number
}

/** The answer of a book: its rows and, if it is the register, the further books that may have some, the newest first. */
export interface Answer<T> {
  rows: T[]
  books: Book[]
}

type Shop = Pick<BooksScope, 'shop'>['shop']

/** @param sums What a book must have more than none of, such as `attention`, or money on a day between these. */
export function answer<T>(shop: Shop, rows: T[], ...sums: [] | [from: string, to: string]): Answer<T> {
  const has = sums.length > 0 ? 'AND number IN (SELECT book FROM sum WHERE value > 0 AND name BETWEEN ? AND ?)' : ''
  const query = `SELECT number, first, last FROM book WHERE number > 1 ${has} ORDER BY number DESC`
  return { rows, books: shop.all<Book>(query, ...sums) }
}

export interface Placed {
  book: number
  /** It is the first one of its book. */
  opens?: boolean
  /** The part of the book that the register does not know yet. */
  news?: Sum[]
}

/** The book that takes what is new now. */
export function currentBook({ shop, bookSize = SIZE }: BooksScope): Placed {
  const [last = { number: 1, taken: 0 }] = shop.all<{ number: number; taken: number }>(
    'SELECT number, taken FROM book ORDER BY number DESC LIMIT 1',
  )
  const isFull = last.taken >= bookSize
  // A link may be in a book before its first order.
  const opens = isFull || (last.number > 1 && last.taken === 0)
  return { book: last.number + Number(isFull), opens }
}

/** Notes that a book has, or takes, what came at a time. @returns Whether the book was unknown. */
export function countIn({ shop }: Pick<BooksScope, 'shop'>, book: number, since: number, taken: number): boolean {
  const [row] = shop.all<{ isKnown: number }>('SELECT 1 AS isKnown FROM book WHERE number = ?', book)
  const write = `INSERT INTO book VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
    SET taken = taken + excluded.taken, first = min(first, excluded.first), last = max(last, excluded.last)`
  shop.all(write, book, taken, since, since)
  return row === undefined
}

/** A count of a book, or a day with money in it. `change`: how often it has changed. */
export interface Sum {
  name: string
  value: number
  change: number
}

/** The part that a further book has not reported to the register. */
export const newsOf = ({ shop }: Pick<BooksScope, 'shop'>): Sum[] =>
  shop.all<Sum>('SELECT name, value, change FROM sum WHERE book = 0 AND change > told')

/** Tells the register what is new of a book. */
export function learnSums({ shop }: BooksScope, { book, news }: { book: number; news: Sum[] }): void {
  const write = `INSERT INTO sum VALUES (?, ?, ?, ?, 0) ON CONFLICT DO UPDATE
    SET value = excluded.value, change = excluded.change WHERE excluded.change > change`
  for (const { name, value, change } of news) shop.all(write, book, name, value, change)
}

/** Notes what the register knows. */
export function noteTold({ shop }: BooksScope, news: Sum[]): void {
  const write = 'UPDATE sum SET told = max(told, ?) WHERE book = 0 AND name = ?'
  for (const { name, change } of news) shop.all(write, change, name)
}

/** Has a book tell the register everything once more. */
export const tellAgain = ({ shop }: BooksScope): unknown => shop.all('UPDATE sum SET told = 0')

/** Forgets what a book has told: it was lost. */
export const forgetSums = ({ shop }: BooksScope, book: number): unknown =>
  shop.all('DELETE FROM sum WHERE book = ?', book)

export function sumOf({ shop, now }: BooksScope, name: 'attention' | 'failing'): number {
  const strays = name === 'attention' ? '(SELECT count(*) FROM stray WHERE coalesce(until, 1e15) > ?)' : '0 * ?'
  const query = `SELECT coalesce(sum(value), 0) + ${strays} AS count FROM sum WHERE name = ?`
  return shop.all<{ count: number }>(query, now(), name)[0]?.count ?? 0
}

/** Whether a session of the console was ended before its time. @param until Ends it: it is remembered so long. */
export function endedSession({ shop, now }: BooksScope, id: string, until?: number): boolean {
  const [row] = shop.all<{ value: string }>("SELECT value FROM progress WHERE name = 'ended'")
  const all = Object.entries(JSON.parse(row?.value ?? '{}') as Record<string, number>)
  const ended = Object.fromEntries(all.filter(([, end]) => end > now()))
  if (until !== undefined) {
    const value = JSON.stringify({ ...ended, [id]: until })
    shop.all("INSERT OR REPLACE INTO progress VALUES ('ended', ?)", value)
  }
  return id in ended
}
