import { sha1 } from '@noble/hashes/legacy.js'

/**
 * The form of a webhook ("Events", 1 and 5): `data` is the Base64Url of the JSON text, `signature` is
 * Base64Url(sha1(API_SECRET + data + API_SECRET)). Computed here and not by the SDK, so that a misreading of the API
 * document cannot agree with itself.
 */
export function webhookForm(event: object, apiSecret: string, padded = true): string {
  const utf8 = new TextEncoder()
  let text = JSON.stringify(event)
  // A space after the JSON text makes sure that there is padding to leave out.
  if (!padded && utf8.encode(text).length % 3 === 0) text += ' '
  const data = encodeBase64Url(utf8.encode(text), padded)
  const signature = encodeBase64Url(sha1(utf8.encode(apiSecret + data + apiSecret)), true)
  return new URLSearchParams({ data, signature }).toString()
}

export function corruptSignature(body: string): string {
  const form = new URLSearchParams(body)
  const signature = form.get('signature') ?? ''
  form.set('signature', (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1))
  return form.toString()
}

function encodeBase64Url(bytes: Uint8Array, padded: boolean): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  const encoded = btoa(binary).replaceAll('+', '-').replaceAll('/', '_')
  return padded ? encoded : encoded.replaceAll('=', '')
}
