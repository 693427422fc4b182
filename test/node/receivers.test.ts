import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { Store } from '../../examples/receivers/store.ts'
import { serveOnNode } from '../../src/cli/service/serve-node.ts'
import { createEmulator, type Emulator, type TestCardName } from '../../src/emulator/index.ts'
import { createClient } from '../../src/index.ts'
import { pay, prove, testEvent } from '../../src/testing/index.ts'
import { isLong } from '../support/environment.ts'
import { HOSTED } from '../support/inputs.ts'
import { SEED } from '../support/property.ts'
import { type Running, startWith } from './support/process.ts'
import { writeProgram } from './support/program.ts'
import { root } from './support/runtimes.ts'

const examples = join(root, 'examples/receivers')
mkdirSync(join(root, 'test-output'), { recursive: true })
const folder = mkdtempSync(join(root, 'test-output/receivers-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const SERVERS = [
  ['express.ts', 'node'],
  ['fastify.ts', 'node'],
  ['node-http.ts', 'node'],
  ['hono.ts', 'node'],
  ['bun.ts', 'bun'],
  ['deno.ts', 'deno serve --allow-all'],
] as const
// worker-kv.ts runs in test/examples/worker-kv.test.ts.
const NOT_STARTED = ['next-route.ts', 'store.ts', 'sqlite-node.ts', 'sqlite-bun.ts', 'postgres.ts', 'worker-kv.ts']

const textOf = (file: string) => readFileSync(join(examples, file), 'utf8')

/** What a receiver is run with: a database, and the emulator's secret. */
const environment = (name: string, { credentials }: Emulator) => ({
  DATABASE: join(folder, `${name}.sqlite`),
  EDGETILL_API_SECRET: credentials.apiSecret,
})

/** The store of a receiver, opened a second time, in this process. */
async function storeOf(name: string): Promise<Store> {
  const code = `import { DatabaseSync } from 'node:sqlite'
import { openStore } from './store.ts'
export const open = (file) => openStore(new DatabaseSync(file))`
  const file = await writeProgram(code, join(folder, `${name}-store.mjs`), examples)
  const { open } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { open: (file: string) => Store }
  return open(join(folder, `${name}.sqlite`))
}

/** A day of a shop: paid, declined, forged and then genuine, repeated, and late. */
async function playDay(emulator: Emulator, url: string, store: Store): Promise<void> {
  const { fetch } = emulator
  const client = createClient({ ...emulator.credentials, fetch, onWarning() {} })
  const order = async (order_id: string, card: TestCardName) => {
    store.saveOrder({ order_id, amount: 100.5, currency: 'UAH' })
    const order = { order_id, amount: 100.5, currency: 'UAH', server_url: url }
    const checkout = await client.createPayment({ ...HOSTED, ...order })
    await pay(checkout.url, { card, fetch })
  }
  const next = (order_id: string) => emulator.deliveries.next({ order_id, timeoutMs: 10_000 })

  await order('paid', 'success')
  await next('paid')
  await order('declined', 'declined')
  await next('declined')
  emulator.faults.next({ kind: 'corrupt_signature' })
  await order('forged', 'success')
  await expect(next('forged')).rejects.toThrow('responded 401')
  expect(store.orderOf('forged').events).toEqual([])
  emulator.faults.next({ kind: 'duplicate', times: 3 })
  await order('repeated', 'success')
  await emulator.deliveries.idle()
  const { attempts } = await next('repeated')
  expect(attempts.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  // The webhook of the pending payment is held back until the one of its success has arrived.
  emulator.faults.next({ kind: 'reorder' })
  await order('late', 'three_d_secure')
  expect([(await next('late')).event.status, (await next('late')).event.status]).toEqual(['success', 'pending'])
  // The service comes again, with a signature that is right.
  await emulator.clock.advance({ minutes: 1 })
  await next('forged')
}

function expectRows(store: Store): void {
  const state = (order_id: string) => {
    const { status, events, flags } = store.orderOf(order_id)
    return [order_id, status, events.length, ...flags].join(' ')
  }
  const paid = ['paid success 1', 'forged success 1', 'repeated success 1', 'late success 2']
  expect(['paid', 'forged', 'repeated', 'late'].map(state)).toEqual(paid)
  expect(['declined', 'A-1'].map(state)).toEqual(['declined failure 1', 'A-1  0'])
  expect(store.unpaidOrders()).toEqual([{ order_id: 'declined', amount: 100.5, currency: 'UAH' }])
}

/** Copies, forgeries, lost answers and the rest, over HTTP. */
async function expectProved(url: string, store: Store): Promise<void> {
  const { findings } = await prove({
    url,
    create: (order) => store.saveOrder(order),
    state(order_id) {
      const { totals, flags } = store.orderOf(order_id)
      const isOdd = flags.includes('amount_mismatch') || flags.includes('currency_mismatch')
      return { paid: isOdd ? 0 : totals.captured / 100, refunded: totals.refunded / 100 }
    },
    orders: isLong ? 10_000 : 45,
    seed: SEED,
  })
  expect([SEED, findings]).toEqual([SEED, []])
}

describe('the receivers of examples/receivers', { timeout: isLong ? 3_600_000 : 60_000 }, () => {
  it.each(SERVERS)('%s ends with the right rows', async (file, runtime) => {
    let emulator: Emulator | undefined
    const served = await serveOnNode(async (request) => (await emulator?.fetch(request)) ?? new Response(), { port: 0 })
    let running: Running | undefined
    emulator = createEmulator({ origin: served.origin, clock: { now: () => Date.parse('2026-03-01T10:00:00Z') } })
    try {
      const program = await writeProgram(textOf(file), join(folder, `${file}.mjs`), examples)
      running = startWith(environment(file, emulator), runtime, program)
      await running.seen(/(port: |localhost:|0\.0\.0\.0:)\d{4,5}\b/)
      const port = /(?:port: |localhost:|0\.0\.0\.0:)(\d{4,5})\b/.exec(running.output())?.[1]
      const url = `http://localhost:${port}/webhooks`
      const store = await storeOf(file)
      await playDay(emulator, url, store)
      const forged = testEvent('purchase', { order_id: 'A-1' }, { secret: 'another' })
      expect((await fetch(forged.request(url))).status).toBe(401)
      expect((await fetch(`http://localhost:${port}/nothing`)).status).toBe(404)
      expectRows(store)
      await expectProved(url, store)
    } finally {
      running?.stop('SIGKILL')
      await running?.finished
      await served.close()
    }
  })

  it('next-route.ts ends with the right rows, called as a function', async () => {
    const emulator = createEmulator({
      fetch: (input, init) => POST(new Request(input, init)),
      clock: { now: () => Date.parse('2026-03-01T10:00:00Z') },
    })
    for (const [name, value] of Object.entries(environment('next-route.ts', emulator))) vi.stubEnv(name, value)
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const file = await writeProgram(textOf('next-route.ts'), join(folder, 'next-route.mjs'), examples)
    const { POST, runtime } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
      POST: (request: Request) => Promise<Response>
      runtime: string
    }
    try {
      const url = 'https://shop.example.com/webhooks'
      const store = await storeOf('next-route.ts')
      await playDay(emulator, url, store)
      expect((await POST(testEvent('purchase', { order_id: 'A-1' }, { secret: 'another' }).request(url))).status).toBe(
        401,
      )
      expectRows(store)
      expect(runtime).toBe('nodejs')
    } finally {
      vi.unstubAllEnvs()
      warned.mockRestore()
    }
  })

  it('are all here, short, and read the one variable that they need at the first webhook', () => {
    const receivers = [...SERVERS.map(([file]) => file), 'next-route.ts']
    expect(readdirSync(examples).toSorted()).toEqual([...new Set([...receivers, ...NOT_STARTED])].toSorted())
    for (const file of receivers) {
      const text = textOf(file)
      expect(text).toContain('secrets: () => process.env.EDGETILL_API_SECRET')
      expect(text.match(/EDGETILL_\w+/g)).toHaveLength(1)
      expect(
        text.split('\n').filter((line) => line !== '' && !/^(import|\/\/) /.test(line)).length,
      ).toBeLessThanOrEqual(9)
    }
    expect(textOf('worker-kv.ts').split('\n').length).toBeLessThanOrEqual(80)
  })
})
