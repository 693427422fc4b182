import { expect } from 'vitest'
import { createBench, direct, type Json, openCheckout, SPLIT } from '../call.ts'
import { namesIn, type Row, row, sentenceOf } from './row.ts'
import { cancel, capture, eventsOf, payDirect, payHosted, resend } from './samples.ts'
import { OPTIONAL, RECURRING } from './targets.ts'

/** The fields of an answer, neither more nor fewer. "customer fields" are those that were sent. */
function keys(record: Json, listed: string[]): void {
  const own = Object.keys(record).filter((name) => !name.startsWith('customer_'))
  expect(own.sort()).toEqual([...new Set(listed)].filter((name) => !name.startsWith('customer_')).sort())
}

const PAYMENT_FIELDS = namesIn(sentenceOf('create-payment', 'Response is')).filter(
  (name) => name !== 'auth' && name !== 'direct',
)

const CUSTOMER_FIELDS = 'id ip fname lname patronym email phone country birthday city'
  .split(' ')
  .map((name) => `customer_${name}`)

export const responseRows: Row[] = [
  row('split-direct', 'Response: a payment record', async (bench) => {
    const sent = direct(bench.emulator, { ...OPTIONAL, split: SPLIT })
    const answer = await payDirect(bench, { ...OPTIONAL, split: SPLIT }, '/api/v1/split/purchase')
    keys(answer, namesIn(sentenceOf('split-direct', 'Response: a payment record')))
    // The echo is of what was sent, and the customer's data too.
    for (const [name, value] of Object.entries(sent)) {
      if (name in answer) expect(answer[name]).toEqual(value)
      else expect(['customer_referrer', 'cryptogram']).toContain(name)
    }
    expect(answer.customer_referrer).toBe(OPTIONAL.customer_referrer)
  }),
  row('create-payment', 'Response is a payment record', async (_, create) => {
    for (const [method, cc_number] of [
      ['auth', '4111111111111111'],
      ['purchase', '4000000000003220'],
    ]) {
      const answer = await payDirect(createBench({}, create), { ...OPTIONAL, method, cc_number })
      keys(answer, PAYMENT_FIELDS)
      expect(answer).toMatchObject({ method, mode: 'direct', payload: OPTIONAL.payload })
      expect(answer).toMatchObject({ customer_phone: '380501234567', customer_tax_id: '1234567890' })
    }
  }),
  row('capture', 'Response: a secondary operation record', async (bench) => {
    const listed = namesIn(sentenceOf('capture', 'Response: a secondary operation record')).filter(
      (name) => !['direct', 'capture', 'order_currency', 'currency'].includes(name),
    )
    await payDirect(bench, { method: 'auth' })
    const partial = await capture(bench, { charge_amount: 40, comment: 'Part' })
    keys(partial, [...listed, 'currency'])
    expect(partial).toMatchObject({ mode: 'direct', method: 'capture', amount: 40, currency: 'UAH', comment: 'Part' })
    const full = await capture(bench)
    keys(full, [...listed, 'order_currency'])
    expect(full).toMatchObject({ mode: 'direct', method: 'capture', amount: 60.5, order_currency: 'UAH' })
    expect(full.fee).toMatchObject({ currency: 'UAH' })
  }),
  row('cancel', 'Response: a JSON array', async (_, create) => {
    for (const method of ['purchase', 'auth']) {
      const bench = createBench({}, create)
      const unsent = ['payload', 'customer_patronym', 'customer_email', 'customer_phone']
      await openCheckout(bench.emulator, { method, ...Object.fromEntries(unsent.map((name) => [name, undefined])) })
      const record = await cancel(bench)
      // `bank_short_name` is for "direct responses".
      const listed = PAYMENT_FIELDS.filter((name) => name !== 'bank_short_name')
      keys(record, listed)
      expect(record).toMatchObject({ mode: 'hosted', method, status: 'failure', status_code: '6007' })
      const unknown = ['cc_mask', 'cc_token', 'gateway_order_id', 'eci', 'payload', 'receipt_url', ...CUSTOMER_FIELDS]
      for (const name of unknown) expect([name, record[name]]).toEqual([name, null])
    }
  }),
  row('recurring', 'The response is the payment', async (bench) => {
    const recurring = { id: expect.any(String), status: 'init' }
    const waits = { init_recurring: RECURRING, cc_number: '4000000000003220' }
    const waiting = await payDirect(bench, waits)
    keys(waiting, [...PAYMENT_FIELDS, 'recurring'])
    expect(waiting.recurring).toEqual(recurring)
    const paid = await payDirect(bench, { init_recurring: RECURRING, order_id: 'P' })
    expect(paid).toMatchObject({ status: 'success', recurring })
    const split = await payDirect(bench, { ...waits, order_id: 'S', split: SPLIT }, '/api/v1/split/purchase')
    expect(split.recurring).toEqual(recurring)
  }),
  row('resend', 'The response body has the', async (bench) => {
    await payDirect(bench, { method: 'auth', ...OPTIONAL })
    await capture(bench, { charge_amount: 5 })
    await payHosted(bench, { order_id: 'R', init_recurring: RECURRING })
    const [auth, captured, recurring] = await eventsOf(bench)
    expect(await resend(bench, 'auth')).toEqual(auth)
    expect(await resend(bench, 'capture')).toEqual(captured)
    const again = await resend(bench, 'purchase', 'callback=true', 'R')
    expect(again).toEqual(recurring)
    expect(again.recurring).toEqual({ id: expect.any(String), status: 'active' })
    expect('recurring' in (await resend(bench, 'auth'))).toBe(false)
  }),
]
