import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { pay } from '../../src/testing/index.ts'
import { Browser } from '../console/support/browser.ts'
import { packTarball } from '../tarball/support/pack.ts'
import { temporaryFolder } from './support/fixtures.ts'
import { freePort } from './support/free-port.ts'
import { usePostgres } from './support/postgres.ts'
import { startCommand } from './support/process.ts'
import { root } from './support/runtimes.ts'

// `edgetill init --server`, from the packed tarball in an empty folder: nothing of this checkout is on the PATH.
const folder = temporaryFolder()
const shop = join(folder, 'my-shop')
// Its TypeScript is run by this Node: an older one may be the first on the PATH.
const others = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.startsWith(root))
const PATH = [dirname(process.execPath), ...others].join(delimiter)
const postgres = usePostgres()

const start = (cwd: string, words: readonly string[], env: Record<string, string> = {}) =>
  startCommand(words[0] as string, words.slice(1), { cwd, env: { PATH, ...env } })

async function run(cwd: string, ...words: string[]): Promise<string> {
  const { code, output } = await start(cwd, words).finished
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}:\n${output}`)
  return output
}

const settings = () => readFileSync(join(shop, '.env'), 'utf8')
const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(settings())?.[1] ?? ''

it('is a shop in which a link is paid, and refunded once by two processes of which one is killed, on both databases', async () => {
  const tarball = packTarball(folder)
  const offline = '--prefer-offline'
  const written = await run(
    folder,
    'npx',
    '--yes',
    offline,
    `--package=${tarball}`,
    'edgetill',
    'init',
    '--server',
    'my-shop',
  )
  expect(written.trimEnd().split('\n').slice(-3)).toEqual(['  npm install', '  npm test', '  npm start'])
  await run(shop, 'npm', 'install', '--no-audit', '--no-fund', offline)
  expect(await run(shop, 'npm', 'test')).toMatch(/^ℹ fail 0$/m)
  await run(shop, 'npx', 'tsc', '--noEmit', ...TYPES, 'server.ts', 'start.ts', 'on-event.ts', 'shop.test.ts')

  for (const DATABASE_URL of ['', postgres.url]) {
    const [service, port, other] = [await freePort(), await freePort(), await freePort()]
    writeFileSync(join(shop, '.env'), settings().replace(/127\.0\.0\.1:\d+/g, `127.0.0.1:${service}`))
    const environment = (PORT: number) => ({ DATABASE_URL, PORT: String(PORT) })
    const first = start(shop, ['npm', 'start'], environment(port))
    await first.seen('Ctrl-C stops both.')
    const link = /http:\S+\/checkout\/\S+/.exec(first.output())?.[0] ?? ''
    const opened = await fetch(link, { redirect: 'manual' })
    const result = await pay(opened.headers.get('location') ?? '')
    const order_id = new URL(result).pathname.split('/').at(-1)
    await expect.poll(async () => (await fetch(result)).text()).toContain('successful')
    await first.seen(`Paid 100.50 UAH · order ${order_id}`)

    const second = start(shop, ['node', '--env-file=.env', 'server.ts'], environment(other))
    await second.seen('listening')
    const headers = { authorization: `Bearer ${setting('EDGETILL_ADMIN_TOKEN')}`, 'idempotency-key': 'the-form' }
    const refund = (at: number) =>
      fetch(`http://127.0.0.1:${at}/api/orders/${order_id}/refund`, {
        method: 'POST',
        headers,
        body: '{"refund_amount":30}',
      })
    const presses = Array.from({ length: 20 }, (_, i) => refund(i % 2 ? other : port).catch(() => undefined))
    await Promise.race(presses)
    second.stop('SIGKILL')
    const statuses = (await Promise.all(presses)).map((response) => response?.status)
    expect(statuses).toContain(200)
    expect((await refund(port)).status).toBe(200)
    const shown = await fetch(`http://127.0.0.1:${port}/api/orders/${order_id}`, { headers })
    expect(await shown.json()).toMatchObject({
      status: 'success',
      totals: { captured_minor: 10050, refunded_minor: 3000 },
    })
    const listed = await fetch(`http://127.0.0.1:${service}/_emulator/api/orders?order_id=${order_id}`)
    const { operations } = (await listed.json()) as { operations: { method: string }[] }
    expect(operations.filter(({ method }) => method === 'refund')).toHaveLength(1)

    const origin = `http://127.0.0.1:${port}`
    const browser = new Browser((request) => fetch(request, { redirect: 'manual' }), {}, origin)
    await browser.signIn(setting('EDGETILL_ADMIN_TOKEN'))
    expect((await browser.open(`/console/orders/${order_id}`)).text).toContain('30.00')
    const began = performance.now()
    first.stop('SIGINT')
    await first.finished
    expect(performance.now() - began).toBeLessThan(10_000)
  }
}, 600_000)

/** A strict compiler of today; Node strips the types. */
const TYPES =
  '--target esnext --module nodenext --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --skipLibCheck --allowImportingTsExtensions --erasableSyntaxOnly --verbatimModuleSyntax --types node'.split(
    ' ',
  )
