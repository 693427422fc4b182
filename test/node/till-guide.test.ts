import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { type ServedEmulator, serveEmulator } from '../../src/cli/service/serve-emulator.ts'
import { createClient } from '../../src/index.ts'
import { pay } from '../../src/testing/index.ts'
import { PAYMENT } from '../till/support/open-till.ts'
import { Document } from './support/document.ts'
import { folderInCheckout } from './support/fixtures.ts'
import { freePort } from './support/free-port.ts'
import { usePostgres } from './support/postgres.ts'
import { type Running, startCommand } from './support/process.ts'
import { bundled, writeProgram } from './support/program.ts'
import { root } from './support/runtimes.ts'
import { against } from './support/verb.ts'
import { openWorkerd } from './support/workerd.ts'

const guide = new Document('guides/till.md')
const SHOP = guide.program('Express and SQLite')
const POSTGRES = guide.program('Postgres and two processes')
const DRIVER = guide.program('Another driver')
const DENO = guide.program('A Deno script that captures from a CSV')
const BUN = guide.program('A Bun script that refunds')
const D1 = guide.program('D1 in a Worker')

const folder = folderInCheckout()
let service: ServedEmulator
const postgres = usePostgres()
beforeAll(async () => {
  service = await serveEmulator({ port: 0 }, {})
  return () => service.close()
})

const client = () => createClient(service.emulator.credentials)

async function start(runtime: string, name: string, code: string, words: string[], env: Record<string, string> = {}) {
  const file = await writeProgram(code, join(folder, `${name}.mjs`))
  const options = runtime === 'deno' ? ['run', '--allow-env', '--allow-net', '--allow-read', '--allow-write'] : []
  return startCommand(join(root, 'node_modules/.bin', runtime), [...options, file, ...words], {
    env: { ...against(service.emulator).environment, DATABASE: join(folder, `${name}.db`), ...env },
  })
}

async function sell(order_id: string, method: 'purchase' | 'auth' = 'purchase'): Promise<void> {
  const { url } = (await client().createPayment({ ...PAYMENT, order_id, method } as never)) as { url: string }
  await pay(url, { card: 'success' })
}

const refunds = async (order_id: string): Promise<number[]> =>
  (await client().listOrderOperations({ order_id })).flatMap((one) => (one.kind === 'refund' ? one.amount : []))

/** The shop with the two changes that the guide names. */
const onPostgres = (): string => {
  const [opening = ''] = /database: postgres\(connect\(.*\)\)/.exec(POSTGRES) ?? []
  const code = SHOP.replace('{ createTill, sqlite }', '{ createTill, postgres }')
    .replace("import { DatabaseSync } from 'node:sqlite'", "import connect from 'postgres'")
    .replace(/database: sqlite\(.*\)/, opening)
  if (opening === '' || code.includes('sqlite')) throw new Error(code)
  return code
}

it.each([
  ['SQLite', () => SHOP],
  ['Postgres', onPostgres],
])(
  'the shop on %s sells, ships, and refunds once for twenty presses in two processes, one of them killed',
  async (name, code) => {
    const ports = [await freePort(), await freePort()]
    const origins = ports.map((port) => `http://127.0.0.1:${port}`)
    const env = { DATABASE_URL: postgres.url, SHOP_ORIGIN: origins[1] as string }
    const running: Running[] = []
    for (const port of ports) {
      const shop = await start('node', `shop-${name}`, code(), [], { ...env, PORT: String(port) })
      running.push(shop)
      await shop.seen('shop on')
    }
    const [first, second] = running as [Running, Running]
    const buy = async (order_id = `mugs-${name}`) => {
      const body = new URLSearchParams({ order_id })
      const { headers, status } = await fetch(`${origins[0]}/pay`, { method: 'POST', body, redirect: 'manual' })
      return { status, url: headers.get('location') ?? '' }
    }
    const { url } = await buy()
    expect(await buy()).toEqual({ status: 303, url })
    await pay((await buy(`less-${name}`)).url, { card: 'payer_changes_amount' })
    await pay(url, { card: 'success' })
    await second.seen(`ship mugs-${name} `)
    expect((await buy()).status).toBe(409)

    const order = (path = '') => `/orders/mugs-${name}${path}`
    const page = await (await fetch(`${origins[0]}${order()}`)).text()
    const hidden = [...page.matchAll(/name="(key|version)" value="([^"]+)"/g)].map(([, field, value]) => [field, value])
    const press = (origin = '') => {
      const body = new URLSearchParams([...(hidden as [string, string][]), ['amount', '30']])
      return fetch(origin + order('/refund'), { method: 'POST', body }).then(({ status }) => status)
    }
    const presses = Array.from({ length: 20 }, (_, i) => press(origins[i % 2]))
    await vi.waitFor(async () => expect(await refunds(`mugs-${name}`)).toEqual([30]), { interval: 5 })
    first.stopAlone('SIGKILL')
    await Promise.allSettled(presses)
    // The webhook of the refund says what became of it, where the process was killed that made it.
    await vi.waitFor(async () => expect(await press(origins[1])).toBe(200), { timeout: 20_000 })
    expect(await refunds(`mugs-${name}`)).toEqual([30])
    expect(await (await fetch(`${origins[1]}${order()}`)).text()).toContain('success, refunded 30')
    expect(second.output()).not.toMatch(/Error|ship less/)
  },
  60_000,
)

