import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, vi } from 'vitest'
import { variablesOf } from '../../../src/emulator/control/pages/connect.ts'
import { createEmulator } from '../../../src/emulator/index.ts'
import { createClient } from '../../../src/index.ts'
import { pay } from '../../../src/testing/index.ts'
import { createTill, sqlite } from '../../../src/till/index.ts'
import { signWebhook } from '../../../src/webhooks/index.ts'
import { DIRECT_AUTH } from '../../support/inputs.ts'
import { Document, quoted } from '../support/document.ts'
import { temporaryFolder } from '../support/fixtures.ts'
import { freePort } from '../support/free-port.ts'
import { start, startCommand } from '../support/process.ts'
import { load, writeProgram } from '../support/program.ts'
import { root } from '../support/runtimes.ts'

export default function tests(): void {
  const readme = Document.of('README.md')
  const first = Document.of('guides/first-payment.md')
  const COMPLETE = first.program('A complete program')
  const FIRST = readme.program('edgetill')
  const RECIPES = readme.program('Three recipes')
  const CHECKOUT_TEST = readme.program('Test a checkout')

  const FORM = /\/api\/v1\/checkout\/[^/]+\/form$/

  /** The environment of the complete program. */
  const CREDENTIALS = {
    scheme: 'SVC',
    posId: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11',
    ...{ apiKey: 'your-api-key', apiSecret: 'your-api-secret', endpointsKey: 'your-endpoints-key' },
  }

  /** The complete program in this process, with what it sends, and a way to look at its orders. */
  async function complete(service: typeof fetch) {
    vi.stubGlobal('fetch', service)
    const { credentials } = createEmulator({ origin: 'https://pay.example.com', credentials: CREDENTIALS })
    for (const line of variablesOf(credentials)) vi.stubEnv(...(line.split('=') as [string, string]))
    const program = await load(`${COMPLETE}\nexport { orders }`)
    const { fetch } = program.default as { fetch(request: Request): Promise<Response> }
    const call = (method: string, path: string, body?: string) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return fetch(new Request(`https://shop.example.com${path}`, { method, ...(body && { headers, body }) }))
    }
    const orders = program.orders as Map<string, { state: string }>
    // The module stays loaded.
    orders.clear()
    return { call, orders }
  }

  function silenced(method: 'log' | 'warn') {
    return vi.spyOn(console, method).mockImplementation(() => {})
  }

  describe('README.md', () => {
    // test/node/testing-kit.test.ts runs the test.
    it('has at most 200 lines, the Worker’s 250, the shop’s reference 300, and a test of a checkout 15', () => {
      const linesOf = (text: string) => text.trimEnd().split('\n').length
      const others = ['worker/README.md', 'guides/shop-reference.md'].map((file) => Document.of(file).text)
      const found = [readme.text, ...others, CHECKOUT_TEST].map(linesOf)
      expect(found.map((lines, i) => lines <= Number([200, 250, 300, 15][i]))).toEqual([true, true, true, true])
    })

    it('begins with what it is, whom it works with, and a program of at most ten lines of 90 columns', () => {
      const lines = readme.text.split('\n')
      expect(lines[2]).toMatch(/^A TypeScript SDK for card payments that never charges or refunds twice\./)
      expect(lines[4]).toMatch(/^\*\*Works with\*\* providers whose API reference shows `POST \/api\/v1\/payment`/)
      const program = FIRST.trimEnd().split('\n')
      expect([program.length <= 10, program.filter((line) => line.length > 90)]).toEqual([true, []])
      expect(readme.text.indexOf(FIRST) + FIRST.length).toBeLessThan(lines.slice(0, 25).join('\n').length)
      expect(lines.slice(0, 50).join('\n')).toContain('the API document')
      expect(lines).toEqual(expect.arrayContaining(['npm ci && npm run demo', 'npm test']))
    })

    it('has one list of all guides, in the order of a first week, and llms.txt has the same', () => {
      const linksOf = (text: string) =>
        [...text.matchAll(/\]\(((?:guides|worker|examples)\/[\w-]+\.md)\)/g)].map(([, file]) => file)
      const list = linksOf(readme.section('Guides'))
      expect(list).toEqual(linksOf(Document.of('llms.txt').text))
      const guides = readdirSync(join(root, 'guides')).filter((file) => file.endsWith('.md'))
      expect(list.filter((file) => file?.startsWith('guides/')).sort()).toEqual(
        guides.map((file) => `guides/${file}`).sort(),
      )
      for (const group of ['Start', 'Run a shop', 'Check', 'Look up', 'About'])
        expect(Document.of('llms.txt').section(group)).toMatch(/^- \[/m)
    })

    it('has a picture that follows the light or dark scheme of its reader', () => {
      const [, file = ''] = /!\[[^\]]+\]\((\S+\.svg)\)/.exec(readme.text) ?? []
      const picture = readFileSync(join(root, file), 'utf8')
      expect(picture).toMatch(/<title[\s\S]+<desc[\s\S]+prefers-color-scheme: dark/)
    })
  })

  /** Each program of guides/first-payment.md with its commands, by runtime. */
  const COMMANDS = ['Node, Deno and Bun', 'A complete program'].flatMap((title, index) =>
    first.rows(title).map(([runtime = '', cell = '']): [string, string, string] => {
      return [runtime, quoted(cell)[0]?.replaceAll("'", '') ?? '', index === 0 ? FIRST : COMPLETE]
    }),
  )

  it.each(COMMANDS)(
    'on %s `%s` pays and verifies, with no value edited',
    { timeout: 120_000 },
    async (_, line, program) => {
      const folder = temporaryFolder()
      const emulator = start('src/cli/main.ts', 'emulator', '--port', '0', '--write-env', join(folder, '.env'))
      const port = String(await freePort())
      const words = line.replace('npx ', '').replace('3000', port).split(' ')
      const file = words.find((word) => word.startsWith('shop.')) ?? ''
      await writeProgram(program.replaceAll('3000', port), join(folder, file))
      await emulator.seen('Ctrl-C stops it.')
      const [command = '', ...rest] = words
      const env = { PORT: port, WRANGLER_SEND_METRICS: 'false' }
      const shop = startCommand(join(root, 'node_modules/.bin', command), rest, { cwd: folder, env })
      await shop.seen(program === FIRST ? /Pay at \S+/ : /http:\/\/\S+:\d{4}/)
      const paying =
        program === FIRST
          ? undefined
          : await fetch(`http://127.0.0.1:${port}/pay`, { method: 'POST', redirect: 'manual' })
      await pay(paying?.headers.get('location') ?? /Pay at (\S+)/.exec(shop.output())?.[1] ?? '')
      if (program !== FIRST) return await shop.seen(/shop-\w+: paid/)
      expect((await shop.finished).code).toBe(0)
      await emulator.seen(/purchase +success/)
    },
  )

  describe('the complete program', () => {
    it('creates a payment on a POST alone, and keeps each order’s state by its verified webhooks', async () => {
      const emulator = createEmulator({ origin: 'https://pay.example.com', credentials: CREDENTIALS })
      const { call, orders } = await complete(emulator.fetch)
      // A browser that prefetches the page, or asks for an icon, must not create a payment.
      for (const path of ['/pay', '/favicon.ico']) expect((await call('GET', path)).status).toBe(404)
      expect(emulator.orders.list()).toHaveLength(0)
      const paying = await call('POST', '/pay')
      expect([paying.status, paying.headers.get('location')]).toEqual([303, expect.stringMatching(FORM)])
      const [order_id = ''] = orders.keys()
      expect(emulator.orders.list().map((order) => order.order_id)).toEqual([order_id])

      const logged = silenced('log')
      const warned = silenced('warn')
      const payment = emulator.orders.get(order_id)?.payments[0]
      const deliver = async (changes: object, secret = CREDENTIALS.apiSecret) => {
        const { status } = await call('POST', '/webhooks', signWebhook({ ...payment, ...changes }, secret).body)
        return [status, orders.get(order_id)?.state]
      }
      expect(await deliver({ status: 'pending' })).toEqual([200, 'unpaid'])
      expect(await deliver({ status: 'success' }, 'forged')).toEqual([401, 'unpaid'])
      expect(await deliver({ status: 'failure' })).toEqual([200, 'failed'])
      expect(await deliver({ status: 'success' })).toEqual([200, 'paid'])
      // Late: a final state stays.
      expect(await deliver({ status: 'pending' })).toEqual([200, 'paid'])
      expect(await deliver({ status: 'success', amount: 1 })).toEqual([200, 'check by hand'])
      expect(await deliver({ status: 'success' })).toEqual([200, 'paid'])
      expect(await deliver({ status: 'success', currency: 'USD' })).toEqual([200, 'check by hand'])
      await deliver({ method: 'refund', operation_id: 'r-1', status: 'success' })
      expect(logged.mock.calls.at(-1)).toEqual([`${order_id}: refund success, 100.5 UAH`])
      warned.mockClear()
      for (const odd of [{ method: 'something new' }, { amount: null }]) expect((await deliver(odd))[0]).toBe(200)
      expect(warned).toHaveBeenCalledTimes(2)
    })

    it('keeps the order before it calls the service', async () => {
      const { orders, call } = await complete(() => Promise.reject(new TypeError('fetch failed')))
      await expect(call('POST', '/pay')).rejects.toMatchObject({ name: expect.stringMatching(/Error$/) })
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
    const till = createTill({ client, database: sqlite(new DatabaseSync(':memory:')) })
    await till.migrate()
    expect(await refund?.(till, 'A-1', 5, 'a press')).toMatchObject({ outcome: 'done', record: { amount: 5 } })
    const checkout = (await subscribe?.(client, 'S-1')) as unknown as { url: string }
    await emulator.pay(checkout.url)
    expect(emulator.orders.get('S-1')?.payments[0]?.status).toBe('success')
  })
}
