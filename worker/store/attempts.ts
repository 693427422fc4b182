import type { KvStore, Row } from './kv.ts'

/** A call that moves money of an order that was paid or authorized before. */
export type OperationKind = 'capture' | 'refund' | 'void'

/** How an attempt ended. */
export type AttemptState =
  /** Executed; the response is kept. */
  | 'done'
  /** Not executed; the rejection is kept. */
  | 'rejected'
  /** It may have been executed. */
  | 'unknown'
  /** Nothing was sent: another attempt was in progress, or the service could not be reached. The same key may try again. */
  | 'not_sent'

/** A capture, refund or void that was about to be made. */
export interface Attempt {
  /** Random; the name of the attempt in the API. */
  id: string
  /** Its key in the store. No two attempts share one: with one write a second to a key, they would hide each other. */
  key: string
  kind: OperationKind
  /** The amount that was asked for; null: all that was left. */
  amount: number | null
  /** Hash of the Idempotency-Key. */
  keyHash: string
  started_at: number
  /** Hash of the request, to reject another one under the same Idempotency-Key. */
  request: string
  /** Absent: the call is in progress, or its worker died. */
  outcome: AttemptState | undefined
  /** The operation that it became, when that is known. */
  operation_id?: string
}

/** What is kept of the moment before the call. */
export interface AttemptDetails {
  /** What the amount has to be, in minor units. */
  expected: number
  /** The ids of the operations that the order had then: another one afterwards is this one. */
  known: string[]
}

/** The response to the caller, to be given again. */
export interface RecordedResponse {
  status: number
  body: unknown
}

const OUTCOME = '/outcome'
const SETTLED = `${OUTCOME}/settled`
/** How an attempt ended, the response to it, and the operation's id. */
type Ended = [outcome: AttemptState, response?: RecordedResponse, operation_id?: string]
/** What an attempt's metadata holds. */
type Written = 'kind' | 'amount' | 'started_at' | 'request'

/**
 * Records that an operation is about to be made.
 *
 * Key `intent/<order key>/<hash of the Idempotency-Key>/<random>`; metadata: kind, amount, time and hash of the request.
 */
export async function putAttempt(
  store: KvStore,
  orderKey: string,
  keyHash: string,
  { id, ...fields }: Pick<Attempt, 'id' | Written>,
  details: AttemptDetails,
): Promise<Attempt> {
  const key = `intent/${orderKey}/${keyHash}/${id}`
  await store.put(key, details, fields)
  return { id, key, keyHash, ...fields, outcome: undefined }
}

/**
 * Records how it ended for its caller: key `<attempt>/outcome`; metadata: the state and the operation's id; value: the
 * response.
 */
export function putOutcome(store: KvStore, attempt: Attempt, ...ended: Ended): Promise<void> {
  return putEnd(store, attempt.key + OUTCOME, ...ended)
}

/**
 * Records what it turned out to be: key `<attempt>/outcome/settled`, the same. It counts from then on: over KV alone its
 * caller may write later that it does not know, or that it gave way.
 */
export function putSettled(store: KvStore, attempt: Attempt, ...ended: Ended): Promise<void> {
  return putEnd(store, attempt.key + SETTLED, ...ended)
}

function putEnd(store: KvStore, key: string, ...[outcome, response, operation_id]: Ended): Promise<void> {
  return store.put(key, response ?? null, { outcome, ...(operation_id !== undefined && { operation_id }) })
}

/** Every attempt of an order: one list. */
export async function listAttempts(store: KvStore, orderKey: string): Promise<Attempt[]> {
  const rows = await store.list(`intent/${orderKey}/`)
  const attempts = new Map<string, Attempt>()
  for (const row of rows) {
    const [key = ''] = row.key.split(OUTCOME)
    const attempt = attempts.get(key)
    // In byte order: the attempt itself, its outcome, and what settled it.
    if (row.key === key) attempts.set(key, attemptFrom(row))
    else if (attempt) Object.assign(attempt, { outcome: 'unknown', ...(row.metadata as Partial<Attempt> | null) })
  }
  return [...attempts.values()]
}

function attemptFrom({ key, metadata }: Row): Attempt {
  const [, , keyHash = '', id = ''] = key.split('/')
  return { ...(metadata as Pick<Attempt, Written>), id, key, keyHash, outcome: undefined }
}

export const isOpen = ({ outcome }: Attempt): boolean => outcome === undefined || outcome === 'unknown'

/** Undefined when the store hides it at this moment: then nothing may be concluded. */
export async function getAttemptDetails(store: KvStore, attempt: Attempt): Promise<AttemptDetails | undefined> {
  return (await store.get(attempt.key)) as AttemptDetails | undefined
}

/** The response that was recorded. */
export async function getResponse(store: KvStore, attempt: Attempt): Promise<RecordedResponse | null | undefined> {
  const [settled, first] = await Promise.all([store.get(attempt.key + SETTLED), store.get(attempt.key + OUTCOME)])
  return (settled ?? first) as RecordedResponse | null | undefined
}

/** Replaces the recorded responses of an order by what the books need; see `erasePersonalData`. */
export async function eraseResponses(store: KvStore, orderKey: string): Promise<void> {
  const rows = await store.list(`intent/${orderKey}/`)
  for (const { key, metadata } of rows.filter((row) => row.key.includes(OUTCOME))) {
    const response = (await store.get(key)) as RecordedResponse | null | undefined
    if (!response?.body) continue
    const body = pick(response.body as Record<string, unknown>)
    await store.put(key, { status: response.status, body }, metadata as object)
  }
}

const KEPT = [
  'operation_id',
  'order_id',
  'method',
  'status',
  'status_code',
  'amount',
  'currency',
  'created_at',
  'code',
  'title',
]

const pick = (body: Record<string, unknown>) =>
  Object.fromEntries(KEPT.flatMap((name) => (name in body ? [[name, body[name]]] : [])))
