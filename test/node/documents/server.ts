import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import connect from 'postgres'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { type ServedEmulator, serveEmulator } from '../../../src/cli/service/serve-emulator.ts'
import { nodeHandler, type ServerShop } from '../../../src/shop/server.ts'
import { pay } from '../../../src/testing/index.ts'
import { postgres as onSql, sqlite } from '../../../src/till/index.ts'
import { PAYMENT } from '../../till/support/open-till.ts'
import { openServer } from '../../worker/support/server.ts'
import { ADMIN_TOKEN } from '../../worker/support/world.ts'
import { Document, overPostgres } from '../support/document.ts'
import { folderInCheckout, listen } from '../support/fixtures.ts'
import { freePort } from '../support/free-port.ts'
import { usePostgres } from '../support/postgres.ts'
import { startCommand } from '../support/process.ts'
import { load, writeProgram } from '../support/program.ts'
import { root } from '../support/runtimes.ts'
import { against } from '../support/verb.ts'

export default function tests(): void {
  const guide = Document.of('guides/server.md')
  const SHOP = guide.program('In an Express shop')
  const POSTGRES = guide.program('Postgres')
  const RESTORED = guide.program('Backup and restore')
  const [, MOVE = ''] = /```sh\n([\s\S]*?)```/.exec(guide.section('Moving a shop')) ?? []
  const folder = folderInCheckout()
  const postgres = usePostgres()
  let service: ServedEmulator
  beforeAll(async () => {
    service = await serveEmulator({ port: 0 }, {})
    return () => service.close()
  })

  /** The shop with the database that the guide opens in its place. */
  const onPostgres = (): string => overPostgres(SHOP, POSTGRES)

  it.each([
    ['SQLite', () => SHOP],
    ['Postgres', onPostgres],
  ])(
    'the Express shop on %s sells by a link, ships, and refunds once for two presses',
    async (name, code) => {
      const port = await freePort()
      const origin = `http://127.0.0.1:${port}`
      const file = await writeProgram(code(), join(folder, `server-${name}.mjs`))
      const secrets = {
        LINK_SECRET: 'link-secret-of-the-guide-32-characters',
        ADMIN_TOKEN: 'admin-token-of-the-guide-32-characters',
      }
      const running = startCommand(join(root, 'node_modules/.bin/node'), [file], {
        env: {
          ...{ ...against(service.emulator).environment, ...secrets, EDGETILL_MODE: 'test', PORT: String(port) },
          ...{ ADMIN_PASSWORD: 'staff', DATABASE: join(folder, `server-${name}.db`), DATABASE_URL: postgres.url },
        },
      })
      await running.seen('shop on port')
      const order_id = `mugs-${name}`
      const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
        fetch(origin + path, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' })
      const link = (await post('/buy', { cart: order_id })).headers.get('location') ?? ''
      expect(link).toMatch(`${origin}/pay/checkout/`)
      const opened = await fetch(link, { redirect: 'manual' })
      const result = await pay(opened.headers.get('location') ?? '')
      await running.seen(`ship ${order_id}: 100.5 UAH`)
      expect(await (await fetch(result)).text()).toContain('successful')
      const form = { order_id, key: 'k', amount: '30' }
      expect((await post('/staff/refund', form)).status).toBe(401)
      const press = () => post('/staff/refund', form, { authorization: 'Bearer staff' })
      expect((await Promise.all([press(), press(), press()])).map(({ status }) => status)).toEqual([200, 200, 200])
      const { operations } = service.emulator.orders.get(order_id) ?? { operations: [] }
      expect(operations.filter(({ method }) => method === 'refund')).toHaveLength(1)
      expect(await (await fetch(origin)).text()).toBe('The pages of your shop')
      running.stopAlone('SIGTERM')
      expect((await running.finished).code).toBe(0)
    },
    60_000,
  )

  it('a refund that the restored backup does not have is not made again', async () => {
    const { restored } = (await load(RESTORED)) as { restored(shop: ServerShop, backup: Date): Promise<void> }
    const backup = new DatabaseSync(':memory:')
    const file = join(folder, 'backup.db')
    const at = (database: DatabaseSync) => openServer(service.emulator, sqlite(database), { fetch })
    const shop = at(backup)
    const opened = await shop.till.createPayment({ ...PAYMENT, order_id: 'saved' })
    if (opened.outcome !== 'done') throw new Error(JSON.stringify(opened))
    await pay(String(opened.url))
    backup.exec(`VACUUM INTO '${file}'`)
    const time = new Date()
    const refund = { order_id: 'saved', order_currency: 'UAH', refund_amount: 30 }
    expect(await shop.till.refund(refund, { key: 'k' })).toMatchObject({ outcome: 'done' })
    const again = at(new DatabaseSync(file))
    await restored(again, time)
    expect((await again.till.refund(refund, { key: 'k' })).outcome).not.toBe('done')
    await again.stop()
    const { operations } = service.emulator.orders.get('saved') ?? { operations: [] }
    expect(operations.filter(({ method }) => method === 'refund')).toHaveLength(1)
  })

  it('a shop moves from SQLite to Postgres by the commands of the guide', async () => {
    const databases = [new DatabaseSync(':memory:'), connect(postgres.url, { onnotice() {} })] as const
    onTestFinished(() => databases[1].end())
    // The shop of another test is in there.
    await databases[1].unsafe('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    const shops = [sqlite(databases[0]), onSql(databases[1])].map((one) => openServer(service.emulator, one, { fetch }))
    const [OLD = '', NEW = ''] = await Promise.all(shops.map((shop) => listen(createServer(nodeHandler(shop)))))
    const [old, moved] = shops as [ServerShop, ServerShop]
    await Promise.all(shops.map((shop) => shop.start()))
    const opened = await old.till.createPayment({ ...PAYMENT, order_id: 'moved' })
    if (opened.outcome !== 'done') throw new Error(JSON.stringify(opened))
    await pay(String(opened.url))
    const refund = { order_id: 'moved', order_currency: 'UAH', refund_amount: 30 }
    const answer = await old.till.refund(refund, { key: 'k' })

    const bin = join(root, 'node_modules/.bin')
    const env = { ...process.env, OLD, NEW, ADMIN_TOKEN, PATH: `${bin}:${process.env.PATH}` }
    const npx = `npx() { shift; node ${join(root, 'src/cli/main.ts')} "$@"; }`
    const run = async (command: string) => {
      const { code, output } = await startCommand('bash', ['-c', `${npx}; ${command}`], { cwd: folder, env }).finished
      expect(code, output).toBe(0)
    }
    const [close = '', ...rest] = MOVE.trim().split('\n')
    await run(close)
    // A minute passes.
    databases[0].exec('UPDATE edgetill_closed SET at = at - 60000')
    for (const command of rest) await run(command)
    expect(await moved.till.refund(refund, { key: 'k' })).toEqual(answer)
    expect(await moved.till.order('moved')).toEqual(await old.till.order('moved'))
    expect((await old.till.refund(refund, { key: 'late' })).outcome).toBe('not_sent')
    await Promise.all(shops.map((shop) => shop.stop()))
  }, 30_000)
}
