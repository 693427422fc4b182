import { expect } from 'vitest'
import { type Bench, createBench, get, type Json, plain, post, SPLIT } from '../call.ts'
import { endpoint } from './caller.ts'
import { checkedBeforeTheOrder, holds, type Parameter } from './probe.ts'
import { type Create, type Row, row } from './row.ts'
import { DAILY, payDirect, sendCapture } from './samples.ts'
import { OPERATION, PART, refund, splitCapture, splitRefund, type Target, voiding } from './targets.ts'

/** The operations of public material: path, authentication, parameters, conditions and records. */

const UUIDS = ['operation_id', 'payment_id', 'transaction_id', 'pos_id']
/** "Secondary operation record" of the API document, for an operation whose currency has the usual name. */
const RECORD = [
  ...[...UUIDS, 'order_id', 'mode', 'method', 'amount', 'currency', 'status', 'status_code', 'status_description'],
  ...['created_at', 'processed_at', 'fee', 'comment'],
]

const required = (name: string, type: string, notes = ''): Parameter => ({ name, type, required: true, notes })
const optional = (name: string, type: string, notes = ''): Parameter => ({ name, type, required: false, notes })
const COMMON = [
  required('pos_id', 'UUID'),
  required('order_id', 'String', 'at most 32 characters'),
  optional('comment', 'String', 'at most 2048 characters'),
  optional('server_url', 'URL'),
]

async function parametersHold(create: Create, target: Target, parameters: Parameter[]): Promise<void> {
  for (const parameter of [...COMMON, ...parameters]) await holds(create, target, parameter)
  await checkedBeforeTheOrder(create, target)
}

/** Sends a request of one kind, on an order that `prepare` made. */
export function call(bench: Bench, path: string, more: Json): Promise<Response> {
  const currency = path.endsWith('split/refund') ? { currency: 'UAH' } : { order_currency: 'UAH' }
  const body = { pos_id: bench.emulator.credentials.posId, order_id: 'A-1', ...currency, ...more }
  return post(bench.emulator, path, body)
}

async function record(response: Response, more: readonly string[] = []): Promise<Json> {
  expect(response.status).toBe(200)
  const json = (await response.json()) as Json
  expect(Object.keys(json).sort()).toEqual([...RECORD, ...more].sort())
  for (const name of UUIDS) expect(json[name]).toMatch(/^[0-9a-f-]{36}$/)
  expect(json).toMatchObject({ mode: 'direct', currency: 'UAH', order_id: 'A-1' })
  return json
}

async function voids(bench: Bench): Promise<void> {
  const send = (more: Json = {}) => call(bench, '/api/v1/void', more)
  await payDirect(bench, { order_id: 'bought' })
  await payDirect(bench, { order_id: 'failed', method: 'auth', cc_number: '4000000000000002' })
  await payDirect(bench, { order_id: 'captured', method: 'auth' })
  await sendCapture(bench, { order_id: 'captured', charge_amount: 1 })
  for (const order_id of ['bought', 'failed', 'captured']) expect((await send({ order_id })).status).toBe(400)
  await payDirect(bench, { method: 'auth' })
  bench.emulator.control.incrementAuth('A-1', 2)
  expect((await send({ order_currency: 'USD' })).status).toBe(400)
  const voided = await record(await send({ comment: 'Out of stock' }))
  const expected = { method: 'void', amount: 102.5, status: 'success', status_code: '1009', comment: 'Out of stock' }
  expect(voided).toMatchObject(expected)
  expect((await send()).status).toBe(400)
  expect((await sendCapture(bench)).status).toBe(400)
  await payDirect(bench, { order_id: 'declined', method: 'auth', cc_number: '4000000000005308' })
  expect(await (await send({ order_id: 'declined' })).json()).toMatchObject({ status: 'failure', status_code: '4153' })
}

async function refunds(bench: Bench): Promise<void> {
  const send = (more: Json = {}) => call(bench, '/api/v1/refund', more)
  await payDirect(bench, { order_id: 'authorized', method: 'auth' })
  await payDirect(bench, { order_id: 'failed', cc_number: '4000000000000002' })
  bench.emulator.control.createPayment({ method: 'credit', order_id: 'credit', amount: 5, currency: 'UAH' })
  for (const order_id of ['authorized', 'failed', 'credit']) expect((await send({ order_id })).status).toBe(400)
  await sendCapture(bench, { order_id: 'authorized', charge_amount: 30 })
  expect((await send({ order_id: 'authorized', refund_amount: 30.01 })).status).toBe(400)
  expect((await send({ order_id: 'authorized', refund_amount: 30 })).status).toBe(200)
  await payDirect(bench)
  expect((await send({ refund_amount: 100.51 })).status).toBe(400)
  const part = await record(await send({ refund_amount: 40.25 }))
  expect(part).toMatchObject({ method: 'refund', amount: 40.25, status: 'success', status_code: '1004' })
  expect((await send({ refund_amount: 60.26 })).status).toBe(400)
  expect(await record(await send())).toMatchObject({ amount: 60.25 })
  expect((await send()).status).toBe(400)
}

