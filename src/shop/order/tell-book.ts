import { actShop } from '../books/actions.ts'
import { statusesOfBook } from '../books/links.ts'
import { learnSums, noteTold, type Placed } from '../books/register.ts'
import type { BooksScope } from '../books/scope.ts'
import type { Published } from './published.ts'
import { getBirth } from './rebuild.ts'
import type { OrderScope } from './scope.ts'

/**
 * Reports an order to its book. One that is in none yet is reported to the register, which takes it or names the book that
 * does: there it stays.
 *
 * @returns The number of its book.
 */
export async function tellBook<T>(
  scope: OrderScope,
  published: Published,
  action: (scope: BooksScope, row: T & { book: number | null; opens?: boolean }) => Placed,
  row: T,
): Promise<number> {
  const { order_id, book: known } = published
  const book = known ?? (await findBook(scope, order_id))
  let placed = await actShop(scope, book ?? 1, action, { ...row, book })
  const number = placed.book
  if (number !== (book ?? 1)) {
    scope.store.all('UPDATE published SET book = ? WHERE order_id = ?', number, order_id)
    placed = await actShop(scope, number, action, { ...row, ...placed, news: undefined })
  }
  const { news = [] } = placed
  if (news.length > 0) {
    await actShop(scope, 1, learnSums, { book: number, news })
    await actShop(scope, number, noteTold, news)
  }
  return number
}

/** The book of an order whose gate has lost its storage: only then may a book have it that the gate does not know. */
async function findBook(scope: OrderScope, order_id: string): Promise<number | null> {
  if (getBirth(scope.store)?.rebuilt_at == null) return null
  const { rows, books } = await actShop(scope, 1, statusesOfBook, [order_id])
  if (rows.length > 0) return 1
  for (const { number } of books) {
    if ((await actShop(scope, number, statusesOfBook, [order_id])).rows.length > 0) return number
  }
  return null
}
