import type { ClientConfig, WebhookEvent } from '../../../src/index.ts'
import {
  createTill,
  type D1Handle,
  d1,
  type Moved,
  sqlite,
  type Till,
  type TillDatabase,
  type TillOptions,
} from '../../../src/till/index.ts'
import { hasSqlite } from '../../support/environment.ts'
import { openShop, type Shop } from '../../support/shop.ts'

/** A till over a new database whose clock is the emulator's. */
export interface TestTill extends Shop {
  till: Till
  database: TillDatabase
  wait(minutes: number): Promise<void>
  /** Another process over the same database. */
  another(options?: Partial<TillOptions>): Till
  /** Sells an order, which its customer pays. */
  sell(order_id?: string, method?: 'purchase' | 'auth'): Promise<void>
  /** Delivers the webhooks that have come. */
  deliver(): Promise<WebhookEvent[]>
  /** How much was refunded at the service, in hundredths. */
  refunds(order_id?: string): Promise<number[]>
}

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
  for (const table of ['log', 'version']) await database.run(`DROP TABLE IF EXISTS edgetill_${table}`, [])
  return database
}

export async function openTill(
  options: Partial<TillOptions> = {},
  config: Partial<ClientConfig> = {},
): Promise<TestTill> {
  const shop = openShop({ maxRetries: 0, ...config })
  const { clock } = shop.emulator
  const real = await openDatabase()
  const database: TillDatabase = {
    get clock() {
      return String(clock.now())
    },
    run: (sql, values) => real.run(sql, values),
  }
  const another = (more: Partial<TillOptions> = {}) =>
    createTill({ client: shop.client, database, ...options, ...more })
  const till = another()
  await till.migrate()
  const deliver = async () => {
    await shop.emulator.deliveries.idle()
    const events = shop.events.splice(0)
    for (const event of events) await till.receive(event)
    return events
  }
  return {
    ...shop,
    ...{ till, database, another, deliver },
    wait: (minutes) => clock.advance({ minutes }),
    async sell(order_id = 'A-1', method = 'purchase') {
      const opened = await till.createPayment({ ...PAYMENT, method, order_id } as typeof PAYMENT)
      if (opened.outcome !== 'done' || opened.url === null) throw new Error(JSON.stringify(opened))
      await shop.pay(opened.url)
      await deliver()
      await till.settle()
    },
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
