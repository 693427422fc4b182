import { describe, expect, it } from 'vitest'
import { type Bench, createBench, type Json, post, SPLIT } from './call.ts'
import { paid, payDirect } from './conformance/samples.ts'

/** The endpoints that only public material shows, beside what the conformance table has of them. */

async function send(bench: Bench, name: string, more: Json = {}): Promise<[number, Json]> {
  const { posId } = bench.emulator.credentials
  const currency = name === 'split/refund' ? { currency: 'UAH' } : { order_currency: 'UAH' }
  const body = { pos_id: posId, order_id: 'A-1', ...currency, ...more }
  const response = await post(bench.emulator, `/api/v1/${name}`, body)
  return [response.status, (await response.json()) as Json]
}

const paySplit = (bench: Bench) => payDirect(bench, { split: SPLIT }, '/api/v1/split/purchase')

it.each(['refund', 'void', 'split/refund'])('%s: concurrent requests spend the money once', async (name) => {
  const bench = createBench()
  await (name === 'split/refund' ? paySplit(bench) : payDirect(bench, name === 'void' ? { method: 'auth' } : {}))
  const more = name === 'split/refund' ? { refund_amount: 100.5, split: SPLIT } : {}
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await send(bench, name, more))[0]))
  expect(statuses.sort()).toEqual([200, ...Array(19).fill(400)])
})

describe('split operations', () => {
  const [first, second] = SPLIT.map(({ sub_merchant_id }) => sub_merchant_id)
  const part = (amount: number, sub_merchant_id = first) => ({ amount, sub_merchant_id })

  it('a split refund takes from each sub-merchant at most its share', async () => {
    const bench = createBench()
    await paySplit(bench)
    const refund = async (refund_amount: number, ...split: Json[]) =>
      (await send(bench, 'split/refund', { refund_amount, split }))[0]
    expect(await refund(60.01, part(60.01))).toBe(400)
    expect(await refund(50, part(40))).toBe(400)
    expect(await refund(10, part(10, '33333333-3333-4333-8333-333333333333'))).toBe(400)
    expect(await refund(70, part(35), part(35))).toBe(400)
    expect(await refund(70.5, part(60), part(10.5, second))).toBe(200)
    expect(await refund(0.01, part(0.01))).toBe(400)
    expect(await refund(30, part(30, second))).toBe(200)
  })

  it('a split capture decides the shares that a split refund can take back', async () => {
    const bench = await paid({ method: 'auth' })
    expect((await send(bench, 'split/capture', { charge_amount: 20, split: [part(20)] }))[0]).toBe(200)
    const refund = (split: Json[]) => send(bench, 'split/refund', { refund_amount: 20, split })
    expect((await refund([part(20, second)]))[0]).toBe(400)
    expect((await refund([part(20)]))[1]).toMatchObject({ status: 'success' })
  })
})
