import type { Tables } from '../lib/tables.ts'
import type { Scope } from '../scope.ts'

/** A scope inside one of the shop's books. */
export interface BooksScope extends Scope {
  shop: Tables
}
