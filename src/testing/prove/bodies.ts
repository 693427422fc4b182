import { sha1Base64url } from '../../lib/sha1.ts'
import { signWebhook } from '../../webhooks/index.ts'
import type { Body } from '../tested-shop.ts'

/** A webhook's payload. */
export type Payload = Readonly<Record<string, unknown>>
const FORM = 'application/x-www-form-urlencoded'
const form = (...entries: string[][]): Body => ({ type: FORM, text: new URLSearchParams(entries).toString() })

/** A webhook that is signed with a secret: with the shop's it is genuine. */
export function signedBody(payload: Payload, secret: string): Body {
  const { data, signature } = signWebhook({ ...payload }, secret)
  return form(['data', data], ['signature', signature])
}

/** The same event as another way of the service writes it: other optional fields, in another order. Genuine. */
export function otherFields(payload: Payload): Payload {
  const { fee: _, status_description: __, receipt_url: ___, ...rest } = payload
  return { ...Object.fromEntries(Object.entries(rest).reverse()), limit_info: null, reserved_1: 'x' }
}

const OTHER_POS = '00000000-0000-4000-8000-00000000dead'
const TEXTS = { status_description: 'Оплачено: «ґанок» \u{1f6d2}', payload: `Zażółć "'<b>\\\n\u2028&=+%` }
const OPTIONAL = 'gateway_order_id billing_order_id payway eci limit_info customer_id fee status_description'
const NULLS = Object.fromEntries(OPTIONAL.split(' ').map((name) => [name, null]))
const UNKNOWN = { reserved_1: 'x', reserved_2: { list: [1, { deep: null }], on: true } }
const bare = (event: Payload): Payload =>
  Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null))

/** Unusual webhooks: in words, and as a change to a payload. */
export const FIELDS: Readonly<Record<string, readonly [says: string, dress: (payload: Payload) => Payload]>> = {
  // Any three of these letters in a row make a - or _ in base64url.
  base64url: ['their data has - and _', (event) => ({ ...event, payload: '>>>???>>>???' })],
  texts: ['they have Cyrillic letters, quotes and emoji', (event) => ({ ...event, ...TEXTS })],
  nulls: ['optional fields are null', (event) => ({ ...event, ...NULLS })],
  bare: ['fields without a value are left out', (event) => bare(event)],
  unknown: ['they have fields that the API document does not name', (event) => ({ ...event, ...UNKNOWN })],
}

/** The means of an attacker: the claim, as data with its right signature, and the fields of a genuine webhook. */
type Forgery = { payload: Payload; data: string; right: string; secret: string; seen: string[][] }
const by = (data: string, signature: string): Body => form(['data', data], ['signature', signature])
const unsigned = (data: string): Body => by(data, sha1Base64url(data))
const guessed = ({ payload, secret }: Forgery, more?: object) => signedBody({ ...payload, ...more }, `not-${secret}`)
const ofOtherPos = ({ payload, secret }: Forgery) => signWebhook({ ...payload, pos_id: OTHER_POS }, secret).data
const json = (text: string): Body => ({ type: 'application/json', text })
const twice = ([first, second]: string[][], data: string): string =>
  `{"data":"${first?.[1] ?? ''}","signature":"${second?.[1] ?? ''}","data":"${data}"}`
const otherCase = (letter: string): string => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase())
const otherFirst = (text: string): string => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
/** The last character whose bits all belong to the digest is wrong. */
const otherEnd = (text: string): string => text.slice(0, -3) + otherFirst(text.slice(-3))
const HEADERS = 'x-forwarded-for x-real-ip x-client-ip x-originating-ip cf-connecting-ip true-client-ip'.split(' ')
/** An unsigned form that claims to come from an address. */
const from = (address: string, data: string): Body => {
  const headers = { ...Object.fromEntries(HEADERS.map((name) => [name, address])), forwarded: `for=${address}` }
  return { ...form(['data', data]), headers }
}
const SERVICE = '35.187.74.148'

/** The ways to forge a webhook: in words, and as a body. */
export const INTRUSIONS: Readonly<Record<string, readonly [says: string, forge: (forgery: Forgery) => Body]>> = {
  unsigned: ['without a signature', ({ data }) => form(['data', data])],
  empty_signature: ['with an empty signature', ({ data }) => by(data, '')],
  array_signature: ['with signature[] for signature', ({ data }) => form(['data', data], ['signature[]', ''])],
  wrong_signature: ['with a wrong first letter in its signature', ({ data, right }) => by(data, otherFirst(right))],
  short_signature: ['with the first letters of its signature alone', ({ data, right }) => by(data, right.slice(0, 4))],
  wrong_end: ['with a wrong last letter in its signature', ({ data, right }) => by(data, otherEnd(right))],
  other_case: ['with its signature in other case', ({ data, right }) => by(data, right.replace(/[a-z]/gi, otherCase))],
  other_secret: ['signed with a guessed secret', guessed],
  no_secret: ['signed with an empty secret', ({ data }) => unsigned(data)],
  other_pos: ['of another POS, signed with its secret', (one) => guessed(one, { pos_id: OTHER_POS })],
  other_pos_no_secret: ['of another POS, signed with an empty secret', (one) => unsigned(ofOtherPos(one))],
  bent: ['with the signature of a genuine webhook', ({ data, seen }) => by(data, seen[1]?.[1] ?? `${'A'.repeat(27)}=`)],
  doubled_last: ['as a second data after a genuine one', ({ data, seen }) => form(...seen, ['data', data])],
  doubled_first: ['as a first data before a genuine one', ({ data, seen }) => form(['data', data], ...seen)],
  doubled_in_json: ['as JSON, a second data after a genuine one', ({ data, seen }) => json(twice(seen, data))],
  from_inside: ['unsigned, with headers that name this machine as its sender', ({ data }) => from('127.0.0.1', data)],
  from_service: ['unsigned, with headers that name the service as sender', ({ data }) => from(SERVICE, data)],
  not_base64: ['whose data is not base64url', ({ data, right }) => by(`%%%${data}`, right)],
  not_a_form: ['as JSON, not as a form', ({ payload }) => json(JSON.stringify(payload))],
  huge: ['of two megabytes, signed with a guessed secret', (one) => guessed(one, { payload: 'x'.repeat(1_500_000) })],
}

/** A forged webhook of a story: the order was paid, or paid back, in whole. */
export type Intrusion = { intrusion: string; claims: 'purchase' | 'refund' }

/** @param genuine The latest webhook that the attacker has seen. */
export function forged(one: Intrusion, order: Payload, genuine: Payload | undefined, secret: string): Body {
  const at = new Date().toISOString().slice(0, 23)
  const ids = { payment_id: crypto.randomUUID(), transaction_id: crypto.randomUUID() }
  const state = { method: one.claims, status: 'success', created_at: at, processed_at: at }
  const ofMoney = { purchase: { mode: 'hosted', status_code: '1000' }, refund: { mode: 'direct', status_code: '1004' } }
  const operation = one.claims === 'refund' && { operation_id: crypto.randomUUID() }
  const payload = { ...operation, ...ids, ...order, ...state, ...ofMoney[one.claims] }
  const { data, signature: right } = signWebhook(payload, secret)
  const seen = [...new URLSearchParams(genuine && signedBody(genuine, secret).text)]
  return (INTRUSIONS[one.intrusion] as (typeof INTRUSIONS)[string])[1]({ payload, data, right, secret, seen })
}
