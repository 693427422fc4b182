import { Database } from 'bun:sqlite'
import process from 'node:process'
import { openStore, type Store } from './store.ts'

export const store: Store = openStore(new Database(process.env.DATABASE ?? 'shop.sqlite'))
