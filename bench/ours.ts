import { DIST } from './bundles.ts'

/** The parts of edgetill that can be deployed, with the goal for their size in bytes, minified and gzipped. */
export interface OurBundle {
  name: string
  /** The program, over the published package or over the sources. */
  program: (from: 'package' | 'sources') => string
  goal: number
  /** Bytes that it may never have; `npm run size:update` does not raise this. */
  limit?: number
  /** Imports that the bundle must not contain, by the start of their names. */
  without: string[]
}

const from = (where: 'package' | 'sources', entry: 'index' | 'webhooks' | 'till'): string =>
  JSON.stringify(where === 'package' ? `${DIST}/${entry}.js` : `./src/${entry === 'index' ? '' : `${entry}/`}index.ts`)

/** Parts with their own subpath: only those who import them pay for them. */
const NOTHING_FOREIGN = [
  ...['hono', 'node:'],
  ...['src/emulator/', 'src/cli/', 'src/adapters/', 'src/testing/', 'src/checkout-link/'],
]

const NOTHING_OF_THE_SHOP = ['node:', 'src/emulator/', 'src/cli/']

export const OUR_BUNDLES: readonly OurBundle[] = [
  {
    name: 'verify a webhook',
    program: (where) => `export { verifyWebhook } from ${from(where, 'webhooks')}`,
    goal: 6100,
    // Beyond the goal: errors that name a framework's mistake and its cure, and valibot's own code for the rare event.
    limit: 7600,
    without: NOTHING_FOREIGN,
  },
  {
    name: 'one hosted checkout',
    program: (where) => `export { createPayment } from ${from(where, 'index')}`,
    goal: 8000,
    limit: 16_900,
    without: NOTHING_FOREIGN,
  },
  {
    name: 'whole client',
    program: (where) => `export { createClient } from ${from(where, 'index')}`,
    goal: 14_000,
    // Beyond the goal: six more operations, redaction of sent values, deadlines, checked options, errors that teach.
    limit: 20_600,
    without: NOTHING_FOREIGN,
  },
  {
    name: 'everything in "./webhooks"',
    program: (where) => `export * from ${from(where, 'webhooks')}`,
    goal: Number.POSITIVE_INFINITY,
    without: [...NOTHING_FOREIGN, 'src/orders/', 'src/card/', 'src/operations/', 'src/http/', 'src/client'],
  },
  {
    name: 'everything in "."',
    program: (where) => `export * from ${from(where, 'index')}`,
    goal: Number.POSITIVE_INFINITY,
    without: NOTHING_FOREIGN,
  },
  {
    name: 'the till on SQLite',
    program: (where) => `export { createTill, sqlite } from ${from(where, 'till')}`,
    goal: 15_000,
    // Beyond the goal: attempts at paying an order, a role's limit over all attempts, records that are stored once, strays,
    // webhooks that are taken back after a restored backup, and presses that wait for the first press; lists with filters,
    // exact pages and a search, the takings of days, and their operations; the hooks for a shop over the till.
    limit: 30_400,
    // Events are stored as the SDK has read them, and hashed by Web Crypto.
    without: [...NOTHING_FOREIGN, 'valibot', '@noble/', 'src/http/', 'src/client/client.ts', 'src/shop/'],
  },
  {
    name: 'a till, a client, webhooks',
    program: (where) => `export { createTill, sqlite } from ${from(where, 'till')}
export { createClient } from ${from(where, 'index')}
export { createWebhookHandler } from ${from(where, 'webhooks')}`,
    goal: Number.POSITIVE_INFINITY,
    without: [...NOTHING_FOREIGN, 'src/shop/'],
  },
  {
    name: 'whole worker',
    // A shop that mounts no console.
    program: () => `import { createShop } from 'edgetill/worker'
import { onAlert } from './worker/on-alert.ts'
import { onEvent } from './worker/on-event.ts'
const shop = createShop({ onEvent, onAlert })
export const { ShopObject } = shop
export default { fetch: shop.fetch, scheduled: shop.scheduled }`,
    goal: 36_000,
    // Beyond the goal: the order gate with its outbox, refunds and voids, attempts that a person settles, a configuration that
    // is checked whole, erasing of personal data, and the SDK's own growth. Since then: links made and revoked by the API, the
    // index of orders with its filters, pages in two languages, reconciliation and alerts, the removal of data when its time has come,
    // visits that wait while the shop cancels the order, and the customer's page with the purchase, its time and the card;
    // lists that are exact with any filter and a search, every matter for a person in one request, and an id for an order
    // with all attempts at paying it; links that are listed and short enough to be read out, a day's takings, and the audit
    // record with outcomes; a second payment that is noticed at once, an index of any number of orders, a search by words;
    // reusable links with limits that can be raised, counts of sales and the orders that closing cancels; rejected payments
    // in attention; the till as the only engine, over any SQL database.
    limit: 103_500,
    without: NOTHING_OF_THE_SHOP,
  },
  {
    name: 'worker with its console',
    program: () => `export { default } from './worker/index.ts'`,
    goal: Number.POSITIVE_INFINITY,
    // The engine, and the pages for the shop's people: today's takings, links with a QR code, orders with every action,
    // search, attention and the day's close, in two languages; all orders by state and day, forms that keep their input,
    // links that are closed, sent and made again; reusable links, with a code that prints. A webhook does not evaluate them.
    limit: 157_300,
    without: NOTHING_OF_THE_SHOP,
  },
]
