import { beforeAll, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import type { ShownOrder } from '../../src/shop/index.ts'
import { api, linkTo, type Send } from '../worker/support/server.ts'
import { bindings, newOrderId, ORIGIN, payAt } from '../worker/support/world.ts'
import { usePostgres } from './support/postgres.ts'
import { bundled, openWorkerd } from './support/workerd.ts'

// The Worker over Postgres behind Hyperdrive: two isolates of workerd at once, and no object.
const database = usePostgres()
let emulator: Emulator
let isolates: Send[]
let turn = 0
const either: Send = (path, init) => (isolates[turn++ % 2] as Send)(path, init)

beforeAll(async () => {
  const contents = await bundled('postgres-worker.ts')
  emulator = createEmulator({
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const { pathname, search } = new URL(request.url)
      const body = await request.text()
      return either(pathname + search, { method: 'POST', headers: Object.fromEntries(request.headers), body })
    },
  })
  const workers = [1, 2].map(() =>
    openWorkerd({
      contents,
      bindings: bindings(emulator.credentials),
      // Postgres asks for no password here; Miniflare does.
      hyperdrives: { HYPERDRIVE: database.url.replace('shop@', 'shop:none@') },
      outside: async (request) => {
        const body = request.method === 'GET' ? undefined : await request.text()
        const headers = Object.fromEntries(request.headers)
        return emulator.fetch(request.url, { method: request.method, headers, ...(body && { body }) })
      },
    }),
  )
  await Promise.all(workers.map(({ ready }) => ready))
  isolates = workers.map(
    (worker): Send =>
      async (path, init) =>
        (await worker.dispatchFetch(new URL(path, ORIGIN).href, { redirect: 'manual', ...init } as never)) as never,
  )
  return () => Promise.all(workers.map((worker) => worker.dispose()))
}, 60_000)

it('opens a link once, takes its webhooks, and makes one refund of twenty presses in both', async () => {
  const order_id = newOrderId()
  const link = await linkTo(either, { order_id })
  const { pathname } = new URL(link)
  const opened = await Promise.all([0, 1, 2, 3].map(() => either(pathname)))
  const pages = new Set(opened.map(({ headers }) => headers.get('location') ?? ''))
  expect([opened.map(({ status }) => status), pages.size]).toEqual([[303, 303, 303, 303], 1])
  await payAt(emulator, [...pages].join(), 'success')
  await emulator.deliveries.idle()

  const refund = { refund_amount: 10.5, order_currency: 'UAH' }
  const path = `/api/orders/${order_id}`
  const press = () => api(either, 'POST', `${path}/refund`, refund, { 'idempotency-key': 'once' })
  const presses = await Promise.all(Array.from({ length: 20 }, press))
  expect(new Set(presses.map(({ status, body }) => `${status} ${body.operation_id}`)).size).toBe(1)
  await emulator.deliveries.idle()
  const { operations = [] } = emulator.orders.get(order_id) ?? {}
  expect(operations.filter(({ method }) => method === 'refund')).toHaveLength(1)
  for (const isolate of isolates) {
    const { body } = await api<ShownOrder>(isolate, 'GET', path)
    expect(body).toMatchObject({ status: 'success', totals: { captured_minor: 10050, refunded_minor: 1050 } })
    expect((await isolate('/health')).status).toBe(200)
  }
}, 60_000)
