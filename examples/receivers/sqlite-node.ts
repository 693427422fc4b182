// node:sqlite is in Node from 22.13 on, and in Deno. Bun has both: this file works there too.

import process from 'node:process'
import { DatabaseSync } from 'node:sqlite'
import { openStore, type Store } from './store.ts'

let opened: Store | undefined

/** Opens the file at the first webhook: a framework that builds your app loads this module too. */
export const store = (): Store => {
  opened ??= openStore(new DatabaseSync(process.env.DATABASE ?? 'shop.sqlite'))
  return opened
}
