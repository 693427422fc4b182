import { isWebhookVerificationError } from '../../../errors.ts'
import { signData, verifyWebhook, type WebhookEvent, type WebhookForm } from '../../../webhooks/index.ts'
import { CAUSES, type Cause } from './causes.ts'
import { diagnose, matches, type NamedSecret } from './diagnose.ts'
import { type ReadBody, readBody } from './read-body.ts'

/** The verdict of `edgetill verify` and `edgetill listen` on a webhook. */
export type Verdict =
  | {
      valid: true
      /** The name of the secret that signed it. */
      secret: string
      event: WebhookEvent
    }
  | {
      valid: true
      secret: string
      event?: undefined
      /** Why it cannot be read: `not_base64url`, `not_utf8`, `not_json`. */
      unreadable: string
      explanation: string
    }
  | {
      valid: false
      /** The causes, the first one first. */
      causes: Cause[]
      /** Whether the signature matches once all of it is undone. */
      proven: boolean
      /** The causes in words, and how to fix them. */
      explanation: string
    }

const NOT_TEXT: ReadBody = { causes: ['not_a_form'] }

/** Judges a body as it was received; undefined is one that is not UTF-8. */
export function verifyBody(text: string | undefined, secrets: readonly NamedSecret[]): Verdict {
  const body = text === undefined ? NOT_TEXT : readBody(text)
  if (!body.form) return rejection(body.causes, false)
  const verdict = verifyForm(body.form, secrets)
  if (body.causes.length === 0) return verdict
  // The signature may be right, but no receiver would find it in this body.
  return verdict.valid ? rejection(body.causes, true) : rejection([...body.causes, ...verdict.causes], verdict.proven)
}

/** Judges the two fields of a form, decoded once. */
export function verifyForm(form: WebhookForm, secrets: readonly NamedSecret[]): Verdict {
  const used = secrets.find(({ value }) => matches(form, value))
  if (!used) {
    const { causes, proven } = diagnose(form, secrets)
    return rejection(causes, proven)
  }
  try {
    return { valid: true, secret: used.name, event: readEvent(form, used.value) }
  } catch (error) {
    if (!isWebhookVerificationError(error)) throw error
    return { valid: true, secret: used.name, unreadable: error.reason, explanation: error.message }
  }
}

function readEvent(form: WebhookForm, secret: string): WebhookEvent {
  if (secret === secret.trim()) return verifyWebhook(form, secret)
  // The SDK takes no secret with white space around it. The signature was checked above.
  return verifyWebhook({ data: form.data, signature: signData(form.data, 'checked') }, 'checked')
}

function rejection(causes: Cause[], proven: boolean): Verdict {
  return { valid: false, causes, proven, explanation: causes.map((cause) => CAUSES[cause]).join(' ') }
}
