import { expect } from 'vitest'
import { direct, post } from '../call.ts'
import { hasShape } from './records.ts'
import { type Row, row, tableOf } from './row.ts'
import { payDirect, samplesOf } from './samples.ts'

/** "Common types": the fields that the tables of records give each of them have its shape in every response and webhook. */
const SEEN = ['UUID', 'MODE', 'METHOD', 'CURRENCY', 'CC_MASK', 'CC_TOKEN', 'MCC', 'ECI', 'TIMESTAMP', 'Amount']

const fieldsOf = (type: string) =>
  type === 'Amount'
    ? ['amount', 'processed_amount']
    : [...tableOf('payment-record'), ...tableOf('operation-record')]
        .filter(({ cells }) => cells[1] === type)
        .flatMap(({ cells: [names = ''] }) => names.split(', '))

export const typeRows: Row[] = [
  ...SEEN.map((type) =>
    row('types', `| ${type} |`, async (_, create) => {
      const { payments, captures, webhooks } = await samplesOf(create)
      const records = [...payments, ...captures, ...Object.values(webhooks).flat()]
      for (const name of fieldsOf(type)) hasShape(records, name, type)
    }),
  ),
  row('types', '| CC_NUMBER', async (_, create) => {
    const { payments } = await samplesOf(create)
    expect(payments[2]).toMatchObject({ order_id: 'split', cc_number: '4111111111111111', cc_mask: '411111******1111' })
  }),
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
