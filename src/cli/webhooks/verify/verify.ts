import { isWebhookVerificationError } from '../../../errors.ts'
import { signData, verifyWebhook, type WebhookEvent, type WebhookForm } from '../../../webhooks/index.ts'
import { CAUSES } from './causes.ts'
import { type Diagnosis, diagnose, matches, type NamedSecret } from './diagnose.ts'
import { type ReadBody, readBody } from './read-body.ts'

export type Verdict =
  /** `secret` is the name of the matching secret. */
  | { valid: true; secret: string; event: WebhookEvent; explanation?: undefined }
  /** `unreadable` is why it cannot be read: `not_base64url`, `not_utf8`, `not_json`. */
  | { valid: true; secret: string; event?: undefined; unreadable: string; explanation: string }
  /** `explanation` has the causes in words, in order, and how to fix them. */
  | ({ valid: false; explanation: string } & Diagnosis)

const NOT_TEXT: ReadBody = { causes: ['not_a_form'] }

/** Judges a body as it was received; undefined stands for a body that is not UTF-8. */
export function verifyBody(text: string | undefined, secrets: readonly NamedSecret[]): Verdict {
  const body = text === undefined ? NOT_TEXT : readBody(text)
  if (!body.form) return rejection({ ...body, proven: false })
  const verdict = verifyForm(body.form, secrets)
  if (body.causes.length === 0) return verdict
  // The signature may be right, but no receiver would find it in this body.
  if (verdict.valid) return rejection({ ...body, proven: true })
  return rejection({ causes: [...body.causes, ...verdict.causes], proven: verdict.proven })
}

/** Judges the two fields of a form, decoded once. */
export function verifyForm(form: WebhookForm, secrets: readonly NamedSecret[]): Verdict {
  const used = secrets.find(({ value }) => matches(form, value))
  if (!used) return rejection(diagnose(form, secrets))
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

const rejection = ({ causes, proven }: Diagnosis): Verdict => {
  return { valid: false, causes, proven, explanation: causes.map((cause) => CAUSES[cause]).join(' ') }
}
