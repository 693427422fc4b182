// The areas that `npm run mutate` changes, and the tests that have to notice.

import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './vitest-run.ts'

/** The most telling and the quickest first. Each file's namesake under test/ is added. */
const LIB = ['test/http/errors.test.ts']
const HTTP = [
  'test/http/send.test.ts',
  'test/http/errors.test.ts',
  'test/http/retries.test.ts',
  'test/http/deadline.test.ts',
  'test/errors.test.ts',
]
const PASS_THROUGH = ['raw-request', 'purchase-rules', 'wire', 'create-payment', 'create-split-purchase'].map(
  (name) => `test/operations/${name}.test.ts`,
)
const WEBHOOKS = ['verify', 'form', 'signature', 'handler'].map((name) => `test/webhooks/${name}.test.ts`)
const SCHEMAS = ['test/schemas/*.test.ts', 'test/webhooks/event.test.ts', 'test/operations/*.test.ts']
const CARD = ['test/card/card.test.ts', 'test/odd-input.test.ts']
const FOLD = [
  'test/orders/{order-state,copies,summary,keys}.test.ts',
  'test/schemas/null.test.ts',
  'test/worker/webhooks.test.ts',
  'test/orders/fold.test.ts',
]
const LINKS = ['test/checkout-link/*.test.ts', 'test/worker/links.test.ts', 'test/worker/checkout.test.ts']

const worker = (names: string): string[] => names.split(' ').map((name) => `test/worker/${name}.test.ts`)
// One schedule of each scenario.
const SIMULATOR = ['test/simulator/simulator.test.ts']
const MONEY = [...worker('operate settle found-out failures gate merchant reconciliation'), ...SIMULATOR]
const CHECKOUT = [...worker('checkout cancel open-checkout links'), ...SIMULATOR]
const EVENTS = [...worker('webhooks gate rejections alerts reconciliation'), ...SIMULATOR]
const LISTS = worker('books orders attention whole-order api merchant')
/** The tests of what is written and read once more. */
const COST = 'test/node/worker-cost.test.ts'
// These take longest: only what nothing else notices is left to them.
const ERASURE = worker('retention')
const QUEUE = worker('on-event')
const REBUILD = worker('lost-gate')
/** The transcript of every page, then the tests of the console that are named. */
const pages = (names: string): string[] => [
  'test/node/console-pages.test.ts',
  ...names.split(' ').map((name) => `test/console/${name}.test.ts`),
]
const CONSOLE = [
  ...pages('access promises order session shop-pages'),
  ...worker('console-engine'),
  'test/console/*.test.ts',
]
/** The console beside the API. */
const TRUTH = [...pages('order session shop-pages'), ...worker('console-engine'), ...pages('links-truth truth')]
/** Each call once, and who may make it with which bindings. */
const API = ['test/node/openapi.test.ts', ...worker('people configuration')]
/** Each error of each route. */
const ERRORS = [...worker('failures'), 'test/node/worker-routes.test.ts']
const PAGES = [...worker('shop pages checkout links result'), 'test/console/shop-pages.test.ts']
/** A bit of everything that the engine does. */
const SHOP = [...worker('gate operate cancel webhooks orders'), ...CONSOLE]

