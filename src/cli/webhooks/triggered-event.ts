import { binaryToBytes, decodeBase64urlBinary } from '../../lib/base64url.ts'
import { decodeUtf8 } from '../../lib/utf8.ts'
import { type TestEventKind, testEvent } from '../../testing/index.ts'
import { applySettings, type Setting } from '../terminal/set-values.ts'

/** Every kind that a webhook can have; a new one without a line here does not compile. */
const KINDS: Record<TestEventKind, true> = {
  purchase: true,
  auth: true,
  credit: true,
  p2p: true,
  lookup: true,
  capture: true,
  void: true,
  auth_increment: true,
  refund: true,
  unknown: true,
  unexpected: true,
}

export const EVENT_KINDS = Object.keys(KINDS) as TestEventKind[]

/** The payload of a complete webhook of a kind, with the settings. Status, amount and currency change what depends on them, too. */
export function triggeredEvent(kind: TestEventKind, settings: readonly Setting[]): Record<string, unknown> {
  const { status, amount, currency } = applySettings({ status: '', currency: '' }, settings)
  const fitting = {
    ...(typeof status === 'string' && status !== '' && { status }),
    ...(typeof amount === 'number' && Number.isFinite(amount) && kind !== 'unexpected' && { amount }),
    ...(typeof currency === 'string' && currency !== '' && { currency }),
  }
  return applySettings(payloadOf(testEvent(kind, fitting).data), settings)
}

function payloadOf(data: string): Record<string, unknown> {
  const text = decodeUtf8(binaryToBytes(decodeBase64urlBinary(data) ?? ''))
  return JSON.parse(text ?? '') as Record<string, unknown>
}
