import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { serveOnNode } from '../../src/cli/service/serve-node.ts'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { createClient } from '../../src/index.ts'
import { signWebhook } from '../../src/webhooks/index.ts'
import { DIRECT_AUTH } from '../support/inputs.ts'
import { Document } from './support/document.ts'
import { startOn } from './support/process.ts'
import { bundled, load } from './support/program.ts'

const readme = new Document('README.md')
const COMPLETE = readme.program('A complete program')
const RECIPES = readme.program('Three recipes')
const CHECKOUT_TEST = readme.program('Test a checkout')

const FORM = /\/api\/v1\/checkout\/[^/]+\/form$/

type Program = { fetch(request: Request): Promise<Response> }

/** The complete program with these settings in place of its own. */
function withSettings(settings: Record<string, string>): string {
  let code = COMPLETE
  for (const [placeholder, value] of Object.entries(settings)) {
    if (!code.includes(placeholder)) throw new Error(`README.md has no ${placeholder}.`)
    code = code.replace(placeholder, value)
  }
  return code
}

/** The emulator's settings, by what stands for them in the program. */
const settingsOf = ({ baseUrl, posId, apiKey, apiSecret, endpointsKey }: Emulator['credentials']) => ({
  'https://pay.example.com': baseUrl,
  '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11': posId,
  'your-api-key': apiKey,
  'your-api-secret': apiSecret,
  'your-endpoints-key': endpointsKey,
})

/** Does something with an emulator that is served. */
async function withEmulator(work: (emulator: Emulator) => Promise<void>): Promise<void> {
  let emulator: Emulator | undefined
  const served = await serveOnNode(async (request) => (await emulator?.fetch(request)) ?? new Response(), { port: 0 })
  emulator = createEmulator({ origin: served.origin })
  await work(emulator).finally(() => served.close())
}

/** The complete program in this process, and a way to look at its orders. */
async function complete(settings: Record<string, string> = {}) {
  const code = withSettings(settings)
  const program = await load(`${code}\nexport { orders }`)
  const { fetch } = program.default as Program
  const orders = program.orders as Map<string, { state: string }>
  const post = (path: string, body?: string) =>
    fetch(
      new Request(`https://shop.example.com${path}`, {
        method: 'POST',
        ...(body !== undefined && { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body }),
      }),
    )
  return { fetch, orders, post }
}

function silenced(method: 'log' | 'warn') {
  return vi.spyOn(console, method).mockImplementation(() => {})
}
afterAll(() => vi.restoreAllMocks())

describe('README.md', () => {
  // test/node/testing-kit.test.ts runs the test.
  it('has at most 250 lines, and a test of a checkout of at most 15', () => {
    const linesOf = (text: string) => text.trimEnd().split('\n').length
    expect([linesOf(readme.text) <= 250, linesOf(CHECKOUT_TEST) <= 15]).toEqual([true, true])
  })

  it('has no program without a test', () => {
    expect(readme.untested()).toEqual([])
  })

  it('says in its first lines what it is and for whom, and shows how to run it in the first screen', () => {
    const lines = readme.text.split('\n')
    const start = lines.slice(0, 10).join('\n')
    for (const words of ['SDK', 'Node, Deno, Bun', 'Is it for you?', 'the API document']) expect(start).toContain(words)
    expect(lines.slice(0, 30)).toEqual(expect.arrayContaining(['npm ci && npm run demo', 'npm test']))
  })
})

