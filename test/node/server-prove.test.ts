import { join } from 'node:path'
import connect from 'postgres'
import { expect, it } from 'vitest'
import type { Order } from '../../src/shop/index.ts'
import { type AskedOrder, type ProvePress, prove, reportText } from '../../src/testing/index.ts'
import { isLong } from '../support/environment.ts'
import { api, type Send } from '../worker/support/server.ts'
import { ADMIN_TOKEN, LINK_SECRET, ORDER } from '../worker/support/world.ts'
import { serveNewEmulator, temporaryFolder } from './support/fixtures.ts'
import { freePort } from './support/free-port.ts'
import { usePostgres } from './support/postgres.ts'
import { type Running, startWith } from './support/process.ts'
import { root } from './support/runtimes.ts'
import { against } from './support/verb.ts'

// `prove` attacks a shop of edgetill/server: webhooks, links and refunds, while its processes are killed.
const postgres = usePostgres()
const SEEDS = isLong ? [1, 2, 3] : [1]

it.each(SEEDS.flatMap((seed) => [['SQLite', 1, seed] as const, ['Postgres', 2, seed] as const]))(
  'prove finds nothing in the shop on %s with %i processes (seed %i)',
  { timeout: 300_000 },
  async (name, count, seed) => {
    const { emulator, origin: service } = await serveNewEmulator()
    // Each run has its own emulator, whose address its tables belong to.
    const database = `seed_${seed}`
    if (name === 'Postgres') {
      const sql = connect(postgres.url)
      await sql.unsafe(`CREATE DATABASE ${database}`)
      await sql.end()
    }
    const env = {
      ...{ ...against(emulator).environment, EDGETILL_MODE: 'test', LINK_SECRET, ADMIN_TOKEN },
      ...(name === 'SQLite'
        ? { DATABASE: join(temporaryFolder(), 'shop.db') }
        : { DATABASE_URL: new URL(`/${database}`, postgres.url).href }),
    }
    const ports = await Promise.all(Array.from({ length: count }, freePort))
    const running: Running[] = []
    const start = async (i: number): Promise<void> => {
      const program = join(root, 'test/node/programs/server-shop.ts')
      running[i] = startWith({ ...env, PORT: String(ports[i]) }, 'node', program)
      await running[i]?.seen('listening')
    }
    const restart = async (i: number): Promise<void> => {
      running[i]?.stop('SIGKILL')
      await running[i]?.finished
      await start(i)
    }
    await Promise.all(ports.map((_, i) => start(i)))
    const origin = `http://127.0.0.1:${ports[0]}`
    let turn = 0
    const send: Send = (path, init) =>
      fetch(`http://127.0.0.1:${ports[turn++ % count]}${path}`, { redirect: 'manual', ...init })
    const report = await prove({
      ...{ url: `${origin}/webhooks`, seed, orders: 10, emulator: service, maxSeconds: 200 },
      async create({ order_id, amount, currency }: AskedOrder) {
        const order = { ...ORDER, order_id, amount, currency }
        const { status, body } = await api(send, 'POST', '/api/links', { order, longOrderId: true })
        if (status !== 201) throw new Error(JSON.stringify(body))
        const { pathname } = new URL(String(body.url))
        return { url: (await send(pathname)).headers.get('location') ?? undefined }
      },
      async state(order_id) {
        const { status, body } = await api<Order>(send, 'GET', `/api/orders/${encodeURIComponent(order_id)}`)
        if (status === 404) return undefined
        const { totals, flags } = body
        const isOdd = flags.some((flag) => flag === 'amount_mismatch' || flag === 'currency_mismatch')
        return { paid: isOdd ? 0 : totals.captured_minor / 100, refunded: totals.refunded_minor / 100 }
      },
      async refund({ order_id, key, amount }: ProvePress) {
        const path = `/api/orders/${encodeURIComponent(order_id)}/refund`
        const { status, body } = await api(send, 'POST', path, { refund_amount: amount }, { 'idempotency-key': key })
        if (status !== 200) throw new Error(JSON.stringify(body))
      },
      restart: () => Promise.all(ports.map((_, i) => restart(i))),
    })
    expect(report.findings, reportText(report)).toEqual([])
    expect(reportText(report)).toMatch(/nothing found/)
  },
)
