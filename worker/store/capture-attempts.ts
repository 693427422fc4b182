import { sha256 } from '../lib/crypto.ts'
import type { KvStore, Row } from './kv.ts'

/** How a capture that was about to be made ended. */
export type AttemptState =
  /** Executed; the answer is kept. */
  | 'done'
  /** Not executed; the refusal is kept. */
  | 'refused'
  /** It may have been executed. */
  | 'unknown'
  /** Nothing was sent: another capture was under way, or the service was not reached. The same key may try again. */
  | 'not_sent'

/** A capture that was about to be made. */
export interface CaptureAttempt {
  /** Its key in KV. No two attempts share one: with one write a second to a key, and no compare-and-set, they would hide each other. */
  key: string
  /** Hash of the Idempotency-Key. */
  keyHash: string
  started_at: number
  /** Hash of the request, to refuse another one under the same Idempotency-Key. */
  request: string
  /** Absent: the call is being made, or died on the way. */
  outcome: AttemptState | undefined
  /** The capture that it became, when that is known. */
  operation_id?: string
}

/** What is kept of the moment before the call. */
export interface AttemptDetails {
  /** `charge_amount`, when it was given. */
  charge_amount: number | null
  /** The ids of the captures that were known then: another one afterwards is this one. */
  known: string[]
}

/** The answer to the caller, to be given again. */
export interface RecordedResponse {
  status: number
  body: unknown
}

const OUTCOME = '/outcome'

/**
 * Writes down that a capture is about to be made.
 *
 * Key `intent/<order key>/<hash of the Idempotency-Key>/<random>`; metadata: time and hash of the request; kept for good.
 */
export async function putAttempt(
  state: KvStore,
  orderKey: string,
  idempotencyKey: string,
  fields: { started_at: number; request: string },
  details: AttemptDetails,
): Promise<CaptureAttempt> {
  const keyHash = await sha256(idempotencyKey)
  const key = `intent/${orderKey}/${keyHash}/${crypto.randomUUID()}`
  await state.put(key, details, fields)
  return { key, keyHash, ...fields, outcome: undefined }
}

/** Writes down how it ended: key `<attempt>/outcome`; metadata: the state and the capture's id; value: the answer. */
export function putOutcome(
  state: KvStore,
  attempt: CaptureAttempt,
  outcome: AttemptState,
  answer?: RecordedResponse,
  operation_id?: string,
): Promise<void> {
  // An unknown outcome that is settled later is written elsewhere, so that it is not a second write within a second.
  const settled = attempt.outcome === 'unknown' ? '/settled' : ''
  return state.put(attempt.key + OUTCOME + settled, answer ?? null, {
    outcome,
    ...(operation_id !== undefined && { operation_id }),
  })
}

/** Every capture of an order that was ever about to be made: one list. */
export async function listAttempts(state: KvStore, orderKey: string): Promise<CaptureAttempt[]> {
  const rows = await state.list(`intent/${orderKey}/`)
  const attempts = new Map<string, CaptureAttempt>()
  for (const row of rows) {
    const [key = ''] = row.key.split(OUTCOME)
    const attempt = attempts.get(key)
    // In byte order: the attempt itself, its outcome, and what settled it.
    if (row.key === key) attempts.set(key, attemptFrom(row))
    else if (attempt)
      Object.assign(attempt, { outcome: 'unknown', ...(row.metadata as Partial<CaptureAttempt> | null) })
  }
  return [...attempts.values()]
}

function attemptFrom({ key, metadata }: Row): CaptureAttempt {
  const { started_at = 0, request = '' } = (metadata ?? {}) as Partial<CaptureAttempt>
  return { key, keyHash: key.split('/')[2] ?? '', started_at, request, outcome: undefined }
}

export const isOpen = ({ outcome }: CaptureAttempt): boolean => outcome === undefined || outcome === 'unknown'

export async function getAttemptDetails(state: KvStore, attempt: CaptureAttempt): Promise<AttemptDetails> {
  return ((await state.get(attempt.key)) as AttemptDetails | undefined) ?? { charge_amount: null, known: [] }
}

/** The answer that was recorded. */
export async function getResponse(state: KvStore, attempt: CaptureAttempt): Promise<RecordedResponse | undefined> {
  const [settled, first] = await Promise.all([
    state.get(`${attempt.key}${OUTCOME}/settled`),
    state.get(attempt.key + OUTCOME),
  ])
  return (settled ?? first ?? undefined) as RecordedResponse | undefined
}
