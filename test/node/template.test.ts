import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { OUR_BUNDLES } from '../../bench/ours.ts'
import { formOf, location, submit } from '../../examples/shop/browser.ts'
import { signWebhook } from '../../src/webhooks/index.ts'
import { isForChange } from '../support/environment.ts'
import { ownDefaultPorts } from '../support/own-network.ts'
import { packTarball } from '../tarball/support/pack.ts'
import { payment } from '../worker/support/events.ts'
import { ORDER } from '../worker/support/world.ts'
import { temporaryFolder } from './support/fixtures.ts'
import { freePort } from './support/free-port.ts'
import { type Running, startCommand } from './support/process.ts'
import { root } from './support/runtimes.ts'
import { blocks } from './support/snippets.ts'

// A merchant's steps, with the packed tarball in an empty folder: nothing of this checkout is on the PATH.
const folder = temporaryFolder()
const shop = join(folder, 'shop')
const env = {
  PATH: (process.env.PATH ?? '')
    .split(delimiter)
    .filter((path) => !path.startsWith(root))
    .join(delimiter),
  WRANGLER_SEND_METRICS: 'false',
}

/** The last lines of `npm run dev`. */
const INVITATION =
  /^Ctrl-C stops both\.\n[\s\S]*\/console\n +Sign in as admin with \S+\n[\s\S]*^ +(http:\S+\/checkout\/\S+)\n/m

let tarball = ''
const start = (cwd: string, command: string, ...words: string[]): Running => startCommand(command, words, { cwd, env })

/** Runs a command to its end. */
async function run(cwd: string, command: string, ...words: string[]): Promise<string> {
  const { code, output } = await start(cwd, command, ...words).finished
  if (code !== 0) throw new Error(`${command} ${words.join(' ')} ended with ${code}:\n${output}`)
  return output
}

type Change = string | ((found: string) => string)
/** Changes a file of the project while something is done. */
async function changed(file: string, from: string | RegExp, to: Change, during: () => Promise<void>): Promise<void> {
  const path = join(shop, file)
  const before = readFileSync(path, 'utf8')
  writeFileSync(path, before.replace(from, to as string))
  try {
    await during()
  } finally {
    writeFileSync(path, before)
  }
}

