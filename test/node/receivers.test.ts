import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Store } from '../../examples/receivers/store.ts'
import { prove } from '../../src/testing/index.ts'
import { isForChange, isLong } from '../support/environment.ts'
import { SEED } from '../support/property.ts'
import { folderInCheckout } from './support/fixtures.ts'
import { startWith } from './support/process.ts'
import { writeProgram } from './support/program.ts'
import { root } from './support/runtimes.ts'

const examples = join(root, 'examples/receivers')
const folder = folderInCheckout()
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

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

/** How a server names its port. */
const PORT = /(?:port: |localhost:|0\.0\.0\.0:)(\d{4,5})\b/

const textOf = (file: string) => readFileSync(join(examples, file), 'utf8')

/** The surroundings of a receiver: a database, and the secret of those who prove it. */
const environment = (name: string) => ({
  DATABASE: join(folder, `${name}.sqlite`),
  EDGETILL_API_SECRET: 'emulator-api-secret',
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

/** Copies, forgeries, lost answers and the rest; of kinds of orders only purchases where another receiver has had them all. */
async function expectProved(url: string, store: Store, isFirst: boolean, fetch = globalThis.fetch): Promise<void> {
  const { findings } = await prove({
    url,
    fetch,
    create: (order) => store.saveOrder(order),
    state(order_id) {
      const { totals, flags } = store.orderOf(order_id)
      const isOdd = flags.includes('amount_mismatch') || flags.includes('currency_mismatch')
      return { paid: isOdd ? 0 : totals.captured_minor / 100, refunded: totals.refunded_minor / 100 }
    },
    orders: isLong ? 10_000 : isForChange ? 15 : 45,
    kinds: isForChange && !isFirst ? ['paid'] : undefined,
    settleMs: 0,
    seed: SEED,
  })
  expect([SEED, findings]).toEqual([SEED, []])
}

describe('the receivers of examples/receivers', { timeout: isLong ? 3_600_000 : 240_000 }, () => {
  it.each(SERVERS)('%s bears every attack of edgetill prove', async (file, runtime) => {
    const program = await writeProgram(textOf(file), join(folder, `${file}.mjs`), examples)
    const running = startWith(environment(file), runtime, program)
    await running.seen(PORT)
    const origin = `http://localhost:${PORT.exec(running.output())?.[1]}`
    expect((await fetch(`${origin}/nothing`)).status).toBe(404)
    await expectProved(`${origin}/webhooks`, await storeOf(file), file === 'express.ts')
  })

  it('next-route.ts bears them, called as a function', async () => {
    for (const [name, value] of Object.entries(environment('next-route.ts'))) vi.stubEnv(name, value)
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const file = await writeProgram(textOf('next-route.ts'), join(folder, 'next-route.mjs'), examples)
    const { POST, runtime } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
      POST: (request: Request) => Promise<Response>
      runtime: string
    }
    const call: typeof fetch = (input, init) => POST(new Request(input, init))
    await expectProved('https://shop.example.com/webhooks', await storeOf('next-route.ts'), false, call)
    expect(runtime).toBe('nodejs')
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
