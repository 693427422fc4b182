import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { emulatorTools, proveTool, shopTools, verifyTool } from '../../src/cli/service/mcp-tools.ts'
import { API } from '../../src/shop/routes/api.ts'
import type { Route } from '../../src/shop/routes/route.ts'
import { createTestShop, type TestShop } from '../../src/testing/index.ts'
import { signWebhook } from '../../src/webhooks/index.ts'
import { receiver } from '../testing/prove/support/receiver.ts'
import { serve, serveNewEmulator } from './support/fixtures.ts'
import { startCommand } from './support/process.ts'
import { root } from './support/runtimes.ts'

const SECRET = 'emulator-api-secret'
const VIEW = 'a-token-of-an-assistant-32-characters'
const STREAM = '/_emulator/api/events'

let shop: TestShop
let client: Client
const asked: string[] = []

beforeAll(async () => {
  const PEOPLE = JSON.stringify({ robot: { token: VIEW, role: 'view' } })
  shop = await createTestShop({ env: { PEOPLE } })
  const order = await shop.sell({ order_id: 'A-1' })
  await shop.pay(order)
  await shop.advance({ minutes: 1 })
  const { origin } = await serve(async (request) => {
    const { pathname, search } = new URL(request.url)
    asked.push(`${request.method} ${pathname}${search}`)
    return await shop.fetch(new Request(`https://pay.shop.example.com${pathname}${search}`, request))
  })
  client = await connect({ EDGETILL_WORKER_URL: origin, EDGETILL_WORKER_TOKEN: VIEW })
}, 60_000)

afterAll(async () => {
  await client.close()
  await shop[Symbol.asyncDispose]()
})

/** A client of the protocol's own SDK, and `edgetill mcp` in a process of its own. */
async function connect(env: Record<string, string>, ...words: string[]): Promise<Client> {
  const made = new Client({ name: 'test', version: '1' })
  const command = join(root, 'node_modules/.bin/node')
  const args = ['src/cli/main.ts', 'mcp', ...words]
  await made.connect(
    new StdioClientTransport({
      command,
      args,
      cwd: root,
      env: { ...(process.env as object), EDGETILL_API_SECRET: SECRET, ...env },
    }),
  )
  return made
}

async function call(name: string, input: object = {}, by: Client = client, options: object = {}) {
  const done = await by.callTool({ name, arguments: { ...input } }, undefined, options)
  const [{ text = '' } = {}] = done.content as { text?: string }[]
  return { text, isError: done.isError === true, json: () => JSON.parse(text) }
}

it('reads the orders of a shop, and an error as the shop words it', async () => {
  expect((await call('shop_list_orders', { status: 'success', limit: 5 })).json()).toMatchObject({
    orders: [{ order_id: 'A-1', status: 'success' }],
  })
  expect((await call('shop_get_order', { order_id: 'A-1' })).json()).toMatchObject({
    totals: { captured_minor: 10_050 },
  })
  expect(await call('shop_get_order', { order_id: 'none' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('404'),
  })
  expect(await call('shop_get_order', { order_id: '..' })).toMatchObject({
    isError: true,
    text: 'order_id is missing.',
  })
  expect((await call('shop_list_orders', { status: 'x', nonsense: 1 })).text).toContain('nonsense: is unknown')
})

it('controls an emulator, and returns its errors', { timeout: 60_000 }, async () => {
  const { origin, emulator } = await serveNewEmulator()
  const own = await connect({}, '--emulator', origin)
  const { tools } = await own.listTools()
  expect(tools.map(({ name }) => name)).not.toContain('shop_list_orders')
  expect((await call('emulator_get_cards', {}, own)).json()).toContainEqual(
    expect.objectContaining({ name: 'fee_null' }),
  )
  const { now } = emulator.clock
  const before = now()
  await call('emulator_post_clock', { minutes: 15 }, own)
  expect(+now() - +before).toBeGreaterThanOrEqual(15 * 60_000)
  await call('emulator_post_faults', { next: { kind: 'reset', when: 'after_commit' } }, own)
  expect(emulator.faults.list()).toMatchObject({ next: [expect.anything()] })
  expect(await call('emulator_get_orders', { order_id: 'none' }, own)).toMatchObject({ isError: true })
  await own.close()
})

it('judges webhooks by the secret of its environment, and shows no token', async () => {
  const { body } = signWebhook({ order_id: 'A-1', method: 'purchase', cc_token: 'tok_1' }, SECRET)
  const good = await call('verify', { body })
  expect(good.json()).toMatchObject({ valid: true, event: { order_id: 'A-1' } })
  expect(good.text).not.toContain('tok_1')
  expect((await call('verify', { body: body.replace('data=', 'data=A') })).json()).toMatchObject({ valid: false })
  expect(await call('verify')).toMatchObject({ isError: true, text: 'Pass body, or data and signature.' })
})

it('proves a receiver on this machine alone, and reports how far it is', { timeout: 90_000 }, async () => {
  const played = receiver('no_signature_check')
  const { origin } = await serve(async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/webhooks') return played.fetch(request)
    const state = played.state(pathname.replace('/orders/', ''))
    return state ? Response.json(state) : new Response('', { status: 404 })
  })
  const input = { url: `${origin}/webhooks`, state: `${origin}/orders/{order_id}`, orders: 1, settleMs: 0 }
  const onprogress = vi.fn()
  expect((await call('prove', input, client, { onprogress, timeout: 80_000 })).text).toMatch(/signature/i)
  expect(onprogress).toHaveBeenCalledWith(expect.objectContaining({ progress: 1 }))
  const live = await call('prove', { ...input, url: 'https://shop.example.com/webhooks' })
  expect(live).toMatchObject({ isError: true, text: expect.stringContaining('url must be on this machine') })
  for (const button of ['refund', 'capture', 'emulator', 'refundCommand', 'stateCommand', 'restartCommand']) {
    const pressed = await call('prove', { ...input, [button]: `${origin}/refund` })
    expect(pressed).toMatchObject({ isError: true, text: expect.stringContaining(`${button} is unknown`) })
  }
})

