import { WEBHOOKS } from '../../emulator/spec/response-fields.ts'
import { KINDS } from '../../emulator/webhooks/next-webhook.ts'
import { binaryToBytes, decodeBase64urlBinary } from '../../lib/base64url.ts'
import { decodeUtf8 } from '../../lib/utf8.ts'
import { didYouMean } from '../../schemas/documented.ts'
import { type TestEventKind, testEvent } from '../../testing/index.ts'
import { UsageError } from '../terminal/errors.ts'
import { applySettings, type Setting } from '../terminal/set-values.ts'

export const EVENT_KINDS = KINDS as readonly TestEventKind[]

/**
 * The payload of a complete webhook of a kind, with the settings. Status, amount and currency change dependent fields,
 * too.
 */
export function triggeredEvent(kind: TestEventKind, settings: readonly Setting[]): Record<string, unknown> {
  for (const { path } of settings) requireField(kind, path)
  const { status, amount, currency } = applySettings({ status: '', currency: '' }, settings)
  const fitting = {
    ...(typeof status === 'string' && status !== '' && { status }),
    ...(typeof amount === 'number' && Number.isFinite(amount) && kind !== 'unexpected' && { amount }),
    ...(typeof currency === 'string' && currency !== '' && { currency }),
  }
  const json = decodeUtf8(binaryToBytes(decodeBase64urlBinary(testEvent(kind, fitting).data) ?? ''))
  return applySettings(JSON.parse(json ?? ''), settings)
}

const FEE = ['amount', 'currency']
const INNER: Readonly<Record<string, readonly string[]>> = {
  ...{ fee: FEE, fixed_fee: FEE, percent_fee: FEE },
  limit_info: ['retry_after', 'description'],
  recurring: ['id', 'status'],
}

/** The documented fields of a kind. `recurring` stands only in "Re-send a webhook". */
function fieldsOf(kind: Exclude<TestEventKind, 'unknown' | 'unexpected'>): readonly string[] {
  if (kind === 'capture' || kind === 'void' || kind === 'auth_increment' || kind === 'refund') {
    return [...WEBHOOKS.secondaryRequired, ...WEBHOOKS.secondaryOptional, ...WEBHOOKS[kind]]
  }
  return [...WEBHOOKS.primary.required, ...WEBHOOKS.primary.optional, 'recurring']
}

/** @throws {UsageError} for a field that the kind does not have, with the near name. An odd kind may have any. */
function requireField(kind: TestEventKind, [name = '', inner]: readonly string[]): void {
  if (kind === 'unknown' || kind === 'unexpected') return
  const check = (known: readonly string[], field: string, of: string): void => {
    if (known.includes(field)) return
    const meant = didYouMean(field, known)
    throw new UsageError(
      `--set ${field}: ${of} has no such field.${meant ? ` Did you mean ${meant}?` : ''} ` +
        `To send any field: edgetill trigger unknown --set method=${kind} --set ${field}=…`,
    )
  }
  check(fieldsOf(kind), name, `a ${kind} webhook`)
  const known = INNER[name]
  if (known && inner !== undefined) check(known, inner, name)
}
