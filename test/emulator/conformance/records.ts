import { expect } from 'vitest'
import { createBench, get, type Json } from '../call.ts'
import { shapeOf } from './kinds.ts'
import { namesIn, type Row, type Section, tableRows } from './row.ts'
import { accountsUrl, listAccounts, type Samples, SECONDARY, samplesOf } from './samples.ts'
import { OPTIONAL } from './targets.ts'

/** The tables of fields, held against responses and webhooks. */

/** Wherever the field has a value it has the right shape, and somewhere it has one. */
export function hasShape(records: Json[], name: string, type: string): void {
  const values = records.map((record) => record[name] ?? undefined).filter((value) => value !== undefined)
  expect(values.length).toBeGreaterThan(0)
  for (const value of values) shapeOf(type)(value)
}

function hasMoney(records: Json[], name: string): void {
  hasShape(records, name, 'Object')
  for (const record of records.filter((one) => (one[name] ?? null) !== null)) {
    const { amount, currency } = record[name] as Json
    shapeOf('Number')(amount)
    expect(currency).toBe(record.currency ?? record.order_currency)
  }
}

function hasRecurring(records: Json[]): void {
  const found = records.flatMap(({ recurring }) => (recurring === undefined ? [] : [recurring as Json]))
  expect(found.length).toBeGreaterThan(1)
  for (const recurring of found) for (const name of ['id', 'status']) hasShape([recurring], name, 'String')
}

/** The facts in a row of a table beside the type of its fields. */
type More = Record<string, (samples: Samples, events: Json[], notes: string) => void>

/** A row for each line of a table of fields: each field has its type in the responses and in the webhooks of these methods. */
function fieldRows(section: Section, responses: 'payments' | 'captures', methods: string[], more: More): Row[] {
  return tableRows(section, async (create, cell = '', type = '', notes = '') => {
    const samples = await samplesOf(create)
    const events = methods.flatMap((method) => samples.webhooks[method] ?? [])
    const records = [...samples[responses], ...events]
    for (const name of cell.split(', ')) {
      if (name.endsWith('fee')) hasMoney(records, name)
      else if (name === 'recurring') hasRecurring(records)
      else hasShape(records, name, name.startsWith('customer_') ? 'String' : type)
    }
    more[cell.startsWith('customer_') ? 'customer' : cell]?.(samples, events, notes)
  })
}

const ofOrder = (records: Json[], orderId: string): Json => records.find(({ order_id }) => order_id === orderId) ?? {}
const having = (records: Json[], name: string): Json[] => records.filter((record) => record[name] !== undefined)

const PAYMENT: More = {
  order_id: ({ payments }) => expect(payments[0]?.order_id).toBe('auth'),
  method: ({ payments }) => expect(payments.slice(0, 2).map(({ method }) => method)).toEqual(['auth', 'purchase']),
  created_at: ({ payments }) => expect(payments[0]?.created_at).toBe('2026-01-31T10:00:00.000'),
  cc_token_expiration: ({ payments }) => expect(payments[0]?.cc_token_expiration).toBe('2027-01-31T10:00:00'),
  cc_token: ({ payments: [auth, waits] }) => expect(auth?.cc_token).not.toBe(waits?.cc_token),
  eci: ({ payments: [auth, waits] }) => expect([auth?.eci, waits?.eci]).toEqual(['07', null]),
  mcc: ({ payments }) => expect(payments[0]?.mcc).toBe(OPTIONAL.merchant_mcc),
  options_3ds: ({ payments }) => expect(payments[0]?.options_3ds).toBe('supported'),
  customer({ payments }) {
    const expected = { customer_id: 'c-1', customer_fname: 'Olena', customer_birthday: '1990-02-28' }
    expect(payments[0]).toMatchObject(expected)
    expect(ofOrder(payments, 'gone').customer_city).toBe('Kyiv')
  },
  user_action_url({ payments }) {
    for (const record of payments) expect(record.user_action_url !== null).toBe(record.user_action_required)
  },
  processed_amount({ payments }, events) {
    const changed = { amount: 100.5, processed_amount: 90.45, processed_currency: 'UAH' }
    expect(ofOrder(events, 'payer_changes_amount')).toMatchObject(changed)
    expect(having(payments, 'processed_amount')).toEqual([])
  },
  'fee, fixed_fee, percent_fee'(_, events) {
    const amountOf = (part: unknown) => (part as { amount: number }).amount
    for (const { fee, fixed_fee, percent_fee } of events.filter((event) => event.fee)) {
      expect(amountOf(fee)).toBeCloseTo(amountOf(fixed_fee) + amountOf(percent_fee), 6)
    }
  },
  limit_info(_, events) {
    const limited = having(events, 'limit_info')
    expect(limited.map(({ order_id, status }) => [order_id, status])).toEqual([['limit_exceeded', 'failure']])
    const { retry_after, description } = (limited[0]?.limit_info ?? {}) as Json
    shapeOf('TIMESTAMP')(retry_after)
    shapeOf('String')(description)
  },
  bank_pay(_, events, notes) {
    const paid = having(events, 'bank_pay')
    expect(paid.map(({ order_id }) => order_id)).toEqual(['bank_pay'])
    const bank = paid[0]?.bank_pay as Json
    expect(Object.keys(bank).sort()).toEqual(namesIn(notes).sort())
    for (const value of Object.values(bank)) shapeOf('String')(value)
  },
}