it('rejects a token that may do more than look', { timeout: 60_000 }, async () => {
  const { origin } = await serve((request) =>
    shop.fetch(new Request(`https://pay.shop.example.com${new URL(request.url).pathname}`, request)),
  )
  const admin = await connect({ EDGETILL_WORKER_TOKEN: shop.env.ADMIN_TOKEN as string }, '--worker-url', origin)
  expect(await call('shop_list_orders', {}, admin)).toMatchObject({
    isError: true,
    text: expect.stringContaining('may do more than look'),
  })
  await admin.close()
})

it('has no tool that moves money: each one reaches an emulator, a GET row for `view`, or this machine', async () => {
  const sent: string[] = []
  const fetch = async (input: RequestInfo | URL, init: RequestInit = {}) => {
    sent.push(`${init.method} ${new URL(String(input)).pathname}`)
    // The role's look, which a shop rejects for `view`.
    return Response.json({}, { status: String(input).endsWith('/notes') ? 403 : 200 })
  }
  const around = { fetch } as never
  const [emulator, reading] = [
    emulatorTools('http://emulator.test', around),
    await shopTools({ origin: 'https://shop.test', token: VIEW }, around),
  ]
  const press = async (tools: typeof emulator) => {
    sent.length = 0
    for (const { run, inputSchema } of tools) {
      const input = Object.keys(inputSchema.properties).map((name) => [name, 'A-1'])
      await run(Object.fromEntries(input), new AbortController().signal, () => {})
    }
    return [...new Set(sent)]
  }
  expect((await press(emulator)).filter((one) => !/ \/_emulator\/api\/\w+$/.test(one))).toEqual([])
  expect(sent).not.toContain(`GET ${STREAM}`)
  const rows = Object.entries<Route>(API).filter(([, { may }]) => may === 'view')
  const paths = rows.map(([call]) => call.replaceAll(/:\w+/g, 'A-1'))
  expect((await press(reading)).sort()).toEqual([...paths, 'POST /api/orders/-/notes'].sort())
  expect(paths.filter((one) => !one.startsWith('GET '))).toEqual([])
  const { tools } = await client.listTools()
  const others = [proveTool({}), verifyTool({})]
  expect(tools.map(({ name }) => name)).toEqual([...emulator, ...others, ...reading].map(({ name }) => name))
  expect(
    Object.keys(proveTool({}).inputSchema.properties).filter((name) => /refund$|capture|command/i.test(name)),
  ).toEqual([])
  // Of the whole file: the shop was asked by GET, but for the look at the role.
  expect(asked.filter((one) => !one.startsWith('GET ') && one !== 'POST /api/orders/-/notes')).toEqual([])
})

it('names the SDK where it is not installed', async () => {
  const hook = `import { registerHooks } from 'node:module'
    registerHooks({ resolve(name, context, next) {
      return next(name.startsWith('@modelcontextprotocol/') ? 'not-installed' : name, context)
    } })`
  const words = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, 'src/cli/main.ts', 'mcp']
  const { code, output } = await startCommand(join(root, 'node_modules/.bin/node'), words).finished
  expect(output).toContain("edgetill mcp needs the protocol's own SDK: npm install @modelcontextprotocol/sdk")
  expect(code).toBe(2)
})
