import { binaryToBytes, decodeBase64urlBinary, encodeBase64url } from '../../../lib/base64url.ts'
import { isObject } from '../../../lib/kind.ts'
import { decodeUtf8, encodeUtf8 } from '../../../lib/utf8.ts'
import type { WebhookForm } from '../../../webhooks/form.ts'
import { parseJson } from '../../json.ts'
import type { Cause } from './causes.ts'
import { jsonTexts } from './json-styles.ts'

/** Undoes a kind of damage: returns possible earlier forms. None without a sign of the damage. */
export type Repair = { cause: Cause; undo(form: WebhookForm): Iterable<WebhookForm> }

/** In order: the last step of a body's way is undone first. */
export const REPAIRS: readonly Repair[] = [
  { cause: 'encoded_twice', undo: each(/%[\da-f]{2}/i, (text) => [decodeOnce(text)]) },
  { cause: 'swapped_fields', undo: ({ data, signature }) => [{ data: signature, signature: data }] },
  { cause: 'white_space', undo: each(/[\r\n\t]|^ | $/, (text) => [text.replaceAll(/[\r\n\t]/g, '').trim()]) },
  {
    cause: 'plus_became_space',
    undo: each(/ /, (text) => [text.replaceAll(' ', '+'), toBase64url(text.replaceAll(' ', '+'))]),
  },
  { cause: 'standard_base64', undo: each(/[+/]/, (text) => [toBase64url(text)]) },
  { cause: 'lost_padding', undo: each(/^(?:.{4})*.{2,3}$/s, (text) => [text + '='.repeat(4 - (text.length % 4))]) },
  { cause: 'hexadecimal', undo: hexadecimal },
  { cause: 'reencoded', undo: reencoded },
]

/** A text without its percent-encoding, if it has one. */
export function decodeOnce(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const toBase64url = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_')

/** Changes the fields that show a sign: both, or only one. */
function each(sign: RegExp, change: (text: string) => string[]): Repair['undo'] {
  return ({ data, signature }) => {
    const datas = sign.test(data) ? [...change(data), data] : [data]
    const signatures = sign.test(signature) ? [...change(signature), signature] : [signature]
    return datas
      .flatMap((one) => signatures.map((other) => ({ data: one, signature: other })))
      .filter((form) => form.data !== data || form.signature !== signature)
  }
}

function hexadecimal({ data, signature }: WebhookForm): WebhookForm[] {
  if (!/^[\da-f]{40}$/i.test(signature)) return []
  const bytes = Uint8Array.from(signature.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  return [{ data, signature: encodeBase64url(bytes) }]
}

function* reencoded({ data, signature }: WebhookForm): Generator<WebhookForm> {
  // It may have been decoded and not encoded again.
  const text = data.startsWith('{') ? data : decoded(data)
  if (text === undefined) return
  // Encoded twice.
  if (/^[\w+/-]+=*$/.test(text)) yield { data: text, signature }
  const value = parseJson(text)
  if (value === undefined) return
  for (const json of [text, ...jsonTexts(value)]) {
    for (const end of ['', '\n']) {
      const url = encodeBase64url(encodeUtf8(json + end))
      const standard = url.replaceAll('-', '+').replaceAll('_', '/')
      for (const encoded of new Set([url, url.replace(/=+$/, ''), standard])) yield { data: encoded, signature }
    }
  }
}

/** The text of Base64, in either alphabet; undefined if it is not Base64, or not UTF-8. */
function decoded(data: string): string | undefined {
  const binary = decodeBase64urlBinary(toBase64url(data))
  return binary === undefined ? undefined : decodeUtf8(binaryToBytes(binary))
}

export const holdsJson = (field: string): boolean => isObject(parseJson(decoded(field)))
