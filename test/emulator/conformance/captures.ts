import { expect } from 'vitest'
import { testCard } from '../../../src/emulator/index.ts'
import { type Bench, createBench, openCheckout } from '../call.ts'
import { type Create, type Row, rows } from './row.ts'
import { capture, eventsOf, payDirect, payHosted, sendCapture } from './samples.ts'

/** When a reserve can be captured, and how much of it. */

async function captureConditions(bench: Bench): Promise<void> {
  const { emulator } = bench
  // Not an auth; an auth that waits; one that failed; an open hosted one; one that was voided; one of another currency.
  await payDirect(bench, { order_id: 'purchase' })
  await payDirect(bench, { order_id: 'waits', method: 'auth', cc_number: testCard('three_d_secure') })
  await payDirect(bench, { order_id: 'failed', method: 'auth', cc_number: testCard('declined') })
  await openCheckout(emulator, { order_id: 'open', method: 'auth' })
  await payDirect(bench, { order_id: 'voided', method: 'auth' })
  emulator.control.voidPayment('voided')
  for (const order_id of ['purchase', 'waits', 'failed', 'open', 'voided']) {
    const refusal = await sendCapture(bench, { order_id, charge_amount: 1 })
    const args = [{ field_name: 'order_id' }]
    expect([order_id, refusal.status, await refusal.json()]).toMatchObject([order_id, 400, { args }])
  }
  expect((await sendCapture(bench, { order_id: 'unknown' })).status).toBe(404)
  await payDirect(bench, { order_id: 'good', method: 'auth' })
  expect((await sendCapture(bench, { order_id: 'good', order_currency: 'USD' })).status).toBe(400)
  expect((await capture(bench, { order_id: 'good' })).status).toBe('success')
  await payHosted(bench, { order_id: 'hosted', method: 'auth' }, 'three_d_secure')
  expect((await capture(bench, { order_id: 'hosted' })).amount).toBe(100.5)
}

async function captureLimits(create: Create): Promise<void> {
  for (const [maxCapturePercent, most] of [
    [undefined, 115.57],
    [100, 100.5],
    [150, 150.75],
  ] as const) {
    const bench = createBench(maxCapturePercent === undefined ? {} : { maxCapturePercent }, create)
    await payDirect(bench, { method: 'auth' })
    expect((await sendCapture(bench, { charge_amount: most + 0.01 })).status).toBe(400)
    expect((await capture(bench, { charge_amount: most })).amount).toBe(most)
    expect((await sendCapture(bench, { charge_amount: 0.01 })).status).toBe(400)
    expect((await sendCapture(bench)).status).toBe(400)
  }
  // Several parts count together, and an increment raises the reserve.
  const bench = createBench({ maxCapturePercent: 100 }, create)
  await payDirect(bench, { method: 'auth' })
  await capture(bench, { charge_amount: 60 })
  expect((await sendCapture(bench, { charge_amount: 40.51 })).status).toBe(400)
  bench.emulator.control.incrementAuth('A-1', 9.5)
  expect((await capture(bench, { charge_amount: 40.51 })).amount).toBe(40.51)
  expect((await capture(bench)).amount).toBe(9.49)
}

export const captureRows: Row[] = [
  ...rows(
    ['states: | `success` of an `auth`', 'capture: Only a primary', 'errors: Response to a capture'],
    async (bench) => {
      await captureConditions(bench)
      await payDirect(bench, { method: 'auth', cc_number: testCard('fee_null') })
      const expected = { method: 'capture', status: 'success', status_code: '1000', fee: null }
      expect(await capture(bench)).toMatchObject(expected)
      expect((await eventsOf(bench)).at(-1)).toMatchObject(expected)
    },
  ),
  ...rows(['capture: A capture beyond', 'limits: Capture beyond the reserve'], (_, create) => captureLimits(create)),
  ...rows(['capture: Request variants for a', 'service: Two-step payments use'], captureVariants),
]

/** "yes for a partial capture and for a capture beyond the reserve …. Omitted for a full capture" */
export async function captureVariants(bench: Bench): Promise<void> {
  for (const [order_id, charge_amount, amount] of [
    ['full', undefined, 100.5],
    ['part', 40.25, 40.25],
    ['beyond', 110, 110],
  ]) {
    await payDirect(bench, { method: 'auth', order_id })
    expect(await capture(bench, { order_id, charge_amount })).toMatchObject({ method: 'capture', amount })
  }
}
