// Computes the costs of the worker with its object, at Cloudflare's public prices, from the table of calls in worker/README.md (a test
// holds that table against the worker itself).
//   npx node scripts/worker-cost.ts            prints the table of costs
//   node scripts/worker-cost.ts --update   writes it into worker/README.md

import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** The columns of the table of calls. */
export const COLUMNS = ['KV reads', 'KV writes', 'KV lists', 'object calls', 'rows read', 'rows written'] as const
export type Calls = Record<(typeof COLUMNS)[number], number>

/** Dollars a month on the Workers Paid plan, and its included amounts: developers.cloudflare.com, as of November 2026. */
export const PRICES_OF = '2026-11'
const MILLION = 1_000_000
const PRICES = {
  plan: 5,
  requests: { included: 10 * MILLION, dollars: 0.3, per: MILLION },
  cpuMs: { included: 30 * MILLION, dollars: 0.02, per: MILLION },
  'KV reads': { included: 10 * MILLION, dollars: 0.5, per: MILLION },
  'KV writes': { included: MILLION, dollars: 5, per: MILLION },
  'KV lists': { included: MILLION, dollars: 5, per: MILLION },
  kvGigabytes: { included: 1, dollars: 0.5, per: 1 },
  'object calls': { included: MILLION, dollars: 0.15, per: MILLION },
  gigabyteSeconds: { included: 400_000, dollars: 12.5, per: MILLION },
  'rows read': { included: 25_000 * MILLION, dollars: 0.001, per: MILLION },
  'rows written': { included: 50 * MILLION, dollars: 1, per: MILLION },
  // Every request, object call and run of the cron is one event of Workers Logs.
  logs: { included: 20 * MILLION, dollars: 0.6, per: MILLION },
  objectGigabytes: { included: 5, dollars: 0.2, per: 1 },
} as const

/** An order of the table of costs: how often each row of the table of calls happens. */
export const ORDER: Readonly<Record<string, number>> = {
  'a link, opened the first time': 1,
  'a webhook, the first of its order': 1,
  'a further webhook': 1,
  'the cron, for an order that has changed': 2,
  'a result page': 3,
  '`GET /api/orders/:order_id`': 1,
}
/** ASSUMPTIONS, on the high side, that a table of calls does not contain. */
const ASSUMED = {
  cpuMsOfARequest: 5,
  /** One object serves all calls: it is awake all month at most. */
  secondsOfAMonth: 30 * 86_400,
  secondsOfAnObjectCall: 0.25,
  gigabytesOfTheObject: 0.128,
  kvBytesOfAnOrder: 5_000,
  /** Its rows in the log and in the lists, with their indexes. */
  objectBytesOfAnOrder: 5_800,
  days: 30,
}

const README = resolve(import.meta.dirname, '../worker/README.md')

/** The table of calls of worker/README.md, by the text of its first column. */
export function readCalls(readme: string = readFileSync(README, 'utf8')): Map<string, Calls> {
  const lines = readme.split('\n')
  const start = lines.indexOf(`| call | ${COLUMNS.join(' | ')} |`)
  if (start < 0) throw new Error('worker/README.md has no table of calls.')
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'))
  const rows = lines.slice(start + 2, end).map((line) => line.split('|').map((cell) => cell.trim()))
  return new Map(
    rows.map(([, call = '', ...cells]) => [
      call,
      Object.fromEntries(COLUMNS.map((column, i) => [column, Number(cells[i])])) as Calls,
    ]),
  )
}

/** The costs that RETENTION_DAYS adds to an order, whose data the cron removes. */
export const RETENTION: Readonly<Record<string, number>> = { 'the cron, when it removes the data of an order': 1 }

/** The calls of an order. */
export function callsOfOrder(calls: ReadonlyMap<string, Calls>, more: Readonly<Record<string, number>> = {}): Calls {
  const sum = Object.fromEntries(COLUMNS.map((column) => [column, 0])) as Calls
  for (const [call, times] of Object.entries({ ...ORDER, ...more })) {
    const row = calls.get(call)
    if (!row) throw new Error(`The table of calls of worker/README.md has no row "${call}".`)
    for (const column of COLUMNS) sum[column] += times * row[column]
  }
  return sum
}

/** Dollars of a month with this many orders a day, by product. With Postgres no object is called, and none stores. */
export function costOf(ordersADay: number, calls: Calls, withPostgres = false): Record<string, number> {
  const order = withPostgres ? { ...calls, 'object calls': 0, 'rows read': 0, 'rows written': 0 } : calls
  const objectBytes = withPostgres ? 0 : ASSUMED.objectBytesOfAnOrder
  const orders = ordersADay * ASSUMED.days
  const ofCustomers = Object.entries(ORDER).filter(([call]) => !call.startsWith('the cron'))
  const requests = ofCustomers.reduce((sum, [, times]) => sum + times, 0)
  const seconds = Math.min(order['object calls'] * ASSUMED.secondsOfAnObjectCall * orders, ASSUMED.secondsOfAMonth)
  const pay = (name: Exclude<keyof typeof PRICES, 'plan'>, amount: number): number => {
    const { included, dollars, per } = PRICES[name]
    return (Math.max(0, amount - included) / per) * dollars
  }
  const of = (column: keyof Calls) => pay(column, order[column] * orders)
  return {
    plan: PRICES.plan,
    'requests and CPU': pay('requests', requests * orders) + pay('cpuMs', requests * orders * ASSUMED.cpuMsOfARequest),
    KV: of('KV reads') + of('KV writes') + of('KV lists'),
    object:
      of('object calls') +
      of('rows read') +
      of('rows written') +
      pay('gigabyteSeconds', seconds * ASSUMED.gigabytesOfTheObject),
    logs: pay('logs', (requests + order['object calls']) * orders),
    'storage of the month':
      pay('kvGigabytes', (orders * ASSUMED.kvBytesOfAnOrder) / 1e9) +
      pay('objectGigabytes', (orders * objectBytes) / 1e9),
  }
}

/** The table of costs as worker/README.md shows it: whole dollars a month. */
export function costTable(calls: ReadonlyMap<string, Calls>): string {
  const order = callsOfOrder(calls)
  const erased = callsOfOrder(calls, RETENTION)
  const columns = Object.keys(costOf(1, order))
  const sum = (cost: Record<string, number>) => Object.values(cost).reduce((a, b) => a + b, 0)
  const rows = [1_000, 100_000, 1_000_000].map((ordersADay) => {
    // An object takes about a thousand calls a second: it is too slow for a million orders a day.
    const withPostgres = ordersADay > 100_000
    const cost = costOf(ordersADay, order, withPostgres)
    const cells = [...Object.values(cost), sum(cost), sum(costOf(ordersADay, erased, withPostgres))]
    const name = `${ordersADay.toLocaleString('en')}${withPostgres ? ', with Postgres' : ''}`
    return `| ${name} | ${cells.map((one) => dollars(one)).join(' | ')} |`
  })
  return [
    `| orders a day | ${columns.join(' | ')} | in all | with \`RETENTION_DAYS\` |`,
    `| ${'--- | '.repeat(columns.length + 3).trim()}`,
    ...rows,
  ].join('\n')
}

const dollars = (amount: number): string => `$${Math.round(amount).toLocaleString('en')}`

if (import.meta.main) {
  const readme = readFileSync(README, 'utf8')
  const table = costTable(readCalls(readme))
  console.log(table)
  if (process.argv.includes('--update')) {
    writeFileSync(README, readme.replace(/\| orders a day \|[\s\S]*?(?=\n\n)/, table))
  }
}
