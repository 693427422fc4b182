import { signWebhook } from '../../webhooks/index.ts'
import type { Payload } from './service.ts'
import type { Intrusion } from './story.ts'

/** A request body and its content type. */
export interface Body {
  type: string
  text: string
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

/** What an attacker sends. `payload` is what it claims. */
export function intrusionBody(kind: Intrusion, payload: Payload, genuine: Body | undefined, secret: string): Body {
  const signed = signWebhook({ ...payload }, secret)
  const form = (data: string, signature: string): Body => ({
    type: FORM,
    text: new URLSearchParams({ data, signature }).toString(),
  })
  const guessed = (event: Payload, text = `guessed-${secret}`): Body => ({
    type: FORM,
    text: signWebhook({ ...event }, text).body,
  })
  switch (kind) {
    case 'unsigned':
      return { type: FORM, text: new URLSearchParams({ data: signed.data }).toString() }
    case 'wrong_signature':
      return form(signed.data, (signed.signature.startsWith('A') ? 'B' : 'A') + signed.signature.slice(1))
    case 'other_secret':
      return guessed(payload)
    case 'other_pos':
      return guessed({ ...payload, pos_id: OTHER_POS }, `other-pos-${secret}`)
    case 'bent':
      return form(signed.data, new URLSearchParams(genuine?.text).get('signature') ?? 'A'.repeat(27).concat('='))
    case 'not_base64':
      return form(`%%%${signed.data}`, signed.signature)
    case 'not_a_form':
      return { type: 'application/json', text: JSON.stringify(payload) }
    case 'huge':
      return guessed({ ...payload, payload: 'x'.repeat(1_500_000) })
  }
}

/** What a forged webhook says: the order was paid, or paid back, in whole. */
export function claim(
  claims: 'purchase' | 'refund',
  order: { order_id: string; amount: number; currency: string; pos_id: string },
): Payload {
  const at = new Date().toISOString().slice(0, 23)
  const ids = { payment_id: crypto.randomUUID(), transaction_id: crypto.randomUUID() }
  const state = {
    status: 'success',
    status_code: claims === 'refund' ? '1004' : '1000',
    created_at: at,
    processed_at: at,
  }
  const common = { ...ids, ...order, mode: 'hosted', method: claims, ...state }
  return claims === 'refund' ? { operation_id: crypto.randomUUID(), ...common, mode: 'direct' } : common
}
