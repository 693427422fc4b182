import { expect } from 'vitest'
import type { Json } from '../call.ts'
import { shapeOf } from './kinds.ts'
import { type Create, namesIn, type Row, row, sentenceOf, tableRows } from './row.ts'
import { eventsOf, everyKind, PRIMARY, SECONDARY, samplesOf } from './samples.ts'

/** The parameters of each kind of webhook. */

const REQUIRED = namesIn(sentenceOf('primary-webhook', 'Required:'))
const OPTIONAL = namesIn(sentenceOf('primary-webhook', 'Optional:'))

async function primaryEvents(create: Create): Promise<Json[]> {
  const { webhooks } = await samplesOf(create)
  return PRIMARY.flatMap((method) => webhooks[method] ?? [])
}

export const webhookParameterRows: Row[] = [
  row('primary-webhook', 'Required: `payment_id`', async (_, create) => {
    for (const event of await primaryEvents(create)) {
      for (const name of REQUIRED) {
        expect([name, typeof event[name]]).toEqual([name, name === 'amount' ? 'number' : 'string'])
      }
    }
  }),
  row('primary-webhook', 'Optional: `gateway_order_id`', async (_, create) => {
    const events = await primaryEvents(create)
    const seen = [...new Set(events.flatMap((event) => Object.keys(event)))]
    const others = ['processed_amount', 'processed_currency', 'recurring']
    expect(seen).toEqual(expect.arrayContaining(OPTIONAL))
    expect([...REQUIRED, ...OPTIONAL, ...others]).toEqual(expect.arrayContaining(seen))
    const paid = events.find(({ status, order_id }) => status === 'success' && order_id === 'split') ?? {}
    const always = OPTIONAL.filter((name) => name !== 'limit_info' && name !== 'bank_pay')
    expect(Object.keys(paid)).toEqual(expect.arrayContaining(always))
    const receipts = new Set(events.filter(({ receipt_url }) => receipt_url !== undefined).map(({ method }) => method))
    expect(receipts).toEqual(new Set(['purchase', 'auth', 'credit']))
  }),
  row('primary-webhook', 'All are String', async (_, create) => {
    const shapes: Record<string, string> = { amount: 'Number', processed_amount: 'Number', receipt_url: 'URL' }
    for (const name of ['fee', 'fixed_fee', 'percent_fee', 'bank_pay', 'limit_info', 'recurring']) {
      shapes[name] = 'Object'
    }
    const events = await primaryEvents(create)
    for (const [name, value] of events.flatMap((event) => Object.entries(event))) {
      if (!(name === 'fee' && value === null)) shapeOf(shapes[name] ?? 'String')(value)
    }
    const limited = events.filter(({ limit_info }) => limit_info)
    expect(limited.map(({ limit_info }) => Object.keys(limit_info as Json))).toEqual([['retry_after', 'description']])
  }),
  ...tableRows('secondary-webhook', async (create, names = '', ...columns) => {
    const { webhooks } = await samplesOf(create)
    for (const [index, method] of SECONDARY.entries()) {
      const events = webhooks[method] ?? []
      const often = names === 'limit_info' ? 1 : events.length
      for (const name of names.replace(' (required)', '').split(', ')) {
        const there = events.filter((event) => event[name] !== undefined).length
        expect([method, name, there]).toEqual([method, name, columns[index] === 'no' ? 0 : often])
      }
    }
  }),
  row('secondary-webhook', '`mode` is `direct`', async (bench) => {
    await everyKind(bench)
    const sent = (await eventsOf(bench)).filter(({ operation_id }) => operation_id !== undefined)
    expect(sent.map(({ mode, method, amount }) => [mode, method, amount])).toEqual([
      ['direct', 'capture', 10],
      ['direct', 'auth_increment', 5],
      ['direct', 'refund', 2],
      ['direct', 'void', 100.5],
    ])
  }),
]