async function destinations(create: Create): Promise<void> {
  for (const [server_url, expected] of [
    [OPERATION, OPERATION],
    [undefined, 'https://shop.example/hook'],
  ]) {
    const bench = createBench({}, create)
    await payDirect(bench)
    await call(bench, '/api/v1/refund', { server_url })
    await bench.emulator.deliveries.idle()
    expect(bench.received.at(-1)).toMatchObject({ url: expected, event: { method: 'refund' } })
  }
}

export const beyondRows: Row[] = [
  row('beyond', '| void', async (bench, create) => {
    await parametersHold(create, voiding, [required('order_currency', 'CURRENCY')])
    await voids(bench)
  }),
  row('beyond', '| refund', async (bench, create) => {
    const parameters = [required('order_currency', 'CURRENCY'), optional('refund_amount', 'Amount')]
    await parametersHold(create, refund, parameters)
    await refunds(bench)
    await destinations(create)
  }),
  row('beyond', '| split capture', async (bench, create) => {
    const amounts = [required('charge_amount', 'Amount'), required('split', 'Array')]
    await parametersHold(create, splitCapture, [required('order_currency', 'CURRENCY'), ...amounts])
    await payDirect(bench, { method: 'auth' })
    const send = (amount: number) =>
      call(bench, '/api/v1/split/capture', { charge_amount: amount, split: [{ ...PART, amount }] })
    const captured = await record(await send(10), ['split'])
    expect(captured).toMatchObject({ method: 'capture', amount: 10, status: 'success', split: [PART] })
    expect((await send(200)).status).toBe(400)
  }),
  row('beyond', '| split refund', async (bench, create) => {
    const amounts = [required('refund_amount', 'Amount'), required('split', 'Array')]
    await parametersHold(create, splitRefund, [required('currency', 'CURRENCY'), ...amounts])
    await payDirect(bench, { split: SPLIT }, '/api/v1/split/purchase')
    const send = (amount: number) =>
      call(bench, '/api/v1/split/refund', { refund_amount: amount, split: [{ ...PART, amount }] })
    expect((await send(60.01)).status).toBe(400)
    expect(await record(await send(59), ['split'])).toMatchObject({ method: 'refund', amount: 59 })
    expect((await send(1.01)).status).toBe(400)
    expect((await send(1)).status).toBe(200)
  }),
  row('beyond', "| order's operations", async (bench) => {
    const payment = await payDirect(bench)
    await bench.emulator.clock.advance({ seconds: 1 })
    const refunded = await (await call(bench, '/api/v1/refund', { refund_amount: 1 })).json()
    const { baseUrl, posId } = bench.emulator.credentials
    const at = (orderId: string) => get(bench.emulator, `${baseUrl}/api/v1/pos/${posId}/orders/${orderId}`)
    expect(await (await at('A-1')).json()).toEqual([payment, refunded])
    expect((await at('unknown')).status).toBe(404)
    await payDirect(bench, { order_id: 'a/b', init_recurring: DAILY })
    await bench.emulator.clock.advance({ days: 2 })
    const charges = (await (await at('a%2Fb')).json()) as Json[]
    expect(new Set(charges.map(({ transaction_id }) => transaction_id)).size).toBe(3)
    expect(charges[0]).toMatchObject({ recurring: { status: 'active' } })
  }),
  row('beyond', '| recurring cancel', async (bench) => {
    const { url } = await endpoint('recurring cancel').prepare(bench)
    const cancel = (at: string) => bench.emulator.fetch(at, { method: 'PUT', headers: plain(bench.emulator) })
    expect(await (await cancel(url)).json()).toMatchObject({ recurring_status: 'canceled', order_id: 'A-1' })
    await bench.emulator.clock.advance({ days: 3 })
    expect(bench.emulator.orders.get('A-1')?.payments).toHaveLength(1)
    expect((await cancel(url)).status).toBe(200)
    expect((await cancel(url.replace(/[^/]+\/cancel$/, 'none/cancel'))).status).toBe(404)
  }),
  row('beyond', 'Secondary operations take', async (bench) => {
    const ofLength = async (first: string, length: number, more: Json = {}): Promise<string> => {
      const order_id = first.padEnd(length, 'x')
      await payDirect(bench, { order_id, ...more })
      return order_id
    }
    const send = async (name: string, more: Json) => (await call(bench, `/api/v1/${name}`, more)).status
    const long = await ofLength('l', 33, { method: 'auth' })
    for (const name of ['capture', 'void']) expect(await send(name, { order_id: long })).toBe(400)
    const order_id = await ofLength('s', 32, { method: 'auth' })
    for (const name of ['split/capture', 'split/refund']) {
      const part = { charge_amount: 10, refund_amount: 10, split: [PART], order_id }
      expect([name, await send(name, part)]).toEqual([name, 200])
    }
    expect(await send('refund', { order_id: await ofLength('r', 32) })).toBe(200)
    expect(await send('void', { order_id: await ofLength('v', 32, { method: 'auth' }) })).toBe(200)
  }),
  row('beyond', 'In every public split', async (bench) => {
    await payDirect(bench, { method: 'auth' })
    const send = (charge_amount: number) => call(bench, '/api/v1/split/capture', { charge_amount, split: [PART] })
    for (const amount of [9.99, 10.01]) expect((await send(amount)).status).toBe(400)
    expect((await send(10)).status).toBe(200)
  }),
]
