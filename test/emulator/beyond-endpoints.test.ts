import { expect, it } from 'vitest'
import { type Bench, createBench, type Json, SPLIT } from './call.ts'
import { call } from './conformance/beyond.ts'
import { paid, payDirect } from './conformance/samples.ts'

/** The endpoints that only public material shows, beside what the conformance table has of them. */

const send = async (bench: Bench, name: string, more: Json = {}) => (await call(bench, `/api/v1/${name}`, more)).status

it.each(['refund', 'void', 'split/refund'])('%s: concurrent requests spend the money once', async (name) => {
  const [path, split] = name === 'split/refund' ? (['/api/v1/split/purchase', SPLIT] as const) : []
  const bench = createBench()
  await payDirect(bench, { split, ...(name === 'void' && { method: 'auth' }) }, path)
  const more = split && { refund_amount: 100.5, split }
  const statuses = await Promise.all(Array.from({ length: 20 }, () => send(bench, name, more)))
  expect(statuses.sort()).toEqual([200, ...Array(19).fill(400)])
})

it('a split refund takes from each sub-merchant at most its share of the captures', async () => {
  const bench = await paid({ method: 'auth' })
  const [first, second] = SPLIT.map(({ sub_merchant_id }) => sub_merchant_id)
  const part = (amount: number, sub_merchant_id = first) => ({ amount, sub_merchant_id })
  expect(
    await send(bench, 'split/capture', { charge_amount: 60, split: [part(60, String(first).toUpperCase())] }),
  ).toBe(200)
  const refund = (refund_amount: number, ...split: Json[]) => send(bench, 'split/refund', { refund_amount, split })
  expect(await refund(10.5, part(10.5, second))).toBe(400)
  expect(await send(bench, 'split/capture', { charge_amount: 40.5, split: [part(40.5, second)] })).toBe(200)
  expect(await refund(60.01, part(60.01))).toBe(400)
  expect(await refund(50, part(40))).toBe(400)
  expect(await refund(70, part(35), part(35))).toBe(400)
  expect(await refund(70.5, part(60), part(10.5, second))).toBe(200)
  expect(await refund(0.01, part(0.01))).toBe(400)
  expect(await refund(30, part(30, second))).toBe(200)
})
