import { expect } from 'vitest'
import { createBench, get, type Json } from '../call.ts'
import { shapeOf } from './kinds.ts'
import { type Create, namesIn, type Row, tableOf } from './row.ts'
import { listAccounts, type Samples, takeSamples } from './samples.ts'

/** The tables of fields, held against answers and webhooks. */

/** Samples cost a day of the service; all rows of one table and one emulator share them. */
const samples = new WeakMap<Create, Promise<Samples>>()
function samplesOf(create: Create): Promise<Samples> {
  const known = samples.get(create)
  if (known !== undefined) return known
  const taken = takeSamples(create)
  samples.set(create, taken)
  return taken
}

/** Wherever the field has a value it has the right shape, and somewhere it has one. */
function hasShape(records: Json[], name: string, type: string): void {
  const values = records.map((record) => record[name] ?? undefined).filter((value) => value !== undefined)
  expect(values.length).toBeGreaterThan(0)
  for (const value of values) shapeOf(type)(value)
}

function money(records: Json[], name: string): void {
  hasShape(records, name, 'Object')
  for (const record of records) {
    const value = record[name] as Json | null | undefined
    if (value === null || value === undefined) continue
    shapeOf('Number')(value.amount)
    shapeOf('CURRENCY')(value.currency)
    expect(value.currency).toBe(record.currency)
  }
}

const paymentRecordRows: Row[] = tableOf('payment-record').map(
  ({ line, cells: [cell = '', type = '', notes = ''] }) => ({
    section: 'payment-record',
    sentence: line,
    run: async (create) => {
      const { payments, webhooks } = await samplesOf(create)
      const events = ['purchase', 'auth', 'credit'].flatMap((method) => webhooks[method] ?? [])
      const records = [...payments, ...events]
      for (const name of cell.split(', ')) {
        if (name === 'fee' || name === 'fixed_fee' || name === 'percent_fee') money(events, name)
        else if (name === 'recurring') {
          const withRecurring = records.filter(({ recurring }) => recurring !== undefined)
          expect(withRecurring.length).toBeGreaterThan(1)
          for (const { recurring } of withRecurring) {
            hasShape([recurring as Json], 'id', 'String')
            hasShape([recurring as Json], 'status', 'String')
          }
        } else hasShape(records, name, name.startsWith('customer_') ? 'String' : type)
      }
      if (cell === 'order_id') expect(payments[0]?.order_id).toBe('auth')
      if (cell === 'method') expect(payments.slice(0, 2).map(({ method }) => method)).toEqual(['auth', 'purchase'])
      if (cell === 'options_3ds') expect(payments[0]?.options_3ds).toBe('supported')
      if (cell.startsWith('customer_')) {
        expect(payments[0]).toMatchObject({
          customer_id: 'C-1',
          customer_fname: 'Olena',
          customer_birthday: '1990-12-31',
        })
        expect(payments.find(({ order_id }) => order_id === 'gone')?.customer_city).toBe('Kyiv')
      }
      if (cell === 'user_action_url') {
        for (const record of payments) expect(record.user_action_url !== null).toBe(record.user_action_required)
      }
      if (cell === 'processed_amount') {
        const [changed] = events.filter(({ order_id }) => order_id === 'payer_changes_amount')
        expect([changed?.amount, changed?.processed_amount]).toEqual([100.5, 90.45])
        expect(payments.every((record) => !('processed_amount' in record))).toBe(true)
      }
      if (cell === 'processed_currency') {
        const [changed] = events.filter(({ order_id }) => order_id === 'payer_changes_amount')
        expect(changed?.processed_currency).toBe('UAH')
      }
      if (cell.startsWith('fee,')) {
        for (const { fee, fixed_fee, percent_fee } of events.filter(
          (event) => event.fee && event.method !== 'capture',
        )) {
          const parts = (fixed_fee as { amount: number }).amount + (percent_fee as { amount: number }).amount
          expect((fee as { amount: number }).amount).toBeCloseTo(parts, 6)
        }
      }
      if (cell === 'limit_info') {
        const limited = events.filter(({ limit_info }) => limit_info !== undefined)
        expect(limited.map(({ order_id, status }) => [order_id, status])).toEqual([['limit_exceeded', 'failure']])
        const { retry_after, description } = (limited[0]?.limit_info ?? {}) as Json
        shapeOf('TIMESTAMP')(retry_after)
        shapeOf('String')(description)
      }
      if (cell === 'bank_pay') {
        const paid = events.filter(({ bank_pay }) => bank_pay !== undefined)
        expect(paid.map(({ order_id }) => order_id)).toEqual(['bank_pay'])
        const bank = paid[0]?.bank_pay as Json
        expect(Object.keys(bank).sort()).toEqual(namesIn(notes).sort())
        for (const value of Object.values(bank)) shapeOf('String')(value)
      }
    },
  }),
)

