import type { Emulator } from '../../../src/emulator/index.ts'
import type { ClientConfig } from '../../../src/index.ts'
import {
  createTill,
  type D1Handle,
  d1,
  type Moved,
  sqlite,
  type TillDatabase,
  type TillOptions,
} from '../../../src/till/index.ts'
import { hasSqlite } from '../../support/environment.ts'
import { openShop } from '../../support/shop.ts'

export const REFUND = { order_id: 'A-1', order_currency: 'UAH', refund_amount: 30 }

export const PAYMENT = {
  mode: 'hosted',
  method: 'purchase',
  order_id: 'A-1',
  amount: 100.5,
  currency: 'UAH',
  description: 'Two mugs',
  order_3ds_bypass: 'supported',
  customer_email: 'olena@example.com',
  customer_phone: '+380441234567',
  customer_fname: 'Olena',
  customer_lname: 'Shevchenko',
  server_url: 'https://shop.example.com/webhooks',
  result_url: 'https://shop.example.com/thanks',
} as const

/** An empty database of this runtime: its SQLite, or D1 in workerd. */
export async function openDatabase(): Promise<TillDatabase> {
  if ('Bun' in globalThis) {
    const { Database } = await import('bun:sqlite')
    return sqlite(new Database(':memory:'))
  }
  if (hasSqlite) {
    const { DatabaseSync } = await import('node:sqlite')
    return sqlite(new DatabaseSync(':memory:'))
  }
  const name = 'cloudflare:workers'
  const { env } = (await import(/* @vite-ignore */ name)) as { env: { DB: D1Handle } }
  const database = d1(env.DB)
  const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'edgetill_%'"
  for (const { name: table } of await database.run(tables, [])) await database.run(`DROP TABLE ${table}`, [])
  return database
}

/** A database, or an empty one, whose clock is the emulator's. */
export async function clockedDatabase(
  { clock }: Pick<Emulator, 'clock'>,
  real?: Omit<TillDatabase, 'clock'>,
): Promise<TillDatabase> {
  const { run, batch } = real ?? (await openDatabase())
  return {
    get clock() {
      return String(clock.now())
    },
    run,
    ...(batch && { batch }),
  }
}

/** A till over a new database whose clock is the emulator's. */
export async function openTill(options: Partial<TillOptions> = {}, config: Partial<ClientConfig> = {}) {
  const shop = openShop({ maxRetries: 0, ...config })
  const { clock } = shop.emulator
  const database = await clockedDatabase(shop.emulator)
  /** Another process over the same database. */
  const another = (more: Partial<TillOptions> = {}) =>
    createTill({ client: shop.client, database, ...options, ...more })
  const till = another()
  await till.migrate()
  /** Delivers the webhooks that have come. */
  const deliver = async () => {
    await shop.emulator.deliveries.idle()
    const events = shop.events.splice(0)
    for (const event of events) await till.receive(event)
    return events
  }
  return {
    ...shop,
    ...{ till, database, another, deliver },
    wait: (minutes: number) => clock.advance({ minutes }),
    /** Sells an order, which its customer pays. */
    async sell(order_id = 'A-1', method: 'purchase' | 'auth' = 'purchase') {
      const opened = await till.createPayment({ ...PAYMENT, method, order_id } as typeof PAYMENT, { attempts: true })
      if (opened.outcome !== 'done' || opened.url === null) throw new Error(JSON.stringify(opened))
      await shop.pay(opened.url)
      await deliver()
      await till.settle()
    },
    /** How much was refunded at the service, in hundredths. */
    async refunds(order_id = 'A-1') {
      const operations = await shop.client.listOrderOperations({ order_id })
      return operations.flatMap((one) => (one.kind === 'refund' ? one.amount : []))
    },
  }
}

/** An outcome as one word: `done`, `not_sent busy`. */
export const wordOf = (
  moved: Moved | { outcome: 'ended'; status: string } | { outcome: 'done'; url: string | null },
): string =>
  [
    moved.outcome,
    'reason' in moved ? moved.reason : 'error' in moved ? moved.error.code : 'status' in moved ? moved.status : '',
  ]
    .join(' ')
    .trim()