describe('the complete program', () => {
  it('creates a payment on a POST alone, and keeps each order’s state by its verified webhooks', async () => {
    await withEmulator(async (emulator) => {
      const { apiSecret } = emulator.credentials
      const { fetch, orders, post } = await complete(settingsOf(emulator.credentials))
      // A browser that prefetches the page, or asks for an icon, must not create a payment.
      for (const path of ['/pay', '/favicon.ico']) {
        expect((await fetch(new Request(`https://shop.example.com${path}`))).status).toBe(404)
      }
      expect(emulator.orders.list()).toHaveLength(0)
      const paying = await post('/pay')
      expect([paying.status, paying.headers.get('location')]).toEqual([303, expect.stringMatching(FORM)])
      const [order_id = ''] = orders.keys()
      expect(emulator.orders.list().map((order) => order.order_id)).toEqual([order_id])

      const logged = silenced('log')
      const warned = silenced('warn')
      const payment = emulator.orders.get(order_id)?.payments[0]
      const deliver = async (changes: object, signed = apiSecret) =>
        (await post('/webhooks', signWebhook({ ...payment, ...changes }, signed).body)).status
      const state = () => orders.get(order_id)?.state
      expect([await deliver({ status: 'pending' }), state()]).toEqual([200, 'unpaid'])
      expect([await deliver({ status: 'success' }, 'forged'), state()]).toEqual([401, 'unpaid'])
      expect([await deliver({ status: 'failure' }), state()]).toEqual([200, 'failed'])
      expect([await deliver({ status: 'success' }), state()]).toEqual([200, 'paid'])
      // Late: a final state stays.
      expect([await deliver({ status: 'pending' }), state()]).toEqual([200, 'paid'])
      expect([await deliver({ status: 'success', amount: 1 }), state()]).toEqual([200, 'check by hand'])
      expect([await deliver({ status: 'success', currency: 'USD' }), state()]).toEqual([200, 'check by hand'])
      expect(await deliver({ method: 'refund', operation_id: 'r-1', status: 'success' })).toBe(200)
      expect(logged.mock.calls.at(-1)).toEqual([`${order_id}: refund success, 100.5 UAH`])
      warned.mockClear()
      expect(await deliver({ method: 'something new' })).toBe(200)
      expect(await deliver({ amount: null })).toBe(200)
      expect(warned).toHaveBeenCalledTimes(2)
    }).finally(() => vi.restoreAllMocks())
  })

  it.each(['deno serve', 'bun'] as const)('runs unchanged with %s', { timeout: 60_000 }, (runtime) =>
    withEmulator(async (emulator) => {
      const folder = mkdtempSync(join(tmpdir(), 'edgetill-readme-'))
      const file = join(folder, 'program.js')
      writeFileSync(file, await bundled(withSettings(settingsOf(emulator.credentials))))
      const running = startOn(runtime, file)
      try {
        await running.seen('http://')
        const origin = `http://127.0.0.1:${/:(\d{4,5})/.exec(running.output())?.[1]}`
        const paying = await fetch(`${origin}/pay`, { method: 'POST', redirect: 'manual' })
        expect([paying.status, paying.headers.get('location')]).toEqual([303, expect.stringMatching(FORM)])
        const [order] = emulator.orders.list()
        const refund = { ...order?.payments[0], method: 'refund', operation_id: 'r-1', status: 'success' }
        const { body } = signWebhook(refund, emulator.credentials.apiSecret)
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        expect((await fetch(`${origin}/webhooks`, { method: 'POST', headers, body })).status).toBe(200)
        await running.seen(`${order?.order_id}: refund success, 100.5 UAH`)
      } finally {
        running.stop('SIGKILL')
        await running.finished
        rmSync(folder, { recursive: true, force: true })
      }
    }),
  )

  it('keeps the order before it calls the service', async () => {
    const { orders, post } = await complete({ 'https://pay.example.com': 'http://127.0.0.1:9' })
    await expect(post('/pay')).rejects.toMatchObject({ name: expect.stringMatching(/Error$/) })
    expect([...orders.values()]).toMatchObject([{ state: 'unpaid' }])
  })
})

it('the three recipes run: a lost capture is found out, a subscription starts, a part is refunded', async () => {
  const { capture, subscribe, refund } = (await load(RECIPES)) as Record<
    string,
    (...given: unknown[]) => Promise<never>
  >
  const emulator = createEmulator()
  const client = createClient({ ...emulator.credentials, fetch: emulator.fetch, maxRetries: 0 })
  await client.createPayment({ ...DIRECT_AUTH, order_id: 'A-1' })
  emulator.faults.next({ kind: 'reset', on: 'capture-payment' })
  expect(await capture?.(client, 'A-1')).toBe('executed')
  expect(await refund?.(client, 'A-1', 5)).toMatchObject({ amount: 5, status: 'success' })
  const checkout = (await subscribe?.(client, 'S-1')) as unknown as { url: string }
  await emulator.pay(checkout.url)
  expect(emulator.orders.get('S-1')?.payments[0]?.status).toBe('success')
})