const operationRecordRows: Row[] = tableOf('operation-record').map(({ line, cells: [cell = '', type = ''] }) => ({
  section: 'operation-record',
  sentence: line,
  run: async (create) => {
    const { captures, webhooks } = await samplesOf(create)
    const kinds = ['capture', 'void', 'auth_increment', 'refund'] as const
    const events = kinds.flatMap((kind) => webhooks[kind] ?? [])
    const records = [...captures, ...events]
    for (const name of cell.split(', ')) {
      if (name === 'fee') money(events, 'fee')
      else hasShape(records, name, type)
    }
    if (cell === 'operation_id')
      expect(new Set(events.map(({ operation_id }) => operation_id)).size).toBe(events.length)
    if (cell === 'mode') expect(new Set(records.map(({ mode }) => mode))).toEqual(new Set(['direct']))
    if (cell === 'method') for (const kind of kinds) expect(webhooks[kind]?.length).toBeGreaterThan(0)
    if (cell === 'payment_id') {
      const [auth] = webhooks.auth ?? []
      expect(captures[0]?.payment_id).toBe(auth?.payment_id)
    }
    if (cell === 'order_id') expect(captures.map(({ order_id }) => order_id)).toEqual(['auth', 'auth', 'limited'])
    if (cell === 'amount') {
      expect(events.map(({ method, amount }) => [method, amount])).toEqual([
        ['capture', 10.5],
        ['capture', 95],
        ['capture', 3],
        ['void', 100.5],
        ['auth_increment', 5],
        ['auth_increment', 2],
        ['refund', 1.25],
      ])
    }
    if (cell === 'currency') {
      const [partial, full] = captures
      expect([partial?.currency, 'order_currency' in (partial ?? {})]).toEqual(['UAH', false])
      expect([full?.order_currency, 'currency' in (full ?? {})]).toEqual(['UAH', false])
    }
    if (cell === 'limit_info') {
      const limited = events.filter(({ limit_info }) => limit_info !== undefined)
      expect(limited.map(({ method, status }) => [method, status])).toEqual([
        ['capture', 'failure'],
        ['auth_increment', 'failure'],
      ])
    }
    if (cell === 'comment') {
      expect(captures.map(({ comment }) => comment)).toEqual(['Part', 'Rest', null])
      expect(events.every((event) => !('comment' in event))).toBe(true)
    }
    if (cell === 'receipt_url') {
      expect(events.filter(({ receipt_url }) => receipt_url !== undefined).map(({ method }) => method)).toEqual([
        'refund',
      ])
    }
  },
}))

const accountRows: Row[] = tableOf('account').map(({ line, cells: [cell = '', type = ''] }) => ({
  section: 'account',
  sentence: line,
  run: async (create) => {
    const bench = createBench({}, create)
    const list = await listAccounts(bench)
    const { apiUrl, posId } = bench.emulator.credentials
    const url = `${apiUrl}/api/v1/balances/pos/${posId}/accounts/${String(list[0]?.id)}`
    const single = (await (await get(bench.emulator, url)).json()) as Json
    const name = cell.replace('balances.', '')
    const records = cell.startsWith('balances.') ? list.map(({ balances }) => balances as Json) : list
    hasShape(records, name, type)
    for (const record of records) expect(record).toHaveProperty(name)
    if (name === 'rolling_reserve') {
      expect(single.balances).toHaveProperty('rollingReserve')
      expect(single.balances).not.toHaveProperty(name)
    } else expect(cell.startsWith('balances.') ? (single.balances as Json) : single).toHaveProperty(name)
  },
}))

export const recordRows: Row[] = [...paymentRecordRows, ...operationRecordRows, ...accountRows]
