import { isWebhookVerificationError } from '../../../errors.ts'
import { isObject } from '../../../lib/kind.ts'
import { parseForm, type WebhookForm } from '../../../webhooks/form.ts'
import { parseJson } from '../../json.ts'
import type { Cause } from './causes.ts'
import { decodeOnce } from './repairs.ts'

/** The form of a body, and the repairs that found it; or the reason why it has none. */
export type ReadBody = { form?: WebhookForm; causes: Cause[] }

/** Reads the form from a body's text, also from bodies that are not quite a form. */
export function readBody(text: string): ReadBody {
  const plain = read(text)
  if (plain.form) return plain
  for (const [cause, other] of otherReadings(text)) {
    const result = read(other)
    if (result.form) return { ...result, causes: [cause] }
  }
  if (/^\s*[{[]|^--|form-data/.test(text)) return { causes: ['not_a_form'] }
  return plain
}

function read(text: string): ReadBody {
  try {
    return { form: parseForm(text), causes: [] }
  } catch (error) {
    if (!isWebhookVerificationError(error)) throw error
    return { causes: [error.reason === 'duplicate_field' ? 'duplicate_field' : 'missing_field'] }
  }
}

/** Forms that a body may have been, each with the damage that was done to it. */
function* otherReadings(text: string): Generator<[Cause, string]> {
  if (text.includes('&amp;')) yield ['encoded_twice', text.replaceAll('&amp;', '&')]
  if (/^data%3D/i.test(text)) yield ['encoded_twice', decodeOnce(text)]
  const json = parseJson(text)
  const { data, signature } = isObject(json) ? json : {}
  if (typeof data === 'string' && typeof signature === 'string')
    yield ['not_a_form', new URLSearchParams({ data, signature }).toString()]
}
