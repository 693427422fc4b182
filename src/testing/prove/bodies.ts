import { sha1Base64url } from '../../lib/sha1.ts'
import { signWebhook } from '../../webhooks/index.ts'
import type { Fields, Intrusion, Payload } from './story.ts'

/** A request body, its content type and further headers. */
export interface Body {
  type: string
  text: string
  headers?: Record<string, string>
}

const FORM = 'application/x-www-form-urlencoded'
const OTHER_POS = '00000000-0000-4000-8000-00000000dead'

/** A genuine webhook. */
export const genuineBody = (payload: Payload, secret: string): Body => ({
  type: FORM,
  text: signWebhook({ ...payload }, secret).body,
})

/** The same event as another way of the service writes it: other optional fields, in another order. Genuine. */
export function otherFields(payload: Payload): Payload {
  const { fee: _, status_description: __, receipt_url: ___, ...rest } = payload
  return { ...Object.fromEntries(Object.entries(rest).reverse()), limit_info: null, reserved_1: 'x' }
}

const OPTIONAL = ['gateway_order_id', 'billing_order_id', 'payway', 'eci', 'limit_info', 'customer_id', 'fee']

/** Adds what a story's webhooks have beside the usual. */
export function dressed(payload: Payload, fields: Fields | undefined): Payload {
  switch (fields) {
    case undefined:
      return payload
    // Any three of them in a row make a letter that base64url writes in another way.
    case 'base64url':
      return { ...payload, payload: '>>>???>>>???' }
    case 'texts':
      return { ...payload, status_description: 'Оплачено: «ґанок» \u{1f6d2}', payload: `Zażółć "'<b>\\\n\u2028&=+%` }
    case 'nulls':
      return { ...payload, ...Object.fromEntries(OPTIONAL.map((name) => [name, null])), status_description: null }
    case 'bare':
      return Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== null))
    case 'unknown':
      return { ...payload, reserved_1: 'x', reserved_2: { list: [1, { deep: null }], on: true } }
  }
}

/** What an attacker sends. `payload` is what it claims. */
export function intrusionBody(kind: Intrusion, payload: Payload, genuine: Body | undefined, secret: string): Body {
  const { data, signature } = signWebhook({ ...payload }, secret)
  const form = (...fields: [string, string][]): Body => ({ type: FORM, text: new URLSearchParams(fields).toString() })
  const guessed = (event: Payload, by: string): Body => ({ type: FORM, text: signWebhook({ ...event }, by).body })
  const seen = new URLSearchParams(genuine?.text)
  const before = [...seen] as [string, string][]
  switch (kind) {
    case 'unsigned':
      return form(['data', data])
    case 'empty_signature':
      return form(['data', data], ['signature', ''])
    case 'array_signature':
      return form(['data', data], ['signature[]', ''])
    case 'wrong_signature':
      return form(['data', data], ['signature', (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1)])
    case 'short_signature':
      return form(['data', data], ['signature', signature.slice(0, 4)])
    case 'other_case':
      return form(['data', data], ['signature', signature.replaceAll(/[a-z]/gi, otherCase)])
    case 'other_secret':
      return guessed(payload, `guessed-${secret}`)
    case 'no_secret':
      return form(['data', data], ['signature', sha1Base64url(data)])
    case 'other_pos':
      return guessed({ ...payload, pos_id: OTHER_POS }, `other-pos-${secret}`)
    case 'bent':
      return form(['data', data], ['signature', seen.get('signature') ?? 'A'.repeat(27).concat('=')])
    case 'doubled_last':
      return form(...before, ['data', data])
    case 'doubled_first':
      return form(['data', data], ...before)
    case 'from_inside':
      return { ...form(['data', data]), headers: { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' } }
    case 'not_base64':
      return form(['data', `%%%${data}`], ['signature', signature])
    case 'not_a_form':
      return { type: 'application/json', text: JSON.stringify(payload) }
    case 'huge':
      return guessed({ ...payload, payload: 'x'.repeat(1_500_000) }, `guessed-${secret}`)
  }
}

const otherCase = (letter: string): string => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase())

/** What a forged webhook says: the order was paid, or paid back, in whole. */
export function claim(
  claims: 'purchase' | 'refund',
  order: { order_id: string; amount: number; currency: string; pos_id: string },
): Payload {
  const at = new Date().toISOString().slice(0, 23)
  const ids = { payment_id: crypto.randomUUID(), transaction_id: crypto.randomUUID() }
  const status_code = claims === 'refund' ? '1004' : '1000'
  const state = { status: 'success', status_code, created_at: at, processed_at: at }
  const common = { ...ids, ...order, mode: 'hosted', method: claims, ...state }
  return claims === 'refund' ? { operation_id: crypto.randomUUID(), ...common, mode: 'direct' } : common
}
