import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, it, vi } from 'vitest'
import { createCheckoutLink } from '../../src/checkout-link/index.ts'
import { variablesOf } from '../../src/emulator/control/pages/connect.ts'
import { createEmulator } from '../../src/emulator/index.ts'
import { createClient } from '../../src/index.ts'
import type { OnEvent } from '../../src/shop/index.ts'
import { type AskedOrder, createD1Double, createTestShop, prove, reportText } from '../../src/testing/index.ts'
import { ORDER_KINDS } from '../../src/testing/prove/story.ts'
import { SALE } from '../../src/testing/sample-shop.ts'
import { sqlite, type Till } from '../../src/till/index.ts'
import { createWebhookHandler } from '../../src/webhooks/index.ts'
import { HOSTED } from '../support/inputs.ts'
import { SEED } from '../support/property.ts'
import { Document } from './support/document.ts'
import { load } from './support/program.ts'
import { root } from './support/runtimes.ts'
import { blocks } from './support/snippets.ts'

// Whatever the documents do with a paid order is attacked, and judged by money: nothing is shipped, mailed, booked or called paid twice,
// for another amount, or without a payment. The shop of SKILL.md, the first receivers of guides/prove.md and examples/receivers have
// such tests of their own: skill.ts, documents of prove, receivers.test.ts.

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const KINDS = ORDER_KINDS.filter((kind) => !/auth|capture|void|hold|subscr|recurring/.test(kind))
const URL_OF = 'https://shop.example.com/webhooks'
const text = (file: string): string => readFileSync(join(root, file), 'utf8')
const overMemory = (code: string): string =>
  code
    .replace(/^import connect from 'postgres'$/m, "import { DatabaseSync } from 'node:sqlite'")
    .replace('createTill, postgres', 'createTill, sqlite')
    .replace(/postgres\(connect\(.*\)\),/, "sqlite(new DatabaseSync(':memory:')),")
    .replace(/^app\.listen\(.*$/m, '')

/** An emulator in place of the network, and its variables in the environment. */
function stubService() {
  const emulator = createEmulator({ fetch: async () => new Response() })
  vi.stubGlobal('fetch', emulator.fetch)
  for (const line of variablesOf(emulator.credentials)) vi.stubEnv(...(line.split('=') as [string, string]))
  vi.stubEnv('DATABASE', ':memory:')
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)))
  return { emulator, lines }
}

const isOdd = (flags: readonly string[]): boolean =>
  flags.some((flag) => flag === 'amount_mismatch' || flag === 'currency_mismatch')

type Receive = (request: Request) => Promise<Response>
const TILLS: Record<
  string,
  (emulator: ReturnType<typeof createEmulator>) => Promise<{ till: Till; receive: Receive }>
