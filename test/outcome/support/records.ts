import * as sdk from '../../../src/index.ts'
import { CAPTURE_RECORD, PAYMENT_RECORD, REFUND_RECORD, VOID_RECORD } from '../../support/inputs.ts'
import { CONFIG, json, type Sent, wire } from '../../support/mock-fetch.ts'

export const SENT_AT = '2026-01-31T10:00:00.000Z'
/** The last moment at which an absence does not count yet, and the first at which it does. */
export const SOON = Date.parse(SENT_AT) + 599_999
export const LATER = Date.parse(SENT_AT) + 600_000

export const PURCHASE = { ...PAYMENT_RECORD, status: 'success', status_code: '1000' }
export const AUTH = { ...PURCHASE, method: 'auth' }
const { order_currency: currency, ...CAPTURE } = CAPTURE_RECORD
export const capture = (operation_id: string, amount = 80.25) => ({ ...CAPTURE, currency, operation_id, amount })
export const refund = (operation_id: string, amount = 20.5) => ({ ...REFUND_RECORD, operation_id, amount })
export const release = (operation_id: string) => ({ ...VOID_RECORD, operation_id })

const CALL = { order_id: 'A-1', currency: 'UAH', sent_at: SENT_AT }
export const CREATION: sdk.UnresolvedCall = { ...CALL, operation: 'createPayment', amount: 100.5 }
export const CAPTURED: sdk.UnresolvedCall = { ...CALL, operation: 'capturePayment', amount: 80.25 }
export const CAPTURE_ALL: sdk.UnresolvedCall = { ...CALL, operation: 'capturePayment' }
export const REFUNDED: sdk.UnresolvedCall = { ...CALL, operation: 'refundPayment', amount: 20.5 }

export const NOT_FOUND = () => json({ message: 'Not found' }, 404)

/** Resolves a call against the responses to the look-ups, in their order. Nothing but GETs may travel, and no reply is left. */
export async function resolve(
  call: sdk.UnresolvedCall,
  replies: Parameters<typeof wire>,
  options: sdk.ResolveOutcomeOptions = {},
): Promise<{ resolved: sdk.ResolvedOutcome; sent: Sent[] }> {
  const { fetch, sent } = wire(...replies)
  const client = sdk.createClient({ ...CONFIG, fetch, maxRetries: 0 })
  const resolved = await sdk.resolveOutcome(client, call, { now: () => LATER, ...options })
  const methods = sent.map(({ method }) => method).join()
  if (methods !== replies.map(() => 'GET').join()) throw new Error(`Sent were: ${methods}.`)
  return { resolved, sent }
}

/** A decision in a word: the identifier of the operation that was executed, or why not. */
export function inShort(resolved: sdk.ResolvedOutcome): string {
  if (resolved.outcome !== 'executed') return resolved.outcome
  const { operation_id, payment_id } = resolved.record.record
  return String(operation_id ?? payment_id)
}
