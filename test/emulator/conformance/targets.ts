import { DIRECT_OPTIONAL } from '../../support/inputs.ts'
import { type Bench, direct, hosted, type Json, post, SPLIT } from '../call.ts'

/** One full request of each kind. */

export interface Target {
  path: string
  ok: number
  /** A request with every parameter of the table. `number` makes its order_id new. */
  full(bench: Bench, number: number): Promise<Json> | Json
}

const { server_url: _, result_url: __, cryptogram: ___, ...rest } = DIRECT_OPTIONAL
export const OPTIONAL: Json = { ...rest, customer_patronym: 'Іванівна' }

export const RECURRING: Json = {
  interval_unit: 'month',
  interval_count: 1,
  retry_attempts: 2,
  retry_interval_hours: 12,
  start_date: '2026-03-01',
  expiry_date: '2026-12-31',
  time: '10:30:00',
  notification_url: 'https://shop.example/recurring',
  amount: 5.25,
}

export const splitDirect: Target = {
  path: '/api/v1/split/purchase',
  ok: 200,
  full: ({ emulator }, number) =>
    direct(emulator, { ...OPTIONAL, cryptogram: { v: 1 }, split: SPLIT, order_id: `S-${number}` }),
}

const NAMES = { customer_fname: 'Olena', customer_lname: 'Shevchenko', customer_lang: 'UK' }

export const splitHosted: Target = {
  path: '/api/v1/split/purchase',
  ok: 303,
  full: ({ emulator }, number) => hosted(emulator, { ...OPTIONAL, ...NAMES, split: SPLIT, order_id: `H-${number}` }),
}

export const auth: Target = {
  path: '/api/v1/payment',
  ok: 200,
  full: ({ emulator }, number) => direct(emulator, { ...OPTIONAL, method: 'auth', order_id: `P-${number}` }),
}

export const hostedPayment: Target = {
  path: '/api/v1/payment',
  ok: 303,
  full: ({ emulator }, number) => hosted(emulator, { ...OPTIONAL, order_id: `P-${number}` }),
}

export const recurring: Target = {
  ...hostedPayment,
  full: ({ emulator }, number) => hosted(emulator, { init_recurring: RECURRING, order_id: `R-${number}` }),
}

/** A secondary operation on an order that is paid first. */
function secondary(path: string, paid: Json, more: Json): Target {
  return {
    path: `/api/v1/${path}`,
    ok: 200,
    async full({ emulator }, number) {
      const order_id = `B-${number}`
      const creation = paid.split === undefined ? '/api/v1/payment' : '/api/v1/split/purchase'
      await post(emulator, creation, direct(emulator, { ...paid, order_id }))
      const common = { pos_id: emulator.credentials.posId, order_id, comment: 'Частина', server_url: OPERATION }
      return { ...common, ...more }
    },
  }
}

export const OPERATION = 'https://shop.example/operation'
export const PART = { ...SPLIT[0], amount: 10 }
const AUTH = { method: 'auth' }
const UAH = { order_currency: 'UAH' }

export const capture = secondary('capture', AUTH, {
  ...UAH,
  charge_amount: 10,
  products: [{ name: 'Book' }],
  f_receipt_delivery: 'email',
})
export const voiding = secondary('void', AUTH, UAH)
export const refund = secondary('refund', {}, { ...UAH, refund_amount: 10 })
export const splitCapture = secondary('split/capture', AUTH, { ...UAH, charge_amount: 10, split: [PART] })
export const splitRefund = secondary(
  'split/refund',
  { split: SPLIT },
  { currency: 'UAH', refund_amount: 10, split: [PART] },
)
