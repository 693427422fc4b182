import { fromBase64url, toBase64url } from './base64url.ts'
import { deriveKey } from './crypto.ts'

/** The address of an order's result page. `t` proves that the worker made it: nobody reads an order by guessing its id. */
export async function resultLink(origin: string, order_id: string, linkSecret: string): Promise<string> {
  const mark = await crypto.subtle.sign('HMAC', await resultKey(linkSecret), new TextEncoder().encode(order_id))
  return `${origin}/return/${encodeURIComponent(order_id)}?t=${toBase64url(new Uint8Array(mark))}`
}

/** Whether `t` belongs to this order. Compared in constant time by the runtime. */
export async function isResultLink(order_id: string, t: string | undefined, linkSecret: string): Promise<boolean> {
  const mark = t === undefined ? undefined : fromBase64url(t)
  if (mark === undefined) return false
  return crypto.subtle.verify('HMAC', await resultKey(linkSecret), mark, new TextEncoder().encode(order_id))
}

function resultKey(linkSecret: string): Promise<CryptoKey> {
  return deriveKey(linkSecret, 'result link', { name: 'HMAC', hash: 'SHA-256', length: 256 }, ['sign', 'verify'])
}
