import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { type ServedEmulator, serveEmulator } from '../../../src/cli/service/serve-emulator.ts'
import { createClient } from '../../../src/index.ts'
import { pay } from '../../../src/testing/index.ts'
import { eventually } from '../../support/eventually.ts'
import { PAYMENT } from '../../till/support/open-till.ts'
import { Document, overPostgres } from '../support/document.ts'
import { folderInCheckout } from '../support/fixtures.ts'
import { freePort } from '../support/free-port.ts'
import { usePostgres } from '../support/postgres.ts'
import { startCommand } from '../support/process.ts'
import { bundled, writeProgram } from '../support/program.ts'
import { root } from '../support/runtimes.ts'
import { against } from '../support/verb.ts'
import { openWorkerd } from '../support/workerd.ts'

export default function tests(): void {
  const guide = Document.of('guides/till.md')
  const SHOP = guide.program('Express and SQLite')
  const STAFF = guide.program("The staff's page")
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

  /** `beside`: the folder of the files that the program imports. */
  async function start(
    runtime: string,
    name: string,
    code: string,
    words: string[],
    env: Record<string, string> = {},
    beside?: string,
  ) {
    const file = await writeProgram(code, join(folder, `${name}.mjs`), beside)
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
  const onPostgres = (): string => overPostgres(SHOP, POSTGRES)

  const STAFF_PASSWORD = 'a long and random password'

  /** Starts `staff.ts` beside a `shop.ts`. */
  async function startShop(name: string, shop: string, env: Record<string, string> = {}) {
    const beside = mkdtempSync(join(folder, 'shop-'))
    writeFileSync(join(beside, 'shop.ts'), shop)
    const PORT = String(await freePort())
    const origin = `http://127.0.0.1:${PORT}`
    const running = await start('node', name, STAFF, [], { SHOP_ORIGIN: origin, STAFF_PASSWORD, ...env, PORT }, beside)
    await running.seen('shop on')
    return { running, origin }
  }

  /** A browser at a shop: it keeps its cookie, and follows no redirect. A jar can be shared by two processes' addresses. */
  function browserAt(origin: string, jar = { cookie: '' }) {
    const send = async (path: string, form?: Record<string, string>) => {
      const init = form && { method: 'POST', body: new URLSearchParams(form) }
      const response = await fetch(origin + path, { ...init, headers: jar, redirect: 'manual' })
      jar.cookie = response.headers.get('set-cookie')?.split(';')[0] ?? jar.cookie
      return { status: response.status, to: response.headers.get('location') ?? '', text: await response.text() }
    }
    const HIDDEN = /type="hidden" name="(\w+)" value="([^"]*)"/g
    return {
      jar,
      send,
      signIn: (password = STAFF_PASSWORD) => send('/staff/login', { password }),
      buy: (order_id: string) => send('/pay', { order_id }),
      form: async (path: string): Promise<Record<string, string>> =>
        Object.fromEntries([...(await send(path)).text.matchAll(HIDDEN)].map(([, name, value]) => [name, value])),
    }
  }

  it.each([
    ['SQLite', () => SHOP],
    ['Postgres', onPostgres],
  ])(
    'the shop on %s sells, ships, and refunds once for twenty presses in two processes, one of them killed',
    async (name, code) => {
      const database = { DATABASE_URL: postgres.url, DATABASE: join(folder, `shop-${name}.db`) }
      const second = await startShop(`shop-${name}-2`, code(), database)
      const first = await startShop(`shop-${name}-1`, code(), { ...database, SHOP_ORIGIN: second.origin })
      const customer = browserAt(first.origin)
      const order_id = `mugs-${name}`
      const { to: url } = await customer.buy(order_id)
      expect(await customer.buy(order_id)).toMatchObject({ status: 303, to: url })
      await pay((await customer.buy(`less-${name}`)).to, { card: 'payer_changes_amount' })
      await pay(url, { card: 'success' })
      await second.running.seen(`ship ${order_id}: 100.5 UAH paid `)
      expect(await customer.buy(order_id)).toMatchObject({ status: 303, to: `/orders/${order_id}` })
      expect((await customer.send(`/orders/less-${name}`)).text).toContain('We are checking your payment')

      const clerk = browserAt(first.origin)
      expect(await clerk.signIn()).toMatchObject({ status: 303, to: '/staff' })
      const path = `/staff/orders/${order_id}`
      const form = { ...(await clerk.form(path)), amount: '30' }
      const clerks = [clerk, browserAt(second.origin, clerk.jar)]
      const presses = Array.from({ length: 20 }, (_, i) => clerks[i % 2]?.send(path, form))
      await eventually(async () => expect(await refunds(order_id)).toEqual([30]))
      first.running.stopAlone('SIGKILL')
      await Promise.allSettled(presses)
      // The webhook of the refund has its end, if the process was killed that made it.
      const press = async () => (await clerks[1]?.send(path, form))?.status
      await eventually(async () => expect(await press()).toBe(200))
      expect(await refunds(order_id)).toEqual([30])
      expect((await clerks[1]?.send(path))?.text).toContain('success, refunded 30 of 100.5')
      expect(second.running.output()).not.toMatch(/Error|ship less/)
    },
    60_000,
  )

  it('the shop has a page for customers and another one for staff, and a stranger refunds nothing', async () => {
    const { origin, running } = await startShop('roles', SHOP)
    const [customer, clerk] = [browserAt(origin), browserAt(origin)]
    // The customer: a first card is declined, the next attempt of the same cart is paid.
    const { text } = await customer.send('/')
    expect(text).toMatch(/name="order_id" value="shop-\w+"/)
    await pay((await customer.buy('tea-1')).to, { card: 'declined' })
    await eventually(async () => expect((await customer.send('/orders/tea-1')).text).toContain('did not succeed'))
    const again = await customer.form('/orders/tea-1')
    expect(again).toEqual({ order_id: 'tea-1' })
    await pay((await customer.send('/pay', again)).to, { card: 'success' })
    await running.seen('ship tea-1~2: 100.5 UAH paid')
    expect(await customer.buy('tea-1')).toMatchObject({ status: 303, to: '/orders/tea-1' })
    const thanks = await customer.send('/orders/tea-1')
    expect(thanks).toMatchObject({ status: 200, text: expect.stringContaining('Your payment has arrived') })
    expect(thanks.text).not.toContain('<form')
    expect((await customer.buy('<b>')).status).toBe(400)

    // A stranger, the customer included, has no session: none, one that is made up, and one of a password that is not the shop's.
    const path = '/staff/orders/tea-1'
    const login = { status: 303, to: '/staff/login' }
    const stranger = browserAt(origin)
    expect((await stranger.signIn('')).status).toBe(401)
    for (const cookie of ['', 'staff=', 'staff=9999999999999.x.y', 'staff=9999999999999.undefined.undefined']) {
      stranger.jar.cookie = cookie
      expect(await stranger.send(path)).toMatchObject(login)
      expect(await stranger.send(path, { key: 'k', amount: '30', proof: '' })).toMatchObject(login)
    }

    // The clerk: a form without proof, of another session, or of another order is rejected.
    await clerk.signIn()
    expect((await clerk.send('/staff')).text).toContain(path)
    const form = { ...(await clerk.form(path)), amount: '30' }
    const unproven = { ...form, proof: '' }
    const colleague = browserAt(origin)
    await colleague.signIn()
    const foreign = { ...(await colleague.form(path)), amount: '30' }
    await customer.buy('tea-2')
    const elsewhere = { ...(await clerk.form('/staff/orders/tea-2')), amount: '30' }
    for (const wrong of [unproven, { ...form, key: 'another' }, foreign, elsewhere])
      expect((await clerk.send(path, wrong)).status).toBe(403)
    expect(await refunds('tea-1~2')).toEqual([])

    // A typo uses up no key that matters: the page that names it has another one.
    const typo = await clerk.send(path, { ...form, amount: '10,50' })
    expect(typo).toMatchObject({ status: 409, text: expect.stringContaining('Refund rejected') })
    const corrected = { ...(await clerk.form(path)), amount: '10.50' }
    for (let presses = 0; presses < 2; presses++)
      expect(await clerk.send(path, corrected)).toMatchObject({
        ...{ status: 200, text: expect.stringContaining('refunded 10.5 of 100.5. Refund done: success') },
      })
    expect(await refunds('tea-1~2')).toEqual([10.5])
    // Of a page that was opened before, nothing is sent.
    expect((await clerk.send(path, { ...foreign, ...form })).status).toBe(409)
    expect(await refunds('tea-1~2')).toEqual([10.5])
  }, 60_000)

  it('the shop says that the bank declined a refund', async () => {
    const { origin, running } = await startShop('declined', SHOP)
    const [customer, clerk] = [browserAt(origin), browserAt(origin)]
    await pay((await customer.buy('vase-1')).to, { card: 'refund_declined' })
    await running.seen('ship vase-1: ')
    await clerk.signIn()
    const path = '/staff/orders/vase-1'
    expect(await clerk.send(path, { ...(await clerk.form(path)), amount: '30' })).toMatchObject({
      ...{ status: 409, text: expect.stringContaining('refunded 0 of 100.5. Refund declined') },
    })
  }, 60_000)

  it('the shop has no page for staff without a password', async () => {
    const { origin } = await startShop('open', SHOP, { STAFF_PASSWORD: '' })
    const clerk = browserAt(origin)
    for (const path of ['/staff', '/staff/login', '/staff/orders/mugs'])
      expect((await clerk.send(path)).status).toBe(503)
    expect((await clerk.signIn('')).status).toBe(503)
    expect(await clerk.send('/staff/orders/mugs', { key: 'k', amount: '1' })).toMatchObject({ status: 503 })
  }, 60_000)

  it('the Deno script captures each row once, however often it runs', async () => {
    for (const id of ['R-1', 'R-2']) await sell(id, 'auth')
    const file = join(folder, 'reserves.csv')
    writeFileSync(file, 'order_id,order_currency,amount\nR-1,UAH,100.5\nR-2,UAH,20\n')
    const run = async () => (await start('deno', 'capture', DENO, [file])).finished
    for (let i = 0; i < 2; i++) expect(await run()).toEqual({ code: 0, output: 'R-1 done success\nR-2 done success\n' })
    const captures = (await client().listOrderOperations({ order_id: 'R-2' })).filter(({ kind }) => kind === 'capture')
    expect(captures).toHaveLength(1)
    // A line that was wrong, or too early, is captured once it is right.
    const { url } = (await client().createPayment({ ...PAYMENT, order_id: 'R-3', method: 'auth' } as never)) as {
      url: string
    }
    const write = (line: string) => writeFileSync(file, `order_id,order_currency,amount\n${line}\n`)
    write('R-3,UAH,20')
    expect(await run()).toEqual({ code: 1, output: expect.stringContaining('R-3 not_sent') })
    await pay(url, { card: 'success' })
    write('R-3,UAH,"20,50"')
    expect(await run()).toEqual({ code: 1, output: expect.stringContaining('R-3 rejected') })
    write('R-3,UAH,20')
    expect(await run()).toEqual({ code: 0, output: 'R-3 done success\n' })
  }, 60_000)

  it('the Bun script refunds once', async () => {
    await sell('B-1')
    for (let i = 0; i < 2; i++) {
      const { code, output } = await (await start('bun', 'refund', BUN, ['B-1', '12.5'])).finished
      expect([code, output]).toEqual([0, expect.stringMatching(/outcome: "done"/)])
    }
    expect(await refunds('B-1')).toEqual([12.5])
    const tooMuch = await (await start('bun', 'refund', BUN, ['B-1', '1000'])).finished
    expect([tooMuch.code, await refunds('B-1')]).toEqual([1, [12.5]])
    await (await start('bun', 'refund', BUN, ['B-1', '12.5', '2'])).finished
    expect(await refunds('B-1')).toEqual([12.5, 12.5])
  }, 60_000)

  it('the Worker receives webhooks and refunds once over D1', async () => {
    await sell('W-1')
    const REFUND_TOKEN = 'a long and random token'
    const contents = await bundled(D1)
    const open = (secrets: { REFUND_TOKEN?: string }) => {
      const bindings = { ...against(service.emulator).environment, ...secrets }
      const workerd = openWorkerd({ contents, bindings, databases: ['DB'] })
      onTestFinished(() => workerd.dispose())
      return workerd
    }
    const workerd = open({ REFUND_TOKEN })
    const press = async (token: string, at = workerd) => {
      const body = JSON.stringify({ key: 'press', order_id: 'W-1', refund_amount: 7 })
      const headers = { authorization: `Bearer ${token}` }
      const response = await at.dispatchFetch('http://shop/refund', { method: 'POST', headers, body })
      return response.status === 200 ? ((await response.json()) as { outcome: string }).outcome : response.status
    }
    for (const secrets of [{}, { REFUND_TOKEN: '' }]) {
      const open_ = open(secrets)
      expect([await press('undefined', open_), await press('', open_)]).toEqual([503, 503])
    }
    expect([await press('wrong'), await press('undefined'), await refunds('W-1')]).toEqual([401, 401, []])
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

  it('has a shop and a page for staff that are short', () => {
    for (const program of [SHOP, STAFF]) expect(program.split('\n').length).toBeLessThanOrEqual(61)
  })
}
