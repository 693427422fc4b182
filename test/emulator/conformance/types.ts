import { expect } from 'vitest'
import { direct, post } from '../call.ts'
import { type Row, row } from './row.ts'
import { payDirect, type Samples, samplesOf } from './samples.ts'
import { OPTIONAL } from './targets.ts'

/** "Common types", each seen in responses. */
const TYPES: Record<string, (samples: Samples) => void> = {
  UUID: ({ payments }) => expect(payments[0]?.payment_id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  MODE: ({ payments }) => expect(new Set(payments.map(({ mode }) => mode))).toEqual(new Set(['direct', 'hosted'])),
  METHOD({ webhooks }) {
    const methods = ['auth', 'auth_increment', 'capture', 'credit', 'lookup', 'p2p', 'purchase', 'refund', 'void']
    expect(Object.keys(webhooks).sort()).toEqual(methods)
  },
  CURRENCY: ({ payments }) => expect(payments[0]?.currency).toBe('UAH'),
  CC_NUMBER: ({ payments }) => expect(payments[2]).toMatchObject({ order_id: 'split', cc_number: '4111111111111111' }),
  CC_MASK: ({ payments: [auth, waits] }) =>
    expect([auth?.cc_mask, waits?.cc_mask]).toEqual(['411111******1111', '400000******3220']),
  CC_TOKEN: ({ payments: [auth, waits] }) => expect(auth?.cc_token).not.toBe(waits?.cc_token),
  MCC: ({ payments }) => expect(payments[0]?.mcc).toBe(OPTIONAL.merchant_mcc),
  ECI: ({ payments: [auth, waits] }) => expect([auth?.eci, waits?.eci]).toEqual(['07', null]),
  TIMESTAMP: ({ payments }) =>
    expect(payments[0]).toMatchObject({
      created_at: '2026-01-31T10:00:00.000',
      cc_token_expiration: '2027-01-31T10:00:00',
    }),
  Amount: ({ payments }) => expect(payments[0]?.amount).toBe(100.5),
}

export const typeRows: Row[] = [
  ...Object.entries(TYPES).map(([type, check]) =>
    row('types', `| ${type} |`, async (_, create) => check(await samplesOf(create))),
  ),
  row('types', '| Date', async (bench) => {
    const body = (customer_birthday: string) =>
      direct(bench.emulator, { customer_birthday, order_id: customer_birthday })
    expect((await post(bench.emulator, '/api/v1/payment', body('2024-02-29'))).status).toBe(200)
    for (const wrong of ['2023-02-29', '2024-2-9', '29.02.2024', '2024-02-29T00:00:00']) {
      expect((await post(bench.emulator, '/api/v1/payment', body(wrong))).status).toBe(400)
    }
  }),
  row('types', '| Time |', async (bench) => {
    const init_recurring = { interval_unit: 'day', interval_count: 1, time: '23:59:59' }
    await payDirect(bench, { init_recurring })
    await bench.emulator.clock.advance({ days: 1, hours: 14 })
    expect(bench.emulator.orders.get('A-1')?.payments[1]?.created_at).toBe('2026-02-01T23:59:59.000')
  }),
]
