import { Database } from 'bun:sqlite'
import process from 'node:process'
import { openStore, type Store } from './store.ts'

let opened: Store | undefined

export const store = (): Store => {
  opened ??= openStore(new Database(process.env.DATABASE ?? 'shop.sqlite'))
  return opened
}
