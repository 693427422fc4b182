import * as v from 'valibot'
import { expect, it } from 'vitest'
import { eventKey } from '../../src/orders/index.ts'
import { webhookEventSchema } from '../../src/schemas/index.ts'
import { readEvent } from '../../src/webhooks/index.ts'

const RECORD = { payment_id: 'p', order_id: 'A-1', amount: '10.50', currency: 'UAH', status: 'success', method: 'auth' }
const overJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>
const LOST = [{ path: 'order_id', message: 'must be a string', received: 'number' }]

const RECORDS: [name: string, record: Record<string, unknown>][] = [
  ['a documented one', RECORD],
  ['an odd field', { ...RECORD, payload: 7 }],
  ['an unknown method', { method: 'loyalty', order_id: 'A-1' }],
  ['without what decides', { ...RECORD, status: 7 }],
  ['without a method', { order_id: 'A-1' }],
  ['identifiers that are no texts', { ...RECORD, order_id: 12, method: 7 }],
  ['empty', {}],
  ...['refund', 'unknown', 'unexpected', 7, null].map((kind): [string, Record<string, unknown>] => [
    `the wire's own kind ${kind}, record and issues`,
    { method: 'loyalty', kind, record: { a: 1 }, issues: [null, 1, { path: 'order_id', received: 'number' }] },
  ]),
  ['the words of ours, of another kind', { method: 'loyalty', kind: 'refund', issues: LOST }],
]

// The stored data, and how it is read.
const STORED: Record<string, (event: ReturnType<typeof readEvent>) => unknown> = {
  'event.record': ({ record }) => record,
  'JSON of event.record': ({ record }) => overJson(record),
  'JSON of the event': overJson,
  'JSON of the event that was read from that': (event) => overJson(readEvent(overJson(event))),
  'a structured clone of event.record': ({ record }) => structuredClone(record),
}

it.each(RECORDS)('what a person stores and reads back: %s', (_name, record) => {
  const event = readEvent(record)
  for (const [how, store] of Object.entries(STORED)) {
    // The wire's own members of our names are in the record alone.
    const { kind: _, record: __, issues: ___, ...read } = v.parse(webhookEventSchema, store(event))
    const { kind, record: ____, issues: _____, ...fields } = event
    expect({ how, ...read }).toEqual({ how, ...fields })
    expect(eventKey(v.parse(webhookEventSchema, store(event)))).toBe(eventKey(event))
    expect(v.parse(webhookEventSchema, store(event)).kind).toBe(kind)
  }
})