it('the Deno script captures each row once, however often it runs', async () => {
  for (const id of ['R-1', 'R-2']) await sell(id, 'auth')
  const file = join(folder, 'reserves.csv')
  writeFileSync(file, 'order_id,order_currency,amount\nR-1,UAH,100.5\nR-2,UAH,20\n')
  const run = async () => (await (await start('deno', 'capture', DENO, [file])).finished).output.trim()
  expect(await run()).toBe('R-1 done success\nR-2 done success')
  expect(await run()).toBe('R-1 done success\nR-2 done success')
  const captures = (await client().listOrderOperations({ order_id: 'R-2' })).filter(({ kind }) => kind === 'capture')
  expect(captures).toHaveLength(1)
}, 60_000)

it('the Bun script refunds once', async () => {
  await sell('B-1')
  for (let i = 0; i < 2; i++) {
    const { output } = await (await start('bun', 'refund', BUN, ['B-1', '12.5'])).finished
    expect(output).toMatch(/outcome: "done"/)
  }
  expect(await refunds('B-1')).toEqual([12.5])
}, 60_000)

it('the Worker receives webhooks and refunds once over D1', async () => {
  await sell('W-1')
  const REFUND_TOKEN = 'a-token'
  const bindings = { ...against(service.emulator).environment, REFUND_TOKEN }
  const workerd = openWorkerd({ contents: await bundled(D1), bindings, databases: ['DB'] })
  onTestFinished(() => workerd.dispose())
  const press = async (token: string) => {
    const body = JSON.stringify({ key: 'press', order_id: 'W-1', refund_amount: 7 })
    const headers = { authorization: `Bearer ${token}` }
    const response = await workerd.dispatchFetch('http://shop/refund', { method: 'POST', headers, body })
    return response.status === 200 ? ((await response.json()) as { outcome: string }).outcome : response.status
  }
  expect(await press('wrong')).toBe(401)
  const words = await Promise.all(Array.from({ length: 5 }, () => press(REFUND_TOKEN)))
  expect(words).toContain('done')
  expect(await press(REFUND_TOKEN)).toBe('done')
  expect(await refunds('W-1')).toEqual([7])
  expect((await workerd.dispatchFetch('http://shop/webhooks', { method: 'POST' })).status).toBe(415)
}, 60_000)

it('the driver of the guide over another one refunds once', async () => {
  await sell('P-1')
  const setup = `
import process from 'node:process'
import { configFromEnv, createClient } from 'edgetill'
import { createTill } from 'edgetill/till'
import connect from 'postgres'
const sql = connect(process.env.DATABASE_URL, { onnotice() {} })
const till = createTill({
  client: createClient(configFromEnv(process.env)),
  database: overHttp((text, values) => sql.unsafe(text, values)),
})
await till.migrate()
const refund = { order_id: 'P-1', order_currency: 'UAH', refund_amount: 3 }
for (let i = 0; i < 2; i++) console.log((await till.refund(refund, { key: 'press' })).outcome)
process.exit(0)
`
  const env = { DATABASE_URL: postgres.url }
  const { output } = await (await start('node', 'driver', DRIVER + setup, [], env)).finished
  expect(output.trim()).toBe('done\ndone')
  expect(await refunds('P-1')).toEqual([3])
}, 60_000)

it('says which product is for whom in the words of the README', () => {
  const head = '| you need | use | and read |'
  const table = (text: string) => {
    const rows = text.slice(text.indexOf(head)).split('\n\n')[0]?.split('\n').slice(2) ?? []
    return rows.map((row) => row.split('|').slice(1, 3))
  }
  expect(table(guide.text)).toHaveLength(4)
  expect(table(guide.text)).toEqual(table(new Document('README.md').text))
})

it('executes every program of the guide', () => {
  expect(guide.untested()).toEqual([])
  expect(SHOP.split('\n').length).toBeLessThanOrEqual(61)
})