/** Patterns of files in the order in which they apply, and of the tests that notice a change in them. */
export const AREAS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'shop/order': {
    'src/shop/order/protocol-checkout.ts': CHECKOUT,
    'src/shop/order/{move-money,money-calls}.ts': MONEY,
    'src/shop/order/rebuild.ts': [...REBUILD, ...worker('gate operate')],
    'src/shop/order/{open-checkout,checkout-records}.ts': CHECKOUT,
    'src/shop/order/{ask-service,check-open,schedule}.ts': [...worker('reconciliation settle'), ...MONEY, ...CHECKOUT],
    'src/shop/order/deliver-events.ts': [...EVENTS, ...QUEUE],
    'src/shop/order/{store-event,raise-alert}.ts': EVENTS,
    'src/shop/order/erase.ts': [...worker('operate merchant'), ...ERASURE],
    'src/shop/order/order-page.ts': [...PAGES, ...worker('merchant')],
    'src/shop/order/record.ts': [...CONSOLE, ...worker('links merchant')],
    'src/shop/order/{publish,publish-to-book,publish-to-kv,attention}.ts': [
      ...LISTS,
      ...CONSOLE,
      ...worker('reconciliation'),
      ...SIMULATOR,
    ],
    'src/shop/order/{order,checkouts}.ts': [...MONEY, ...CHECKOUT],
    'src/shop/order/events.ts': [...EVENTS, ...REBUILD, ...ERASURE],
    'src/shop/order/tables.ts': [...EVENTS, ...MONEY],
    'src/shop/order/queue.ts': [...EVENTS, ...QUEUE],
    'src/shop/order/watchlist.ts': [...EVENTS, ...ERASURE],
    'src/shop/order/*.ts': [...LISTS, ...CONSOLE, ...worker('reconciliation')],
  },
  'shop/books': {
    'src/shop/books/{days,links,reuse}.ts': [COST, ...worker('books links merchant reusable-links'), ...TRUTH],
    'src/shop/books/orders.ts': [...LISTS, ...TRUTH, ...worker('reconciliation'), ...REBUILD, ...ERASURE],
    'src/shop/books/*.ts': [...LISTS, ...worker('upgrade'), ...TRUTH, ...worker('reconciliation'), ...REBUILD],
  },
  'shop/kv': { 'src/shop/kv/*.ts': [...worker('webhooks rejections alerts attention operate failures'), ...ERASURE] },
  console: {
    'src/console/{access,kept,login,options,roles,session}.ts': pages('access session promises order forms truth'),
    'src/console/lib/*.ts': pages('promises order shop-pages forms hostile'),
    'src/console/pages/{act,actions,failed-act,receipt}.ts': pages(
      'promises order access shop-pages forms hostile truth',
    ),
    'src/console/pages/*link*.ts': pages('access shop-pages promises forms links-truth truth'),
    'src/console/**/*.ts': CONSOLE,
  },
  shop: {
    'src/money/*.ts': [...MONEY, ...REBUILD],
    'src/shop/{gate,call-gate}.ts': [...MONEY, ...EVENTS, ...CHECKOUT],
    'src/shop/cron.ts': [...worker('reconciliation alerts'), ...ERASURE],
    'src/shop/*.ts': [...worker('shop configuration'), ...SHOP],
  },
  'shop/routes': {
    'src/shop/routes/{checkout,result}.ts': [
      ...PAGES,
      ...worker('configuration cancel open-checkout reusable-links whole-order failures'),
    ],
    'src/shop/routes/{links,short-link,reuse}.ts': [
      ...API,
      ...worker('links reusable-links books'),
      ...TRUTH,
      ...ERRORS,
    ],
    'src/shop/routes/{webhooks,events}.ts': [
      ...API,
      ...worker('webhooks rejections alerts attention chat gate merchant reconciliation'),
      ...ERRORS,
    ],
    'src/shop/routes/operations.ts': [
      ...API,
      ...worker('operate settle found-out cancel attention gate merchant console-engine api whole-order'),
      ...ERRORS,
      ...ERASURE,
    ],
    'src/shop/routes/*.ts': [...API, ...LISTS, ...TRUTH, ...worker('shop webhooks'), ...ERRORS, ...ERASURE],
  },
  'shop/lib': {
    'src/shop/lib/configuration.ts': worker('shop reconciliation configuration'),
    'src/shop/lib/{tables,storage-error}.ts': [...EVENTS, ...MONEY],
    'src/shop/lib/*.ts': [...worker('merchant links api webhooks cancel'), ...CONSOLE],
  },
  'shop/pages': { 'src/shop/pages/*.ts': PAGES },
  outcome: {
    'src/outcome/*.ts': [
      'test/outcome/{decide,look-up,resolve-outcome}.test.ts',
      'test/schemas/null.test.ts',
      'test/odd-input.test.ts',
    ],
  },
  http: {
    'src/http/body.ts': [...PASS_THROUGH, ...HTTP, 'test/operations/secondary-operations.test.ts'],
    'src/http/compare.ts': [
      'test/operations/{secondary-operations,create-payment,cancelling,reading}.test.ts',
      'test/schemas/null.test.ts',
      'test/warnings.test.ts',
    ],
    'src/http/auth.ts': [...HTTP, ...PASS_THROUGH],
    'src/http/send.ts': [...HTTP, 'test/hooks.test.ts', 'test/http/auth.test.ts'],
    'src/http/errors.ts': [...HTTP, 'test/operations/*.test.ts'],
    'src/http/{never-sent,not-processed,deadline}.ts': HTTP,
  },
  schemas: {
    'src/schemas/read.ts': [...SCHEMAS, 'test/http/*.test.ts'],
    'src/schemas/{read-event,fast-path}.ts': SCHEMAS,
  },
  orders: { 'src/orders/*.ts': FOLD },
  webhooks: {
    'src/webhooks/receiver.ts': ['test/webhooks/handler.test.ts', 'test/odd-input.test.ts'],
    'src/webhooks/{signature,verify,form}.ts': WEBHOOKS,
  },
  'checkout-link': { 'src/checkout-link/*.ts': LINKS },
  lib: {
    'src/lib/redact.ts': [...LIB, 'test/lib/card-data.test.ts', 'test/canary.test.ts'],
    'src/lib/card-data.ts': [...LIB, 'test/lib/redact.test.ts', 'test/canary.test.ts'],
    'src/lib/card-number.ts': [...CARD, 'test/lib/redact.test.ts', ...LIB],
    'src/lib/decimal.ts': ['test/helpers/amount.test.ts', 'test/schemas/*.test.ts', 'test/outcome/decide.test.ts'],
    'src/lib/sha1.ts': ['test/lib/hmac-sha1.test.ts'],
    'src/lib/{hmac-sha1,constant-time,base64url}.ts': ['test/webhooks/signature.test.ts'],
  },
  card: { 'src/card/*.ts': CARD },
}

/** Texts: which word stands on a page is nothing that a test should notice. */
const TEXTS = ['src/console/words/{en,uk}.ts', 'src/shop/pages/{en,uk}.ts']

const filesOf = (patterns: readonly string[]): string[] =>
  patterns.flatMap((pattern) => {
    const files = globSync(pattern, { cwd: root }).sort()
    if (files.length === 0) throw new Error(`scripts/mutation-areas.ts names what does not exist: ${pattern}`)
    return files
  })

/** The files of an area, each with its tests: its namesake, then those of the first pattern that it matches. */
export function testsOfArea(area: string): Map<string, string[]> {
  const files = new Map<string, string[]>()
  const texts = filesOf(TEXTS)
  for (const [pattern, tests] of Object.entries(AREAS[area] ?? {})) {
    for (const file of filesOf([pattern])) {
      if (files.has(file) || texts.includes(file)) continue
      const namesake = file
        .replace(/^src\/shop\/(.*\/)?/, 'test/worker/')
        .replace(/^src\//, 'test/')
        .replace(/\.ts$/, '.test.ts')
      const own = existsSync(join(root, namesake)) ? [namesake] : []
      files.set(file, [...new Set([...own, ...filesOf(tests)])])
    }
  }
  return files
}
