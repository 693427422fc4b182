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
const MONEY = [...worker('operate settle found-out failures calls merchant reconciliation'), ...SIMULATOR]
const CHECKOUT = [...worker('checkout cancel open-checkout links'), ...SIMULATOR]
const EVENTS = [...worker('webhooks calls rejections alerts reconciliation'), ...SIMULATOR]
const LISTS = worker('orders attention whole-order api merchant')
/** The test of superfluous reads and writes. */
const COST = 'test/node/worker-cost.test.ts'
// These take longest: they run last, for the changes that no other test notices.
const ERASURE = worker('retention')
const QUEUE = worker('on-event')
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
const SHOP = [...worker('calls operate cancel webhooks orders'), ...CONSOLE]

const TILL = ['test/till/{move-money,payments,events,database}.test.ts', 'test/till/*.test.ts']
const CLIENT = ['test/client.test.ts', 'test/config.test.ts', 'test/mistakes.test.ts', 'test/hooks.test.ts']
const cli = (names: string): string[] => names.split(' ').map((name) => `test/node/cli/${name}.test.ts`)
const CLI = [
  'test/node/cli.test.ts',
  ...cli('configuration activity-lines received link payment look-up'),
  'test/node/set-values.test.ts',
]

/** Rooms that another test changes, with its name. */
export const CHANGED_ELSEWHERE: Readonly<Record<string, string>> = {
  'src/emulator': 'test/node/emulator-mutation.test.ts breaks each of its rules',
}

/** Patterns of files in the order in which they apply, and of the tests that notice a change in them. */
export const AREAS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'shop/engine': {
    'src/shop/engine/move-money.ts': MONEY,
    'src/shop/engine/open-checkout.ts': CHECKOUT,
    'src/shop/engine/{deliver,receive,hooks}.ts': [...EVENTS, ...QUEUE],
    'src/shop/engine/{erase,schedule}.ts': [...worker('operate merchant'), ...ERASURE],
    'src/shop/engine/record.ts': [...CONSOLE, ...worker('links merchant')],
    'src/shop/engine/{links,places,reuse,record-link,revoked}.ts': [
      ...worker('links reusable-links open-checkout'),
      ...TRUTH,
      ...ERASURE,
    ],
    'src/shop/engine/{alerts,attention,due-alerts,needing,sessions}.ts': [
      ...worker('alerts attention people reconciliation'),
      ...CONSOLE,
    ],
    'src/shop/engine/*.ts': [...PAGES, ...LISTS, ...CONSOLE, ...worker('reconciliation merchant'), ...SIMULATOR],
  },
  'shop/kv': { 'src/shop/kv/*.ts': [...worker('webhooks rejections alerts attention operate failures'), ...ERASURE] },
  console: {
    'src/shop/console/{access,kept,login,options,roles,session}.ts': pages('access session promises order forms truth'),
    'src/shop/console/lib/*.ts': pages('promises order shop-pages forms hostile'),
    'src/shop/console/pages/{act,actions,failed-act,receipt}.ts': pages(
      'promises order access shop-pages forms hostile truth',
    ),
    'src/shop/console/pages/*link*.ts': pages('access shop-pages promises forms links-truth truth'),
    'src/shop/console/**/*.ts': CONSOLE,
  },
  shop: {
    'src/shop/{object,scope,open-scope,tables}.ts': [COST, ...MONEY, ...EVENTS, ...CHECKOUT],
    'src/shop/cron.ts': [...worker('reconciliation alerts'), ...ERASURE],
    'src/shop/*.ts': [...worker('shop configuration'), ...SHOP],
  },
  'shop/routes': {
    'src/shop/routes/{checkout,result}.ts': [
      ...PAGES,
      ...worker('configuration cancel open-checkout reusable-links whole-order failures'),
    ],
    'src/shop/routes/{links,short-link,reuse}.ts': [...API, ...worker('links reusable-links'), ...TRUTH, ...ERRORS],
    'src/shop/routes/{webhooks,events}.ts': [
      ...API,
      ...worker('webhooks rejections alerts attention calls merchant reconciliation'),
      ...ERRORS,
    ],
    'src/shop/routes/operations.ts': [
      ...API,
      ...worker('operate settle found-out cancel attention calls merchant console-engine api whole-order'),
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
  till: {
    'src/till/protocol-checkout.ts': CHECKOUT,
    'src/till/{calls,drive,personal-data,protocol,queue,unsettled}.ts': [...TILL, ...MONEY],
    'src/till/*.ts': TILL,
  },
  operations: {
    'src/operations/*.ts': [
      'test/operations/*.test.ts',
      'test/schemas/null.test.ts',
      'test/warnings.test.ts',
      'test/hooks.test.ts',
    ],
  },
  client: {
    'src/client/*.ts': CLIENT,
    'src/{config,hooks}.ts': [...CLIENT, 'test/operations/every-operation.test.ts', 'test/http/send.test.ts'],
  },
  errors: { 'src/errors.ts': ['test/http/errors.test.ts', 'test/canary.test.ts', 'test/webhooks/handler.test.ts'] },
  helpers: { 'src/helpers/*.ts': ['test/helpers/*.test.ts', 'test/odd-input.test.ts'] },
  adapters: { 'src/adapters/*.ts': ['test/node/adapters.test.ts', 'test/odd-input.test.ts'] },
  testing: {
    'src/testing/{prove/*,buttons,tested-shop}.ts': [
      'test/testing/prove/{judge,buttons}.test.ts',
      'test/examples/worker-kv.test.ts',
    ],
    'src/testing/{object,kv,d1}-double.ts': [
      'test/testing/*.test.ts',
      'test/till/database.test.ts',
      ...worker('calls webhooks'),
    ],
    'src/testing/*.ts': ['test/testing/*.test.ts', 'test/odd-input.test.ts', ...worker('calls webhooks')],
  },
  cli: {
    'src/cli/conform/**/*.ts': ['test/cli/conform/*.test.ts'],
    'src/cli/{webhooks,terminal}/**/*.ts': CLI,
    'src/cli/{service,project}/**/*.ts': [
      ...cli('look-up payment link order-command doctor doctor-worker doctor-webhook'),
      ...CLI,
    ],
    'src/cli/**/*.ts': CLI,
  },
}

/** Texts: which word stands on a page is nothing that a test should notice. */
export const TEXTS: readonly string[] = [
  'src/shop/console/words/{acts,attention,links,lists,order,shell}.ts',
  'src/shop/pages/{en,uk}.ts',
]

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
