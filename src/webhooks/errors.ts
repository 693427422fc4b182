import { type WebhookRefusal, WebhookVerificationError } from '../errors.ts'
import { SIGNATURE_LENGTH } from './signature.ts'

// Plain numbers: a bundler keeps an object with a computed key even where nothing uses it.
const HINT: Record<number, string> = {
  27: ': its padding "=" is probably lost',
  40: ': it is probably hexadecimal',
}

/**
 * Finds out why a signature did not match. Runs after a mismatch only, so that a genuine webhook pays nothing for it.
 * It judges what was received and never says anything about the expected signature.
 */
export function refusalOf(data: string, signature: string): WebhookVerificationError {
  if ((data + signature).includes(' ')) {
    return refuse(
      'plus_became_space',
      'a field holds a space, which was a "+" before form decoding: it is standard Base64, sent unescaped',
    )
  }
  if (/[+/]/.test(signature)) {
    return refuse('signature_alphabet', 'the signature is standard Base64: Base64Url has "-" and "_" for "+" and "/"')
  }
  const { length } = signature
  if (length !== SIGNATURE_LENGTH) {
    const hint = HINT[length] ?? ''
    return refuse('signature_length', `the signature has ${length} characters instead of ${SIGNATURE_LENGTH}${hint}`)
  }
  if (!/^[\w-]+=$/.test(signature)) {
    return refuse('signature_alphabet', 'the signature holds a character that is not Base64Url')
  }
  return refuse(
    'signature_mismatch',
    'the signature belongs to other data or to another secret: check that the API secret is of the same project, test or live',
  )
}

/** A webhook that is not genuine, or is no webhook at all. */
export function refuse(reason: WebhookRefusal, what: string): WebhookVerificationError {
  return new WebhookVerificationError(reason, `The webhook was refused: ${what}.`)
}

export function missing(name: string): WebhookVerificationError {
  return refuse('missing_field', `its form has no "${name}"`)
}
