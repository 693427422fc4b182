import { signWebhook } from '../../src/webhooks/index.ts'

export const SECRET = 'canary-secret-7f3a'
/** The parameters of every webhook, by the API document's tables of webhook parameters. */
export const PAYLOAD = {
  payment_id: '6f1e5a8c-2d1b-4f0e-9a53-7c0d5a1e8b42',
  order_id: 'A-1',
  pos_id: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11',
  mode: 'hosted',
  method: 'purchase',
  amount: 100.5,
  currency: 'UAH',
  status: 'success',
  created_at: '2026-01-01T10:00:00.000',
}
/** The event of the payload. */
export const EVENT = { ...PAYLOAD, kind: PAYLOAD.method }
export const FORM = 'application/x-www-form-urlencoded'
/** The payload as the service sends it. */
export const signed = signWebhook(PAYLOAD, SECRET)

/** A request with this body. A type of null sends none. */
export const post = (body: BodyInit, type: string | null = FORM, method = 'POST'): Request =>
  new Request('https://shop.example.com/webhooks', {
    method,
    body,
    headers: type === null ? {} : { 'content-type': type },
  })
