import * as v from 'valibot'
import { expect, it } from 'vitest'
import { webhookEventSchema } from '../../src/schemas/index.ts'
import { readEvent } from '../../src/webhooks/index.ts'

const RECORD = { payment_id: 'p', order_id: 'A-1', amount: '10.50', currency: 'UAH', status: 'success', method: 'auth' }

it('a queue’s message is read as a webhook is, from the record and from an event that became JSON', () => {
  const event = v.parse(webhookEventSchema, RECORD)
  expect(event).toEqual({ ...RECORD, amount: 10.5, kind: 'auth' })
  expect(event).toEqual(readEvent(RECORD))
  expect(v.parse(webhookEventSchema, JSON.parse(JSON.stringify(event)))).toEqual(event)
  const unexpected = readEvent({ ...RECORD, status: 7 })
  expect(v.parse(webhookEventSchema, JSON.parse(JSON.stringify(unexpected)))).toEqual(unexpected)
})

it('an unknown method is a value', () => {
  expect(v.parse(webhookEventSchema, { method: 'loyalty', order_id: 'A-1' })).toMatchObject({ kind: 'unknown' })
})

it('what has not what decides is rejected, with the place', () => {
  const { issues } = v.safeParse(webhookEventSchema, { ...RECORD, status: 7 })
  expect(issues?.map((issue) => v.getDotPath(issue))).toEqual(['status'])
  expect(v.is(webhookEventSchema, {})).toBe(false)
  expect(v.is(webhookEventSchema, [RECORD])).toBe(false)
})