/** Sends JSON with the token of the project, and returns what came back. */
async function send(
  method: string,
  url: string,
  body?: object,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const token = /^ADMIN_TOKEN=(.*)$/m.exec(readFileSync(join(shop, '.dev.vars'), 'utf8'))?.[1]
  const headers = { authorization: `Bearer ${token}`, 'idempotency-key': 'once', 'content-type': 'application/json' }
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** A customer opens a link, and pays. */
async function buy(link: string): Promise<void> {
  const form = location(await fetch(link, { redirect: 'manual' }), link)
  const card = { cc_number: '4111111111111111', exp_month: '12', exp_year: '39', card_cvv: '123' }
  await submit(formOf(await (await fetch(form)).text(), form), card)
}

/** An order is made by the worker's API and paid. */
async function sell(worker: string, order: object): Promise<void> {
  const { body } = await send('POST', `${worker}/api/links`, { order: { ...ORDER, ...order } })
  await buy(String(body.url))
}

// `npm run dev` serves its Worker and its emulator there.
ownDefaultPorts()

describe('a project of edgetill init, from the packed tarball in an empty folder', () => {
  let seconds = 0
  /** Adds to the time that a merchant needs from the first command to the first paid order. */
  async function timed<T>(work: () => Promise<T>): Promise<T> {
    const begun = performance.now()
    try {
      return await work()
    } finally {
      seconds += (performance.now() - begun) / 1000
    }
  }

  beforeAll(async () => {
    tarball = packTarball(folder)
    const offline = '--prefer-offline'
    await timed(async () => {
      const written = await run(folder, 'npx', '--yes', offline, `--package=${tarball}`, 'edgetill', 'init', 'shop')
      const next = ['  cd shop', '  npm install', '  npm test', '  npm run dev']
      expect(written.trimEnd().split('\n').slice(-4)).toEqual(next)
    })
    await timed(() => run(shop, 'npm', 'install', '--no-audit', '--no-fund', offline))
  }, 300_000)

  it('passes npm test, which fails with the text of what onEvent throws', async () => {
    expect(await run(shop, 'npm', 'test')).toMatch(/^ℹ fail 0$/m)
    await changed(
      'worker/on-event.ts',
      /^export const onEvent[\s\S]*$/m,
      "export const onEvent: OnEvent<Env> = () => {\n  throw new Error('no stock')\n}\n",
      async () => {
        await expect(run(shop, 'npm', 'test')).rejects.toThrow(/onEvent failed for order-1: Error: no stock/)
      },
    )
  }, 60_000)

  it('passes npm run check: the types, its README included, and wrangler deploy --dry-run for live', async () => {
    const [{ code } = { code: '' }] = blocks('template/README.md', 'ts')
    const path = join(shop, 'test/readme.ts')
    onTestFinished(() => rmSync(path))
    writeFileSync(path, "import type { Env } from '../worker/env.ts'\nexport const env: Env = { STATE: 1 }\n")
    await expect(run(shop, 'npm', 'run', 'check')).rejects.toThrow('TS2')
    writeFileSync(path, code)
    expect(await run(shop, 'npm', 'run', 'check')).toMatch(/env\.MODE \("live"\)[\s\S]*--dry-run: exiting now/)
  }, 120_000)

  it('says what is to be filled in before it deploys, and then builds a bundle that holds the worker', async () => {
    const deploy = () => run(shop, 'npm', 'run', 'deploy', '--', '--dry-run', '--outdir', 'out')
    await expect(deploy()).rejects.toThrow(
      /Fill in BASE_URL in \[env\.test\.vars\][\s\S]*kv namespace create STATE --env test/,
    )
    const fill = (toml: string) =>
      toml
        .replaceAll(/^(BASE_URL|API_URL) = ""/gm, '$1 = "https://service.example"')
        .replaceAll('POS_ID = ""', 'POS_ID = "0f9d6c1e-8c59-4a5b-9f6e-0a2c33d1b7aa"')
        .replaceAll(/(\[\[env\.(\w+)\.kv_namespaces\]\][^[]*?id = )"0+"/g, '$1"of-$2"')
    await changed('wrangler.toml', /^[\s\S]*$/, fill, async () => {
      const output = await deploy()
      expect(output).toContain('env.MODE ("test")')
      expect(output).toContain('env.STATE')
      const bundle = readFileSync(join(shop, 'out/index.js'))
      expect(bundle.length).toBeGreaterThan(10_000)
      const whole = OUR_BUNDLES.find(({ name }) => name === 'worker with its console')
      expect(gzipSync(bundle).length).toBeLessThanOrEqual(whole?.limit ?? 0)
    })
  }, 60_000)

  it('says what is missing where a new clone has no .dev.vars', async () => {
    const [path, aside] = [join(shop, '.dev.vars'), join(folder, 'dev.vars')]
    renameSync(path, aside)
    onTestFinished(() => renameSync(aside, path))
    await expect(run(shop, 'npm', 'run', 'dev')).rejects.toThrow('See README.md, "Another machine"')
  })

  it('sells an order with npm run dev, reloads on a change, and stops on Ctrl-C', async () => {
    let stopped = 0
    const { dev, worker, link } = await timed(async () => {
      const dev = start(shop, 'npm', 'run', 'dev')
      await dev.seen(INVITATION)
      const [text, link = ''] = INVITATION.exec(dev.output()) ?? []
      // Nothing but npm's own lines stands before it, and nothing after it.
      expect(dev.output()).not.toContain('[ERROR]')
      expect(
        dev
          .output()
          .trimEnd()
          .endsWith(text?.trimEnd() ?? '-'),
      ).toBe(true)
      await buy(link)
      return { dev, link, worker: new URL(link).origin }
    })
    try {
      const api = async (path: string) => (await send('GET', `${worker}${path}`)).body
      const shows = (order_id: string, order: object) =>
        expect.poll(() => api(`/api/orders/${order_id}`).catch(() => '')).toMatchObject(order)
      const order_id = /api\/orders\/(mugs-\w+)/.exec(dev.output())?.[1] ?? ''
      await shows(order_id, { status: 'success', totals: { captured_minor: 10050 }, flags: [] })
      console.log(`measured: edgetill init, npm install and npm run dev, to a paid order: ${seconds.toFixed(1)} s`)
      expect(await (await fetch(link)).text()).toContain('Test mode')
      // A day was played, and the console shows it to whoever has the token.
      const { orders } = (await api('/api/orders?limit=100')) as { orders: { order_id: string }[] }
      const played = ['olena-mugs', 'maria-teapot~2', 'ivan-lamp', 'sofia-plates', 'petro-vase', 'from-elsewhere']
      expect(orders.map((one) => one.order_id)).toEqual(expect.arrayContaining(played))
      expect(await (await fetch(`${worker}/console`)).text()).toContain('type="password"')

      // The order's Durable Object is there: copies at once are one event.
      const { body } = signWebhook(payment('A-1'), 'emulator-api-secret')
      const post = async (body: string) =>
        (await fetch(`${worker}/webhooks`, { method: 'POST', body: new URLSearchParams(body) })).status
      expect(new Set(await Promise.all(Array.from({ length: 20 }, () => post(body))))).toEqual(new Set([200]))
      expect(await post(body.replace('data=e', 'data=f'))).toBe(401)
      expect(await api('/api/orders/A-1')).toMatchObject({ status: 'success', events: { length: 1 }, attempts: [] })
      expect((await fetch(`${worker}/cdn-cgi/local/scheduled`)).status).toBe(200)

      const found = async (path: string) => (await fetch(`${worker}${path}`)).status
      expect(await found('/mine')).toBe(404)
      const route = "// Add your own routes here.\napp.get('/mine', (c) => c.text('mine'))"
      await changed('worker/index.ts', '// Add your own routes here.', route, () =>
        expect.poll(() => found('/mine').catch(() => 0)).toBe(200),
      )
      // Until it has reloaded again, a request may be cut off.
      await expect.poll(() => found('/mine').catch(() => 0)).toBe(404)

      // A lost webhook is made up for an hour later, by both clocks.
      const service = /^ +the service +(http:\S+\/_emulator)$/m.exec(dev.output())?.[1] ?? ''
      await send('POST', `${service}/api/faults`, { next: { kind: 'drop', on: 'webhook' }, times: 9 })
      await sell(worker, { order_id: 'late', amount: 7 })
      expect(await api('/api/orders/late')).toMatchObject({ status: null })
      await send('POST', `${service}/api/clock`, { hours: 1 })
      await shows('late', { status: 'success', totals: { captured_minor: 700 } })

      // .dev.vars is watched too.
      await changed('.dev.vars', /^ADMIN_TOKEN=.*$/m, `ADMIN_TOKEN=${'another'.repeat(6)}`, () =>
        shows('A-1', { status: 'success' }),
      )
    } finally {
      stopped = performance.now()
      dev.stop('SIGINT')
      await dev.finished
    }
    // Ctrl-C comes while wrangler starts again: a look for the worker waited a minute for it.
    expect(performance.now() - stopped).toBeLessThan(30_000)
    await expect(fetch(worker)).rejects.toThrow()
  }, 120_000)

  it('goes on with the orders of the service, and stops all that npm run dev started when npm alone is ended', async () => {
    const dev = start(shop, 'npm', 'run', 'dev')
    await dev.seen(INVITATION)
    const { origin: worker } = new URL(INVITATION.exec(dev.output())?.[1] ?? '')
    const refund = { refund_amount: 10 }
    expect(await send('POST', `${worker}/api/orders/olena-mugs/refund`, refund)).toMatchObject({ status: 200 })
    const origins = [
      ...dev.output().matchAll(/^ +(?:the service +)?(http:\/\/127\.0\.0\.1:\d+)\/(?:checkout|_emulator)/gm),
    ]
    expect(origins).toHaveLength(2)
    dev.stopAlone('SIGTERM')
    // Its output ends with the last process that could write to it.
    await dev.finished
    for (const [, origin] of origins) await expect(fetch(`${origin}`)).rejects.toThrow()
  }, 60_000)

  // test/worker/upgrade.test.ts has the stored state of an older engine; the daily run upgrades a whole project.
  if (isForChange) return

  it('takes a newer engine by npm install: what was stored reads the same, and an open capture is settled', async () => {
    const own = () =>
      ['worker/index.ts', 'worker/env.ts', 'test/shop.test.ts', 'wrangler.toml'].map((file) =>
        readFileSync(join(shop, file), 'utf8'),
      )
    const before = own()
    const service = start(shop, 'npx', 'edgetill', 'emulator', '--json', '--port', '0')
    await service.seen(/^{"type":"start".*}$/m)
    const { overview, baseUrl } = JSON.parse(/^{.*}$/m.exec(service.output())?.[0] ?? '') as Record<string, string>
    const port = String(await freePort())
    const worker = `http://127.0.0.1:${port}`
    const variables = { BASE_URL: baseUrl, API_URL: baseUrl, PUBLIC_ORIGIN: worker }
    const running = async (work: () => Promise<void>): Promise<void> => {
      const words = Object.entries(variables).flatMap(([name, value]) => ['--var', `${name}:${value}`])
      // The tables of `npm run dev` belong to its own service.
      const own = ['--persist-to', join(folder, 'upgraded')]
      const wrangler = start(shop, 'npx', 'wrangler', 'dev', '--ip', '127.0.0.1', '--port', port, ...own, ...words)
      try {
        await wrangler.seen('Ready on')
        await work()
      } finally {
        wrangler.stop('SIGINT')
        await wrangler.finished
      }
    }
    const call = (method: string, path: string, body?: object) => send(method, worker + path, body)
    const stored = async () => [await call('GET', '/api/orders/old-1'), await call('GET', '/api/orders/old-2')]
    let was: unknown
    await running(async () => {
      await sell(worker, { order_id: 'old-1' })
      await sell(worker, { order_id: 'old-2', method: 'auth' })
      const listed = async () => (await call('GET', '/api/orders?limit=2')).body.orders
      const both = [
        { order_id: 'old-2', status: 'success' },
        { order_id: 'old-1', status: 'success' },
      ]
      await expect.poll(listed).toMatchObject(both)
      const next = { kind: 'reset', when: 'after_commit', on: 'capture-payment' }
      await send('POST', `${overview}/api/faults`, { next, times: 1 })
      const lost = await call('POST', '/api/orders/old-2/capture', { charge_amount: 40 })
      expect(lost).toMatchObject({ status: 502, body: { code: 'outcome_unknown' } })
      was = await stored()
    })
    await run(folder, 'tar', '-xzf', tarball)
    const dist = join(folder, 'package/dist')
    // Another table, and another text, whichever file of the package they are in.
    const changes: [RegExp, string][] = [
      [/CREATE TABLE edgetill_session \([^)]*\)/, '$&; CREATE TABLE edgetill_newer (id TEXT PRIMARY KEY)'],
      [/Page not found/, 'Corrected: not found'],
    ]
    const made = new Set<string>()
    for (const file of readdirSync(dist).filter((name) => name.endsWith('.js'))) {
      const text = readFileSync(join(dist, file), 'utf8')
      for (const [from, to] of changes) if (from.test(text)) made.add(to)
      writeFileSync(
        join(dist, file),
        changes.reduce((all, [from, to]) => all.replace(from, to), text),
      )
    }
    expect([...made].sort()).toEqual(changes.map(([, to]) => to).sort())
    const second = join(folder, 'second')
    mkdirSync(second)
    await run(join(folder, 'package'), 'npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', second)
    await run(shop, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', join(second, basename(tarball)))
    expect(await run(shop, 'npm', 'test')).toMatch(/^ℹ fail 0$/m)
    await running(async () => {
      expect(await (await fetch(`${worker}/nowhere`)).text()).toContain('Corrected: not found')
      expect(await stored()).toEqual(was)
      const settled = await call('POST', '/api/orders/old-2/capture', { charge_amount: 40 })
      expect(settled).toMatchObject({ status: 200, body: { amount: 40 } })
      expect((await call('GET', '/api/orders/old-2')).body).toMatchObject({
        attempts: [],
        totals: { captured_minor: 4000 },
      })
    })
    // The service was asked; the capture was not made again.
    const { body } = await send('GET', `${overview}/api/orders?order_id=old-2`)
    expect(body).toMatchObject({ operations: [{ method: 'capture' }] })
    service.stop('SIGINT')
    await service.finished
    expect(own()).toEqual(before)
  }, 180_000)
})