> = {
  async 'guides/till.md'({ credentials }) {
    // Up to its pages: Express is not bundled here.
    const [code = ''] = Document.of('guides/till.md').program('Express and SQLite').split('const escaped')
    const bare = code.replaceAll(/^import .*express'$/gm, '').replace(/^setInterval.*$/m, '')
    const { till } = (await load(bare)) as { till: Till }
    return { till, receive: createWebhookHandler({ secrets: credentials.apiSecret, onEvent: till.receive }) }
  },
  async 'guides/platforms.md'() {
    const code = overMemory(Document.of('guides/platforms.md').program('Vercel, Netlify, Deno Deploy'))
    const { till: open, receive } = (await load(code)) as { till: () => Till; receive: Receive }
    const till = open()
    await till.migrate()
    return { till, receive }
  },
  async 'template/starters/shared/shop.ts'({ credentials, fetch }) {
    const { createShop } = (await load(text('template/starters/shared/shop.ts'))) as {
      createShop(settings: object): Promise<{ till: Till; webhooks: Receive }>
    }
    const client = createClient({ ...credentials, fetch })
    const database = sqlite(new DatabaseSync(':memory:'))
    const { apiSecret } = credentials
    const made = await createShop({ client, database, apiSecret, password: 'p', origin: 'http://127.0.0.1:3000' })
    return { till: made.till, receive: made.webhooks }
  },
}

it.each(Object.entries(TILLS))('%s ships what was paid, once', { timeout: 180_000 }, async (_, open) => {
  const { emulator, lines } = stubService()
  const { till, receive } = await open(emulator)
  const report = await prove({
    url: URL_OF,
    fetch: (input, init) => receive(new Request(input, init)),
    async create({ order_id, amount, currency }: AskedOrder) {
      await till.createPayment({ ...HOSTED, order_id, amount, currency }, { longOrderId: true })
    },
    async state(order_id) {
      const order = await till.order(order_id)
      if (!order) return undefined
      const { totals, flags } = order
      // The line says the event's id, which the shop uses as its key.
      const isOf = (line: string) => [': ', ', ', ' ('].some((end) => line.startsWith(`ship ${order_id}${end}`))
      const shipped = new Set(lines.filter(isOf))
      return {
        paid: isOdd(flags) ? 0 : totals.captured_minor / 100,
        refunded: totals.refunded_minor / 100,
        shipped: shipped.size,
      }
    },
    // These shops make purchases alone: a payment is one event's id.
    kinds: KINDS,
    orders: 10,
    settleMs: 0,
    maxSeconds: 170,
    seed: SEED,
  })
  expect([SEED, reportText(report), report.complete]).toEqual([SEED, expect.stringContaining('nothing found'), true])
  expect(lines.filter((line) => line.startsWith('ship ')).length).toBeGreaterThan(10)
})

it('guides/first-payment.md calls paid what was paid', { timeout: 180_000 }, async () => {
  stubService()
  const code = Document.of('guides/first-payment.md').program('A complete program')
  // A module of its own: one that another test has loaded keeps that test's credentials.
  const program = (await load(`${code}\nexport { orders }\nexport const isOwn = true`)) as {
    default: { fetch: Receive }
    orders: Map<string, { amount: number; currency: string; state: string }>
  }
  const report = await prove({
    url: URL_OF,
    fetch: (input, init) => program.default.fetch(new Request(input, init)),
    create: ({ order_id, amount, currency }) => program.orders.set(order_id, { amount, currency, state: 'unpaid' }),
    state(order_id) {
      const order = program.orders.get(order_id)
      return (
        order && {
          paid: order.state === 'paid' ? order.amount : 0,
          refunded: 0,
          shipped: order.state === 'paid' ? 1 : 0,
        }
      )
    },
    kinds: ['paid', 'declined'],
    orders: 20,
    settleMs: 0,
    seed: SEED,
  })
  expect([SEED, reportText(report)]).toEqual([SEED, expect.stringContaining('nothing found')])
})

/** What an `onEvent` of the engine told others of a payment, by the event's id or the key that it sent along. */
type Told = { order_id: string; amount: number; currency: string; key: string }

it('every onEvent of the engine in the documents acts on what was paid, once', { timeout: 240_000 }, async () => {
  const told = new Map<string, Told[]>()
  const tell = (block: string, one: Told) => told.set(block, [...(told.get(block) ?? []), one])
  const DB = createD1Double(
    'CREATE TABLE payment (id TEXT PRIMARY KEY, order_id TEXT, amount REAL, currency TEXT);\n' +
      'CREATE TABLE fiscal (operation TEXT PRIMARY KEY, receipt_id TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0)',
  )
  const recipes = await load(
    Document.of('guides/recipes.md').program("When a Worker's order is paid: D1, a queue, a mail"),
  )
  const [ownCode = ''] = blocks('guides/own-code.md', 'typescript')
    .map(({ code }) => code)
    .filter((code) => code.startsWith('// worker/on-event.ts'))
  const readme =
    blocks('worker/README.md', 'ts')
      .map(({ code }) => code)
      .find((code) => code.includes('export const onEvent')) ?? ''
  const onEvents: Record<string, OnEvent> = {
    'guides/recipes.md intoD1': recipes.intoD1 as OnEvent,
    'guides/recipes.md intoQueue': recipes.intoQueue as OnEvent,
    'guides/recipes.md byMail': recipes.byMail as OnEvent,
    'guides/recipes.md withReceipt': (
      await load(Document.of('guides/recipes.md').program('A fiscal receipt for each payment, exactly once'))
    ).withReceipt as OnEvent,
    'guides/own-code.md': (await load(ownCode)).onEvent as OnEvent,
    'worker/README.md': (await load(readme)).onEvent as OnEvent,
  }
  expect(Object.entries(onEvents).filter(([, one]) => typeof one !== 'function')).toEqual([])
  let now = { block: '', order_id: '', id: '' }
  const QUEUE = { send: async (message: Told & { id: string }) => tell(now.block, { ...message, key: message.id }) }
  const net: typeof fetch = async (input, init = {}) => {
    const url = String(input)
    const body = JSON.parse(String(init.body)) as Partial<Told> & { type?: string; text?: string }
    const key = new Headers(init.headers).get('idempotency-key') ?? url
    if (body.type === 'RETURN') return new Response()
    const [, amount, currency] = /^([\d.]+) (\w+) paid\.$/.exec(body.text ?? '') ?? ['', body.amount, body.currency]
    tell(now.block, { order_id: now.order_id, amount: Number(amount), currency: `${currency}`, key })
    return new Response()
  }
  vi.stubGlobal('fetch', net)
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  /** One at a time: what a block tells carries no name of its own. */
  let turn: Promise<unknown> = Promise.resolve()
  const onEvent: OnEvent = (...given) => {
    const mine = turn.then(() => tellAll(...given))
    turn = mine.catch(() => {})
    return mine
  }
  const tellAll: OnEvent = async (stored, order, env, ...rest) => {
    const errors: unknown[] = []
    for (const [block, run] of Object.entries(onEvents)) {
      now = { block, order_id: order.replaces ?? order.order_id, id: stored.id }
      const rows = async () =>
        (await DB.prepare('SELECT id, order_id, amount, currency FROM payment').all()).results as (Told & {
          id: string
        })[]
      try {
        // Each block has the table to itself.
        await DB.prepare('DELETE FROM payment').run()
        // The webhooks of prove name no customer.
        await run(stored, { ...order, customer_email: 'olena@example.com' }, env, ...rest)
        for (const { id, ...row } of await rows()) tell(block, { ...row, key: id })
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
  }
  const env = { DB, QUEUE, MAIL_TOKEN: 'm', FISCAL_TOKEN: 'f', SHOP_TOKEN: 's' } as never
  const shop = await createTestShop({ onEvent, env })
  const report = await prove({
    url: 'https://pay.shop.example.com/webhooks',
    fetch: (input, init) => shop.fetch(new Request(input, init)),
    async create({ order_id, amount, currency }) {
      const order = { ...SALE, order_id, amount, currency }
      const origin = 'https://pay.shop.example.com'
      const linkSecret = String(shop.env.LINK_SECRET)
      const link = await createCheckoutLink({
        origin,
        linkSecret,
        order,
        longOrderId: true,
        now: () => Date.UTC(2026, 2, 1, 10),
      })
      await shop.fetch(new Request(link, { method: 'POST', headers: { origin } }))
    },
    async state(order_id) {
      const response = await shop.api(`/api/orders/${encodeURIComponent(order_id)}`)
      if (response.status === 404) return undefined
      const { totals, flags } = (await response.json()) as { totals: Record<string, number>; flags: string[] }
      return {
        paid: isOdd(flags) ? 0 : Number(totals.captured_minor) / 100,
        refunded: Number(totals.refunded_minor) / 100,
      }
    },
    orders: 10,
    settleMs: 0,
    maxSeconds: 200,
    seed: SEED,
  })
  await shop.advance({ hours: 1 })
  expect([SEED, reportText(report)]).toEqual([SEED, expect.stringContaining('nothing found')])
  // Each told of the same payments, with the same amount and currency, under as many keys.
  const sums = Object.fromEntries(
    Object.keys(onEvents).map((block) => {
      const once = new Map((told.get(block) ?? []).map((one) => [`${one.order_id} ${one.key}`, one]))
      const lines = [...once.values()].map(({ order_id, amount, currency }) => `${order_id} ${amount} ${currency}`)
      return [block, lines.sort()]
    }),
  )
  const [first = [], ...others] = Object.values(sums)
  expect(first.length).toBeGreaterThan(10)
  for (const lines of others) expect(new Set(lines)).toEqual(new Set(first))
})

it('no other block ships, mails, books or says "paid"', () => {
  const documents = ['README.md', 'SKILL.md', 'worker/README.md', ...globSync('guides/*.md', { cwd: root })]
  // What guides/prove.md begins with is wrong, so that prove finds something.
  const isWrong = (code: string) => code.includes('order.shipped++')
  const says = /\? 'paid'|\bisPaid\b|: paid > 0 \?/
  const acts = (code: string) =>
    (/\bonEvent\b.*[{(]$/m.test(code) && /ship|mail|INSERT INTO (?!events)|fiscal|paid/i.test(code)) || says.test(code)
  const acting = documents.flatMap((file) =>
    [...blocks(file, 'ts'), ...blocks(file, 'typescript')]
      .filter(({ code }) => acts(code) && !isWrong(code))
      .map(({ code }) => ({ file, code, asks: code.includes('needsPerson(') && /paidOf\(|stateOf|totals/.test(code) })),
  )
  expect(new Set(acting.map(({ file }) => file)).size).toBeGreaterThan(7)
  expect(acting.filter(({ asks }) => !asks)).toEqual([])
})
