import { isObject } from '../lib/kind.ts'
import { duplicate, missing, notAForm } from './errors.ts'

/** The two form parameters of a webhook (API document, "Events", 1). */
export interface WebhookForm {
  /** Base64Url of the event's JSON, exactly as received. */
  data: string
  /** 28 characters. */
  signature: string
}

/**
 * A form that `verifyWebhook` reads the two fields from: a `FormData`, a `URLSearchParams` or a `Map`; or an object of
 * fields, as a framework's body parser makes it.
 */
export type WebhookFields =
  | { get(name: string): unknown }
  | { readonly data: unknown; readonly signature: unknown }
  | { readonly [name: string]: unknown }

/** Reads the form from a body's text. */
export function parseForm(text: string): WebhookForm {
  // The service's own form: nothing is escaped but the padding. A pattern over it takes longer than the hash.
  const [first = '', second = '', more] = text.split('&', 3)
  const data = first.slice(5).replaceAll('%3D', '=')
  const signature = second.slice(10).replaceAll('%3D', '=')
  const isUsual =
    first.startsWith('data=') &&
    second.startsWith('signature=') &&
    more === undefined &&
    !(data.includes('%') || signature.includes('%') || text.includes('+'))
  // URLSearchParams over the text agrees on every runtime; request.formData() does not.
  return readForm(isUsual ? { data, signature } : new URLSearchParams(text))
}

/**
 * Reads the form from the value that a framework made of the body. @throws {ConfigError} for a value that only a
 * mistake in the receiver can produce: no body parser, raw bytes, a request.
 */
export function readForm(fields: unknown): WebhookForm {
  // Reject a request, and its Headers, whose `get` returns texts too. A parsed form may have a field with these names.
  if (!isObject(fields) || (!isParsed(fields) && ('getSetCookie' in fields || isObject(fields.headers))))
    throw notAForm(fields)
  return { data: field(fields, 'data'), signature: field(fields, 'signature') }
}

/**
 * Names an argument that is plainly not a form: an event of AWS Lambda, or a form with one key, the Base64 of "data="
 * or "signature="; a request; or a form with one key, which is the whole text. In a parsed form these are all texts.
 */
function mistakenFor(fields: WebhookFields): string | undefined {
  const { isBase64Encoded, headers, body, rawBody } = fields as Record<string, unknown>
  const names = namesOf(fields)
  const only = names.length === 1 ? String(names[0]) : ''
  if (typeof isBase64Encoded === 'boolean' || /^(ZGF0YT|c2lnbmF0dXJl)[\w+/ ]*$/.test(only))
    return 'Base64: decode the body, pass new URLSearchParams(text)'
  if (isObject(rawBody) || (isObject(headers) && (body ?? rawBody) !== undefined)) return 'a request'
  return only.startsWith('data=') ? 'the body as a key' : undefined
}

function namesOf(fields: WebhookFields): unknown[] {
  const { keys } = fields as { keys?: unknown }
  return typeof keys === 'function' ? [...keys.call(fields)] : Object.keys(fields)
}

/** Body parsers only produce plain or null-prototype objects. */
function isParsed(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function field(fields: WebhookFields, name: keyof WebhookForm): string {
  const values = valuesOf(fields, name)
  const [value] = values
  if (typeof value !== 'string' || value === '') {
    const mistaken = mistakenFor(fields)
    // A FormData, a URLSearchParams or a Map may lack a field. An instance of any other class was never a form.
    const isForm = isParsed(fields) || ('get' in fields && 'has' in fields)
    throw isForm && !mistaken ? missing(name, value, namesOf(fields).length === 0) : notAForm(fields, mistaken)
  }
  if (values.length > 1) throw duplicate(name)
  return value
}

function valuesOf(fields: WebhookFields, name: string): unknown[] {
  const { get, getAll } = fields as { get?: unknown; getAll?: unknown }
  if (typeof getAll === 'function') return getAll.call(fields, name)
  const value = typeof get === 'function' ? get.call(fields, name) : (fields as Record<string, unknown>)[name]
  return Array.isArray(value) ? value : [value]
}
