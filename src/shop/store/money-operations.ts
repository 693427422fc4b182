import type { Row } from './kv.ts'
import type { OrderStore } from './order-store.ts'

/** A call that moves money of an order that was paid or authorized before. */
export type OperationKind = 'capture' | 'refund' | 'void'

/** How an operation ended. */
export type OperationState =
  /** Executed; the response is kept. */
  | 'done'
  /** Not executed; the rejection is kept. */
  | 'rejected'
  /** It may have been executed. */
  | 'unknown'
  /** Nothing was sent: the service could not be reached, or asked to wait. The same key may try again. */
  | 'not_sent'

/** A capture, refund or void that was about to be made. The API calls it an attempt. */
export interface MoneyOperation {
  /** Random; `attempt_id` in the API. */
  id: string
  /** Its key in the store. */
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
  outcome?: OperationState
  /** The service's id of the operation that it became, when that is known. */
  operation_id?: string
}

/** What is kept of the moment before the call. */
export interface OperationDetails {
  /** What the amount has to be, in minor units. */
  expected: number
  /** The ids of the operations that the order had then: a new id afterwards is this operation. */
  known: string[]
}

/** The response to the caller, to be given again. */
export interface RecordedResponse {
  status: number
  body: unknown
}

/** The value of an operation's row. Its metadata is the operation without `id`, `key` and `keyHash`. */
interface Kept {
  details: OperationDetails
  response?: RecordedResponse
}

/**
 * Records that an operation is about to be made.
 *
 * Key `intent/<order key>/<hash of the Idempotency-Key>/<random>`.
 */
export async function putOperation(
  store: OrderStore,
  orderKey: string,
  fields: Omit<MoneyOperation, 'key'>,
  details: OperationDetails,
): Promise<MoneyOperation> {
  const operation = { ...fields, key: `intent/${orderKey}/${fields.keyHash}/${fields.id}` }
  await put(store, operation, { details })
  return operation
}

/** Records how it ended. */
export async function putOutcome(
  store: OrderStore,
  operation: MoneyOperation,
  outcome: OperationState,
  response: RecordedResponse,
  operation_id?: string,
): Promise<void> {
  const kept = (await store.get(operation.key)) as Kept
  const ended = { ...operation, outcome, ...(operation_id !== undefined && { operation_id }) }
  await put(store, ended, { ...kept, response })
}

function put(store: OrderStore, { id: _, key, keyHash, ...metadata }: MoneyOperation, kept: Kept): Promise<void> {
  return store.put(key, kept, metadata)
}

/** Every operation of an order that was made here, the oldest first: one list. */
export async function listOperations(store: OrderStore, orderKey: string): Promise<MoneyOperation[]> {
  const rows = await store.list(`intent/${orderKey}/`)
  return rows.map(operationFrom).sort((a, b) => a.started_at - b.started_at)
}

function operationFrom({ key, metadata }: Row): MoneyOperation {
  const [, , keyHash = '', id = ''] = key.split('/')
  return { ...(metadata as Omit<MoneyOperation, 'id' | 'key' | 'keyHash'>), id, key, keyHash }
}

export const isOpen = ({ outcome }: MoneyOperation): boolean => outcome === undefined || outcome === 'unknown'

export async function getOperationDetails(store: OrderStore, { key }: MoneyOperation): Promise<OperationDetails> {
  return ((await store.get(key)) as Kept).details
}

/** The response to an operation that has ended. */
export async function getResponse(store: OrderStore, { key }: MoneyOperation): Promise<RecordedResponse> {
  return ((await store.get(key)) as Required<Kept>).response
}

/** Replaces the recorded responses of an order by what the books need; see `erasePersonalData`. */
export async function eraseResponses(store: OrderStore, orderKey: string): Promise<void> {
  for (const operation of await listOperations(store, orderKey)) {
    const kept = (await store.get(operation.key)) as Kept
    if (!kept.response?.body) continue
    const body = pick(kept.response.body)
    await put(store, operation, { ...kept, response: { status: kept.response.status, body } })
  }
}

const KEPT = /^(operation_id|order_id|method|status|status_code|amount|currency|created_at|code|title)$/

const pick = (body: object) => Object.fromEntries(Object.entries(body).filter(([name]) => KEPT.test(name)))
