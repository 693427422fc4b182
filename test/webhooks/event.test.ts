import { expect, it } from 'vitest'
import { isDocumentedEvent, signWebhook, verifyWebhook, type WebhookEvent } from '../../src/webhooks/index.ts'
import webhooks from '../corpus/webhooks.json' with { type: 'json' }
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

it.each(webhooks.odd as [string, object, string[]][])(
  '%s is left out, named in issues and kept under record: the payment stays a payment',
  (_name, payload, paths) => {
    const event = read(payload)
    const { [paths[0]?.split('.')[0] as keyof typeof payload]: _left, ...rest } = payload
    expect(event).toEqual({ ...rest, kind: 'purchase' })
    expect(event.issues.map(({ path }) => path)).toEqual(paths)
    expect(event.record).toEqual(payload)
    for (const name of ['record', 'issues']) expect(Object.keys(event)).not.toContain(name)
  },
)

it('order_id can be read from every event', () => {
  const ids = ['A-1', 5, null].flatMap((order_id) => [read({ method: 'loyalty', order_id }), read({ order_id })])
  expect(ids.map(({ order_id }) => order_id)).toEqual(['A-1', 'A-1', ...Array(4).fill(undefined)])
})

it.each(webhooks.unexpected as [string, object, string[]][])(
  'an unexpected shape is handed over, with what differs: %s',
  (_name, payload, paths) => {
    const event = read(payload)
    expect([event.kind, isDocumentedEvent(event)]).toEqual(['unexpected', false])
    expect(event.record).toEqual(payload)
    expect(event.issues.map(({ path }) => path)).toEqual(paths)
  },
)
