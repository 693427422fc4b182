import { expect } from 'vitest'
import { testCard } from '../../../src/emulator/index.ts'
import type { Json } from '../call.ts'
import { holds } from './probe.ts'
import { type Row, row, rows, tableOf } from './row.ts'
import { eventsOf, payDirect, sendCapture } from './samples.ts'
import { auth, capture, hostedPayment, splitDirect, splitHosted } from './targets.ts'

/** Limits at their edges; those of recurring payments are in schedules.ts. */

/** The texts that the table gives a greatest length, and the requests that have them. */
const TEXTS = {
  payload: [auth, hostedPayment, splitDirect],
  'order_id in responses': [auth, hostedPayment],
  'description in responses': [auth, hostedPayment],
  'comment in capture': [capture],
}

const textRows = Object.entries(TEXTS).map(([cell, targets]) => {
  const [name = ''] = cell.split(' ')
  const most = /at most \d+/.exec(tableOf('limits').find(({ cells }) => cells[0] === cell)?.line ?? '')?.[0]
  const parameter = { name, type: 'String', required: /order_id|description/.test(name), notes: `${most} characters` }
  return row('limits', `| ${cell} |`, async (_, create) => {
    for (const target of targets) await holds(create, target, parameter)
  })
})

export const limitRows: Row[] = [
  row('limits', '| amount', async (bench, create) => {
    for (const amount of [0.01, 0.8, 1, 19.99, 999999999.99]) {
      expect((await payDirect(bench, { amount, order_id: `${amount}` })).amount).toBe(amount)
    }
    // Assumption: a fee has a fixed part from 1.00 on.
    const amounts = ({ fee, fixed_fee, percent_fee }: Json) =>
      [fee, fixed_fee, percent_fee].map((one) => (one as Json).amount)
    expect((await eventsOf(bench)).slice(1, 3).map(amounts)).toEqual([
      [0.01, 0, 0.01],
      [0.12, 0.1, 0.02],
    ])
    const amount = { name: 'amount', type: 'Amount', required: true, notes: '' }
    for (const target of [auth, hostedPayment, splitHosted]) await holds(create, target, amount)
  }),
  ...textRows,
  row('limits', '| order_id in capture', async (bench) => {
    for (const [length, status] of [
      [32, 200],
      [33, 400],
    ] as const) {
      const order_id = 'я'.repeat(length)
      await payDirect(bench, { order_id, method: 'auth' })
      expect((await sendCapture(bench, { order_id })).status).toBe(status)
    }
  }),
  row('capture', '| f_receipt_delivery', async (bench) => {
    await payDirect(bench, { method: 'auth' })
    for (const f_receipt_delivery of ['email', 'sms', 'viber', 'none']) {
      expect((await sendCapture(bench, { charge_amount: 1, f_receipt_delivery })).status).toBe(200)
    }
    expect((await sendCapture(bench, { charge_amount: 1, f_receipt_delivery: 'pigeon' })).status).toBe(400)
  }),
  ...rows(['limits: | processed_currency', 'primary-webhook: For payments where'], async (bench) => {
    await payDirect(bench, { amount: 0.1, cc_number: testCard('payer_changes_amount') })
    await payDirect(bench, { order_id: 'B' })
    const [changed, usual] = await eventsOf(bench)
    expect(changed).toMatchObject({ amount: 0.1, processed_amount: 0.09, processed_currency: 'UAH' })
    expect(usual).not.toHaveProperty('processed_amount')
    expect(usual).not.toHaveProperty('processed_currency')
  }),
]
