import { expect, it } from 'vitest'
import { isDocumentedEvent, signWebhook, verifyWebhook, type WebhookEvent } from '../../src/webhooks/index.ts'
import { PAYLOAD } from './signed.ts'

const read = (payload: object): WebhookEvent => verifyWebhook(signWebhook(payload, 's'), 's')

const { method: _method, ...COMMON } = PAYLOAD

// With every parameter: test/testing/test-event.test.ts.
it.each('purchase auth credit p2p lookup capture void auth_increment refund'.split(' '))(
  'a %s needs its required parameters alone, and keeps unknown ones, unknown statuses and codes, and nulls',
  (method) => {
    const { pos_id: _pos, mode: _mode, created_at: _created, ...required } = { ...COMMON, method, operation_id: 'o' }
    const odd = { status: 'antifraud', status_code: '7777', fee: null, eci: null, brand_new: [1] }
    // The API document types it as a text and shows an object.
    const limits = [{ limit_info: 'Daily limit' }, { limit_info: { description: 'Daily limit' } }]
    for (const payload of [required, ...limits.map((limit) => ({ ...required, ...odd, ...limit }))]) {
      const event = read(payload)
      expect([event, event.issues, isDocumentedEvent(event)]).toEqual([{ ...payload, kind: method }, [], true])
    }
  },
)

it.each(['loyalty', 'Purchase', 'toString', '__proto__'])('an unknown method is a value: %s', (method) => {
  const event = read({ method, anything: { at: 'all' } })
  expect(event).toMatchObject({ kind: 'unknown', method, issues: [] })
  expect(isDocumentedEvent(event)).toBe(false)
  expect(event.record).toEqual({ method, anything: { at: 'all' } })
})

it.each<[string, object, string[]]>([
  ['a fee that is a number', { fee: 1 }, ['fee']],
  ['an empty fee', { fee: {} }, ['fee.amount', 'fee.currency']],
  ['a limit_info that is neither', { limit_info: 42 }, ['limit_info']],
  ['a payload that is an object', { payload: { cart: 7 } }, ['payload']],
])('%s is left out, named in issues and kept under record: the payment stays a payment', (_name, odd, paths) => {
  const payload = { ...COMMON, method: 'purchase', ...odd }
  const event = read(payload)
  const { [Object.keys(odd)[0] as keyof typeof payload]: _left, ...rest } = payload
  expect(event).toEqual({ ...rest, kind: 'purchase' })
  expect(event.issues.map(({ path }) => path)).toEqual(paths)
  expect(event.record).toEqual(payload)
  for (const name of ['record', 'issues']) expect(Object.keys(event)).not.toContain(name)
})

it('order_id can be read from every event', () => {
  const ids = ['A-1', 5, null].flatMap((order_id) => [read({ method: 'loyalty', order_id }), read({ order_id })])
  expect(ids.map(({ order_id }) => order_id)).toEqual(['A-1', 'A-1', ...Array(4).fill(undefined)])
})

it.each<[string, object, string[]]>([
  ['no method', { a: 1 }, ['method']],
  ['a method that is a number', { method: 5 }, ['method']],
  ['a documented method and nothing else', { ...COMMON, method: 'refund' }, ['operation_id']],
  ['an amount that is not a number', { ...COMMON, method: 'purchase', amount: 'ten' }, ['amount']],
  ['a required parameter that is null', { ...COMMON, method: 'purchase', status: null }, ['status']],
  ['a processed_amount that is empty', { ...COMMON, method: 'purchase', processed_amount: '' }, ['processed_amount']],
  ['a currency of a number', { ...COMMON, method: 'auth', processed_currency: 980 }, ['processed_currency']],
])('an unexpected shape is handed over, with what differs: %s', (_name, payload, paths) => {
  const event = read(payload)
  expect([event.kind, isDocumentedEvent(event)]).toEqual(['unexpected', false])
  expect(event.record).toEqual(payload)
  expect(event.issues.map(({ path }) => path)).toEqual(paths)
})