const OPERATION: More = {
  operation_id: (_, events) => expect(new Set(events.map(({ operation_id }) => operation_id)).size).toBe(events.length),
  mode: ({ captures }, events) =>
    expect(new Set([...captures, ...events].map(({ mode }) => mode))).toEqual(new Set(['direct'])),
  method: (_, events) => expect(new Set(events.map(({ method }) => method))).toEqual(new Set(SECONDARY)),
  payment_id: ({ captures, webhooks }) => expect(captures[0]?.payment_id).toBe(webhooks.auth?.[0]?.payment_id),
  order_id: ({ captures }) => expect(captures.map(({ order_id }) => order_id)).toEqual(['auth', 'auth', 'limited']),
  amount: (_, events) =>
    expect(events.map(({ method, amount }) => `${method} ${amount}`)).toEqual([
      ...['capture 10.5', 'capture 95', 'capture 3', 'void 100.5', 'auth_increment 5', 'auth_increment 2'],
      'refund 1.25',
    ]),
  currency({ captures: [partial, full] }) {
    expect([partial?.currency, partial?.order_currency]).toEqual(['UAH', undefined])
    expect([full?.order_currency, full?.currency]).toEqual(['UAH', undefined])
  },
  limit_info: (_, events) =>
    expect(having(events, 'limit_info').map(({ method, status }) => [method, status])).toEqual([
      ['capture', 'failure'],
      ['auth_increment', 'failure'],
    ]),
  comment({ captures }, events) {
    expect(captures.map(({ comment }) => comment)).toEqual(['Part', 'Rest', null])
    expect(having(events, 'comment')).toEqual([])
  },
  receipt_url: (_, events) => expect(having(events, 'receipt_url').map(({ method }) => method)).toEqual(['refund']),
}

const accountRows = tableRows('account', async (create, cell = '', type = '') => {
  const bench = createBench({}, create)
  const list = await listAccounts(bench)
  const single = (await (await get(bench.emulator, `${accountsUrl(bench)}/${list[0]?.id}`)).json()) as Json
  const name = cell.replace('balances.', '')
  const part = (account: Json): Json => (cell === name ? account : (account.balances as Json))
  hasShape(list.map(part), name, type)
  for (const record of list.map(part)) expect(record).toHaveProperty(name)
  expect(part(single)).toHaveProperty(name === 'rolling_reserve' ? 'rollingReserve' : name)
  if (name === 'rolling_reserve') expect(part(single)).not.toHaveProperty(name)
})

export const recordRows: Row[] = [
  ...fieldRows('payment-record', 'payments', ['purchase', 'auth', 'credit'], PAYMENT),
  ...fieldRows('operation-record', 'captures', SECONDARY, OPERATION),
  ...accountRows,
]
