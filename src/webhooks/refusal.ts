import { WebhookVerificationError } from '../errors.ts'
import { SIGNATURE_LENGTH } from './signature.ts'

/**
 * Finds out why a signature did not match. Runs after a mismatch only, so that a genuine webhook pays nothing for it.
 * It judges what was received and never says anything about the expected signature.
 */
export function refusalOf(data: string, signature: string): WebhookVerificationError {
  const spaced = [data, signature].some((text) => text.includes(' '))
  if (spaced) {
    return refuse(
      'plus_became_space',
      'a field holds a space, which was a "+" before form decoding: the sender used standard Base64 and did not escape it',
    )
  }
  if (/[+/]/.test(signature)) {
    return refuse(
      'signature_alphabet',
      'the signature is standard Base64 ("+", "/"): Base64Url has "-" and "_" instead',
    )
  }
  if (signature.length !== SIGNATURE_LENGTH) {
    const hint =
      signature.length === SIGNATURE_LENGTH - 1
        ? ': its padding "=" is probably lost'
        : signature.length === 40
          ? ': it is probably hexadecimal'
          : ''
    return refuse(
      'signature_length',
      `the signature has ${signature.length} characters instead of ${SIGNATURE_LENGTH}${hint}`,
    )
  }
  if (!/^[\w-]{27}=$/.test(signature)) {
    return refuse('signature_alphabet', 'the signature holds a character that is not Base64Url')
  }
  return refuse(
    'signature_mismatch',
    'the signature belongs to other data or to another secret: check that the API secret is that of the same project, test or live',
  )
}

function refuse(reason: WebhookVerificationError['reason'], what: string): WebhookVerificationError {
  return new WebhookVerificationError(reason, `The webhook was refused: ${what}.`)
}
