import { equalText } from '../../../lib/constant-time.ts'
import { sha1Base64url } from '../../../lib/sha1.ts'
import type { WebhookForm } from '../../../webhooks/form.ts'
import type { Cause } from './causes.ts'
import { holdsJson, REPAIRS } from './repairs.ts'

export type NamedSecret = { name: string; value: string }

export interface Diagnosis {
  /** The causes, in order; the last may be `wrong_secret`. */
  causes: Cause[]
  /** Whether the signature matches once everything is undone. */
  proven: boolean
}

/** `next` is the first repair that is not yet tried. */
type State = { form: WebhookForm; causes: Cause[]; next: number }

const DEPTH = 3

/**
 * Finds out why a form's signature does not match: undoes known damage to webhooks, singly and combined, the fewest
 * first, until it matches.
 */
export function diagnose(form: WebhookForm, secrets: readonly NamedSecret[]): Diagnosis {
  const spellings = secrets.flatMap(({ value }) => spellingsOf(value))
  let level: State[] = [{ form, causes: [], next: 0 }]
  for (let depth = 0; depth <= DEPTH; depth++) {
    for (const { form, causes } of level) {
      const found = spellings.find(({ secret }) => matches(form, secret))
      if (found) return { causes: [...causes, ...found.cause], proven: true }
    }
    if (depth < DEPTH) level = level.flatMap(repaired)
  }
  return { causes: suspicions(form), proven: false }
}

/** Whether the signature is that of the data under this secret, white space around it included. */
export const matches = ({ data, signature }: WebhookForm, secret: string): boolean =>
  equalText(sha1Base64url(secret + data + secret), signature)

function repaired({ form, causes, next }: State): State[] {
  return REPAIRS.flatMap(({ cause, undo }, index) => {
    // Rewriting JSON has many results: it is tried by itself and after one other repair.
    if (index < next || (cause === 'reencoded' && causes.length > 1)) return []
    return [...undo(form)].map((result) => ({ form: result, causes: [...causes, cause], next: index + 1 }))
  })
}

function spellingsOf(secret: string): { secret: string; cause: Cause[] }[] {
  const trimmed = secret.trim()
  const unquoted = /^(["'])(.+)\1$/s.exec(trimmed)?.[2]
  return [
    { secret, cause: [] },
    ...(trimmed === secret ? [] : [{ secret: trimmed, cause: ['secret_white_space' as const] }]),
    ...(unquoted === undefined ? [] : [{ secret: unquoted, cause: ['secret_quotes' as const] }]),
  ]
}

/** Guesses from the form itself, when nothing that is undone makes the signature match. */
function suspicions({ data, signature }: WebhookForm): Cause[] {
  if (holdsJson(signature) && !holdsJson(data)) return ['swapped_fields', 'wrong_secret']
  if ((data + signature).includes(' ')) return ['plus_became_space', 'wrong_secret']
  if (/[+/]/.test(signature)) return ['standard_base64', 'wrong_secret']
  if (signature.length === 27) return ['lost_padding', 'wrong_secret']
  if (signature.length !== 28) return ['signature_length']
  return [holdsJson(data) ? 'wrong_secret' : 'damaged_data']
}
