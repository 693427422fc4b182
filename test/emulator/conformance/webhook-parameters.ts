import { expect } from 'vitest'
import { testCard } from '../../../src/emulator/index.ts'
import { createBench, type Json } from '../call.ts'
import { shapeOf } from './kinds.ts'
import { namesIn, type Row, row, sentenceOf, tableOf } from './row.ts'
import { eventsOf, everyKind, payDirect, takeSamples } from './samples.ts'

/** The parameters of each kind of webhook. */

const PRIMARY_REQUIRED = namesIn(sentenceOf('primary-webhook', 'Required:'))
const PRIMARY_OPTIONAL = namesIn(sentenceOf('primary-webhook', 'Optional:'))
const PRIMARY = ['purchase', 'auth', 'credit', 'p2p', 'lookup']

export const webhookParameterRows: Row[] = [
  row(
    'primary-webhook',
    'Required: `payment_id`, `order_id`, `pos_id`, `mode`, `method`, `amount` (Number), `currency`, `status`, `created_at`.',
    async (create) => {
      const { webhooks } = await takeSamples(create)
      for (const event of PRIMARY.flatMap((method) => webhooks[method] ?? [])) {
        for (const name of PRIMARY_REQUIRED) {
          if (name === 'amount') expect(event.amount).toBeTypeOf('number')
          else expect([name, typeof event[name]]).toEqual([name, 'string'])
        }
      }
    },
  ),
  {
    section: 'primary-webhook',
    sentence: sentenceOf('primary-webhook', 'Optional:'),
    run: async (create) => {
      const { webhooks } = await takeSamples(create)
      const events = PRIMARY.flatMap((method) => webhooks[method] ?? [])
      const seen = new Set(events.flatMap((event) => Object.keys(event)))
      for (const name of PRIMARY_OPTIONAL) expect([name, seen.has(name)]).toEqual([name, true])
      const others = ['processed_amount', 'processed_currency', 'recurring', 'emulator_note']
      expect([...seen].filter((name) => ![...PRIMARY_REQUIRED, ...PRIMARY_OPTIONAL, ...others].includes(name))).toEqual(
        [],
      )
      const [paid] =
        webhooks.purchase?.filter(({ status, order_id }) => status === 'success' && order_id === 'split') ?? []
      const always = PRIMARY_OPTIONAL.filter((name) => name !== 'limit_info' && name !== 'bank_pay')
      for (const name of always) expect([name, paid?.[name] !== undefined]).toEqual([name, true])
      const receipts = PRIMARY.map((method) => [
        method,
        webhooks[method]?.some(({ receipt_url }) => receipt_url !== undefined),
      ])
      expect(receipts).toEqual([
        ['purchase', true],
        ['auth', true],
        ['credit', true],
        ['p2p', false],
        ['lookup', false],
      ])
    },
  },
  {
    section: 'primary-webhook',
    sentence: sentenceOf('primary-webhook', 'All are String'),
    run: async (create) => {
      const { webhooks } = await takeSamples(create)
      const shapes: Record<string, string> = { amount: 'Number', processed_amount: 'Number', receipt_url: 'URL' }
      for (const name of ['fee', 'fixed_fee', 'percent_fee', 'bank_pay', 'limit_info', 'recurring'])
        shapes[name] = 'Object'
      for (const event of PRIMARY.flatMap((method) => webhooks[method] ?? [])) {
        for (const [name, value] of Object.entries(event)) {
          if (!(name === 'fee' && value === null)) shapeOf(shapes[name] ?? 'String')(value)
        }
      }
      const limited = PRIMARY.flatMap((method) => webhooks[method] ?? []).filter(({ limit_info }) => limit_info)
      expect(limited.map(({ limit_info }) => Object.keys(limit_info as Json))).toEqual([['retry_after', 'description']])
    },
  },
  row(
    'primary-webhook',
    'For payments where the payer may change the amount, `processed_amount` (Number) and `processed_currency` (String, at most 256) are added.',
    async (create) => {
      const bench = createBench({}, create)
      await payDirect(bench, { amount: 0.1, cc_number: testCard('payer_changes_amount') })
      await payDirect(bench, { order_id: 'B' })
      const [changed, usual] = await eventsOf(bench)
      expect(changed).toMatchObject({ amount: 0.1, processed_amount: 0.09, processed_currency: 'UAH' })
      expect(usual).not.toHaveProperty('processed_amount')
      expect(usual).not.toHaveProperty('processed_currency')
    },
  ),
  ...tableOf('secondary-webhook').map(
    ({ line, cells: [names = '', ...columns] }): Row => ({
      section: 'secondary-webhook',
      sentence: line,
      run: async (create) => {
        const { webhooks } = await takeSamples(create)
        for (const [index, method] of ['capture', 'void', 'auth_increment', 'refund'].entries()) {
          const events = webhooks[method] ?? []
          for (const name of names.replace(' (required)', '').split(', ')) {
            const there = events.filter((event) => event[name] !== undefined).length
            if (columns[index] === 'no') expect([method, name, there]).toEqual([method, name, 0])
            else if (names.includes('limit_info')) expect([method, name, there]).toEqual([method, name, 1])
            else expect([method, name, there]).toEqual([method, name, events.length])
          }
        }
      },
    }),
  ),
  row(
    'secondary-webhook',
    "`mode` is `direct`; `method` is the event's operation name; `amount` is the actual amount of the operation.",
    async (create) => {
      const bench = createBench({}, create)
      await everyKind(bench)
      const told = (await eventsOf(bench)).filter(({ operation_id }) => operation_id !== undefined)
      expect(told.map(({ mode, method, amount }) => [mode, method, amount])).toEqual([
        ['direct', 'capture', 10],
        ['direct', 'auth_increment', 5],
        ['direct', 'refund', 2],
        ['direct', 'void', 100.5],
      ])
    },
  ),
]
