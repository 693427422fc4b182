import { describe, expect, it } from 'vitest'
import { createBench, direct, type Json, post } from './call.ts'
import { call } from './conformance/beyond.ts'
import { DAILY, payDirect } from './conformance/samples.ts'

/** Fields whose absence moves all that is left, or decides when money moves: each is asked for by leaving it out. */
const FIELDS: [path: string, field: string, note: string][] = [
  ['/api/v1/capture', 'charge_amount', 'charge_amount is null: all that is left is captured.'],
  ['/api/v1/refund', 'refund_amount', 'refund_amount is null: all that is left is refunded.'],
]

const RECURRING: [field: string, note: string][] = [
  ['amount', 'each charge has the amount of the first payment'],
  ['start_date', 'the first charge falls one interval after the creation'],
  ['expiry_date', 'the charges never end'],
  ['time', 'each charge falls at the time of the creation'],
  ['retry_attempts', 'a declined charge has the default number of retries'],
  ['retry_interval_hours', 'a declined charge is repeated after the default interval'],
]

/** The customer fields that strict asks for as well. */
const WHOLE = { customer_patronym: 'I', server_url: 'https://shop.example/hook' }

async function authorized(strict: boolean, path: string) {
  const bench = createBench({ strict })
  await payDirect(bench, { ...WHOLE, method: path.endsWith('refund') ? 'purchase' : 'auth' })
  return bench
}

describe.each(FIELDS)('%s with a null %s', (path, field, note) => {
  it('is taken with a note by default', async () => {
    const bench = await authorized(false, path)
    const response = await call(bench, path, { [field]: null })
    expect([response.status, await response.json()]).toMatchObject([200, { amount: 100.5 }])
    expect(bench.emulator.notes.map(({ text }) => text)).toContain(note)
    expect(bench.emulator.orders.get('A-1')?.timeline.map(({ what }) => what)).toContain(note)
  })

  it('is a 400 in strict mode, and moves nothing; left out, it moves the rest', async () => {
    const bench = await authorized(true, path)
    // What JSON makes of NaN.
    const response = await call(bench, path, { [field]: Number('12,50') })
    const args = [{ field_name: field, violation: note }]
    expect([response.status, await response.json()]).toEqual([400, { message: note, args }])
    expect(bench.emulator.orders.get('A-1')?.operations).toEqual([])
    expect((await call(bench, path, {})).status).toBe(200)
    expect(bench.emulator.notes).toEqual([])
  })
})

it.each(RECURRING)('init_recurring with a null %s is a note, and a 400 in strict mode', async (field, effect) => {
  const note = `${field} is null: ${effect}.`
  const init_recurring: Json = { ...DAILY, [field]: null }
  const bench = createBench()
  await payDirect(bench, { ...WHOLE, init_recurring })
  expect(bench.emulator.notes.map(({ text }) => text)).toContain(note)
  const strict = createBench({ strict: true })
  const sent = (await payDirect(bench, { ...WHOLE, order_id: 'B', init_recurring: DAILY })) as Json
  expect(sent.status).toBe('success')
  const response = await post(strict.emulator, '/api/v1/payment', direct(strict.emulator, { ...WHOLE, init_recurring }))
  expect([response.status, ((await response.json()) as Json).message]).toEqual([400, note])
})

it('by hand and in a seed file, a null amount is rejected', () => {
  const { emulator } = createBench()
  const order = { order_id: 'A', amount: 5, currency: 'UAH' }
  const steps = [{ do: 'refund', amount: null }]
  expect(() => emulator.seedOrders([{ ...order, steps }])).toThrow('amount')
  emulator.seedOrders([order])
  expect(() => emulator.control.refundPayment('A', null as never)).toThrow('amount')
  expect(() => emulator.control.refundPayment('A', Number.NaN)).toThrow('amount')
  expect(() => emulator.reset(null as never)).toThrow('No order')
  expect(emulator.orders.get('A')?.operations).toEqual([])
})
