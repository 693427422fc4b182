// node:sqlite is in Node from 22.13 on, and in Deno. Bun has both: this file works there too.

import process from 'node:process'
import { DatabaseSync } from 'node:sqlite'
import { openStore, type Store } from './store.ts'

export const store: Store = openStore(new DatabaseSync(process.env.DATABASE ?? 'shop.sqlite'))
