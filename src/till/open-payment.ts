import { isApiError, isInvalidInputError } from '../errors.ts'
import type { CreatePaymentInput } from '../operations/create-payment.ts'
import { attemptId } from '../orders/attempt-id.ts'
import { holdsMoney } from '../orders/fold.ts'
import { type Buyer, buyerOf } from '../orders/listed-order.ts'
import { expectedPayment } from '../orders/order.ts'
import { recordOf } from '../schemas/read.ts'
import { eventFrom, outcomeOf, wasUsed } from './calls.ts'
import { again, LOST } from './drive.ts'
import { storeEvent, type TillOptions, type TillScope } from './events.ts'
import { type Failed, failed, invalid, lookUp, type Moved, notSent, rejectionOf, timeToSend } from './move-money.ts'
import {
  type AttemptFacts,
  type CheckoutAnswer,
  type CheckoutCommand,
  type CheckoutMessage,
  type CheckoutState,
  stepCheckout,
  type Visit,
} from './protocol-checkout.ts'
import { pause } from './queue.ts'
import {
  append,
  ONE,
  type Payment,
  type PaymentLink,
  type Reading,
  readNamed,
  readOrder,
  run,
  runAll,
  update,
} from './store.ts'

/** The outcome of `createPayment`. */
export type Opened =
  /** The customer pays at `url`. Null for a direct payment that needs no customer: `record` has its details. */
  | { outcome: 'done'; url: string | null; record?: object }
  /** A direct payment that the bank declined. */
  | { outcome: 'declined'; record: object }
  /**
   * The order_id is used up: paid, declined or cancelled, or its address was lost; `closed` if you cancelled the order
   * before. With `attempts: true`, a decline is followed by another attempt.
   */
  | { outcome: 'ended'; status: string }
  | Failed

/**
 * `attempts`: after a decline, or if its address was lost, the order gets another attempt, `mugs~2` at the service.
 * `longOrderId`: allows an id of 33 to 256 characters, which the service never captures or refunds.
 */
export type OpenOptions = Partial<Readonly<Record<'attempts' | 'longOrderId', boolean | undefined>>> & {
  /** Your own name of the sale, for lists. */
  reference?: string | undefined
}

/** A call is sent within 30 seconds and ends within 30 more: after that its process has died, or got no response. */
const OPENING_MS = 60_000
/** A payment without a webhook is looked for after this long. */
const LOOK_MS = 15 * 60_000
/** The service captures and refunds ids of at most 32 characters. */
const ID_LENGTH = 32
/** Another attempt adds up to `~99`. */
const SUFFIX_LENGTH = 3
const LONG = 'For a purchase that never needs that, pass longOrderId: true.'
const RESERVED = 'An order_id must not end in "~" and a number: that names another attempt at paying.'
/**
 * The status code of a payment that was cancelled, rather than declined (the API document, "States and transitions").
 */
const CANCELLED = '6007'

/** The opening of a link, which redirects its customer to one payment as long as it can be paid. */
export interface LinkVisit {
  terms: Omit<Visit, 'expires_at'>
  buyer: Buyer
  page: PaymentLink['page']
  expires_at: number
  isRevoked(): Promise<boolean>
  /** The request that creates an attempt. */
  inputOf(order_id: string): Promise<CreatePaymentInput>
}

/** The result of the calls of a run. */
interface Calls {
  /** The error of the last call that failed. `isRejected`: the same fields would be rejected again. */
  error?: unknown
  isRejected?: boolean | undefined
  failed?: Failed | undefined
  /** The service's response to a cancellation. */
  cancelled?: object | undefined
}
/** The end of a run. */
export interface RunEnd extends Calls {
  answer: CheckoutAnswer
}

/** The state of a run: it plays a message, and every message that follows from it. */
interface Run extends Calls {
  scope: TillScope
  visit?: LinkVisit
  isRevoked?: boolean
  base_id: string
  /** The last reading, and the place of the next row. */
  reading?: Reading
  place?: Pick<Reading, 'base_id' | 'attempt' | 'next'>
  /** The payment that customers were redirected to last, when the run began. */
  seen?: string
  /** An opening's request, and the payment as its row will have it. */
  input?: CreatePaymentInput
  requested?: Payment & { terms: Omit<Visit, 'expires_at'> }
  mayGoOn?: boolean
  /** The call that creates a payment may have been made. */
  isSent?: boolean
  opened?: Opened
  /** The status that the service has shown last. */
  status?: unknown
}

/** Creates an order's payment, or finds the existing one. The service takes an order_id once. */
export async function openPayment(
  scope: TillOptions,
  input: CreatePaymentInput,
  options: OpenOptions,
): Promise<Opened> {
  const wrong = await rejectionOf(scope.client, 'createPayment', input)
  if (wrong) return wrong
  const { order_id, mode, method, server_url } = input
  const { attempts = false, longOrderId, reference } = options
  if (/~\d+$/.test(order_id)) return invalid(RESERVED)
  const longest = ID_LENGTH - (attempts ? SUFFIX_LENGTH : 0)
  if ([...order_id].length > longest && !(longOrderId && method !== 'auth'))
    return invalid(`An order_id of more than ${longest} characters can never be captured or refunded. ${LONG}`)
  const requested = {
    terms: { mode, ...expectedPayment(input), method },
    buyer: buyerOf({ ...input }, reference),
    server_url,
  }
  const opening: Run = { scope, base_id: order_id, input, requested, mayGoOn: attempts }
  return again(async () => openedOf(opening, await play(opening, { type: 'open' }))).catch((error) =>
    failed(opening.isSent ? order_id : '', opening.isSent ? 'unknown' : 'not_sent', error),
  )
}

/** The attempt with the newest payment of an order. */
const lastOf = ({ attempts }: Reading): Reading | undefined => attempts.filter(({ payment }) => payment).at(-1)

/** Whether another process is creating the newest payment of an order at this moment. */
function isOpening(reading: Reading): boolean {
  const { payment, order } = lastOf(reading) ?? {}
  const isOpen = payment && order?.status == null && !payment.url && !payment.lost
  return isOpen === true && reading.now - Number(payment.written_at) < OPENING_MS
}

/** A visit or a cancellation waits ten seconds for another process that is creating the payment. */
const LOOKS = 40
/** Finds or creates the payment of a link. */
export async function openLink(scope: TillScope, base_id: string, visit: LinkVisit): Promise<RunEnd> {
  const requested = { terms: visit.terms, buyer: visit.buyer, link: { page: visit.page, expires_at: visit.expires_at } }
  const opening: Run = { scope, base_id, visit, requested, mayGoOn: true }
  for (let look = 1; ; look++) {
    const answer = await again(() => play(opening, { type: 'open' }))
    const isWaiting = 'outcome' in answer && answer.outcome === 'not_sent' && answer.reason === 'in_progress'
    if (isWaiting && look <= LOOKS) await pause(scope, 250)
    else return endOf(opening, isWaiting ? { kind: 'wait' } : answer)
  }
}

/** A run that ended with an outcome, and not with an answer of the protocol, has failed. */
const endOf = ({ error, isRejected, cancelled, failed }: Run, answer: CheckoutAnswer | Opened): RunEnd =>
  'outcome' in answer
    ? { answer: { kind: 'failed' }, error, isRejected, cancelled, failed: answer as Failed }
    : { answer, error, isRejected, cancelled, failed }

/**
 * Cancels an order's open payment, and closes the order: no other payment is made.
 * @param named The order, or an attempt.
 */
export async function cancelOrder(scope: TillScope, named: string, tries = 3): Promise<RunEnd & { order_id: string }> {
  const [{ base_id }] = await readNamed(scope, named)
  for (let look = 1; look <= LOOKS && isOpening(await readOrder(scope, base_id)); look++) await pause(scope, 250)
  const cancelling: Run = { scope, base_id }
  const end = endOf(cancelling, await again(() => play(cancelling, { type: 'cancel' })))
  const { answer } = end
  if (answer.kind !== 'cancelled' && answer.kind !== 'link_closed') return { ...end, order_id: base_id }
  const last = (await readOrder(scope, base_id)).attempts.filter(({ payment }) => payment?.url).at(-1)
  const isCancelled = answer.kind === 'cancelled' && last?.attempt === answer.attempt
  // Another process opened the payment between the cancellation and the closing. Cancel again: the order is closed now.
  if (tries > 1 && last?.order.status === null && !isCancelled) return cancelOrder(scope, base_id, tries - 1)
  return { ...end, order_id: attemptId(base_id, answer.attempt) }
}

/** The outcome of {@link cancelOrder}. */
export async function cancelPayment(scope: TillScope, named: string): Promise<Moved> {
  const { answer, failed, cancelled, order_id } = await cancelOrder(scope, named)
  // The record's status is `failure`, as a cancelled payment has it: the cancellation itself has succeeded.
  if (answer.kind === 'cancelled') return { outcome: 'done', record: cancelled as object }
  return answer.kind === 'link_closed' ? { outcome: 'done', record: { order_id, link: 'closed' } } : (failed as Failed)
}

/**
 * Plays a message, and every message that follows from it: `protocol-checkout.ts` decides, this executes its commands.
 */
async function play(opening: Run, first: CheckoutMessage): Promise<CheckoutAnswer | Opened> {
  delete opening.seen
  for (let message: CheckoutMessage | undefined = first; message; ) {
    const state = await readState(opening)
    const stop: Opened | undefined = message.type === 'open' ? beforeOpening(opening) : undefined
    if (stop) return stop
    const expires_at = opening.visit?.expires_at ?? Number.POSITIVE_INFINITY
    const visit = opening.requested && { ...opening.requested.terms, expires_at }
    const commands: CheckoutCommand[] = stepCheckout(state, message, opening.reading?.now ?? 0, visit)
    message = undefined
    for (const command of commands) {
      if (command.type === 'answer') return command.answer
      if (command.type === 'announce' && !opening.mayGoOn) return endedOf(opening, command.attempt - 1)
      const followed: CheckoutMessage | Failed | undefined = await carryOut(opening, command)
      if (followed && 'outcome' in followed) return followed
      message = followed ?? message
    }
  }
  throw new Error('The protocol gave no answer.')
}

/** @throws LOST if customers were redirected to another payment since the run began: the run then starts over. */
async function readState(opening: Run): Promise<CheckoutState> {
  const { scope, base_id } = opening
  opening.isRevoked ??= (await opening.visit?.isRevoked()) === true
  const reading = await readOrder(scope, base_id)
  const { attempts, announced, isClosed } = reading
  Object.assign(opening, { reading, place: { ...reading } })
  const last = lastOf(reading)
  const payment = last?.payment
  const seen = seenOf(payment)
  opening.seen ??= seen
  // Only an opening is bound to the payment that it saw first: a cancellation takes any open payment.
  if (opening.requested && seen !== opening.seen) throw LOST
  return {
    isRevoked: opening.isRevoked,
    isClosed,
    attempts: Array.from({ length: announced }, (_, i) => factsOf(attempts.find(({ attempt }) => attempt === i + 1))),
    checkout: last &&
      payment && {
        ...(payment.terms as Visit),
        ...{ attempts: last.attempt, opened_at: Number(payment.written_at), expires_at: Number.POSITIVE_INFINITY },
        ...payment.link,
        ...(payment.url && { url: payment.url }),
      },
  }
}

const seenOf = (payment: { number: number; url?: string | null } | undefined): string =>
  JSON.stringify([payment?.number, payment?.url])

/** A pending payment counts as open: its customer may still be with the bank. */
function factsOf(reading: Reading | undefined): AttemptFacts {
  if (!reading) return {}
  const { status, totals, operations } = reading.order
  const isOpen = reading.payment?.url && status === 'pending'
  const cancelled = operations.some(({ status_code }) => status_code === CANCELLED)
  return { status: isOpen ? null : status, cancelled, holdsMoney: holdsMoney(totals) }
}

/**
 * The outcome that needs no protocol: the payment is being opened, was opened with other terms, or has failed and may
 * not be followed by another attempt.
 */
function beforeOpening({ base_id, reading, requested, mayGoOn, visit }: Run): Opened | undefined {
  const { payment, order } = lastOf(reading as Reading) ?? {}
  if (payment && !visit && JSON.stringify(payment.terms) !== JSON.stringify(requested?.terms))
    return notSent('key_reused', `${base_id} was used for another payment.`)
  if (isOpening(reading as Reading)) return notSent('in_progress', 'It is being opened.')
  return payment && order?.status === 'failure' && !mayGoOn ? { outcome: 'ended', status: 'failure' } : undefined
}

function openedOf(opening: Run, answer: CheckoutAnswer | Opened): Opened {
  if ('outcome' in answer) return answer
  if (answer.kind === 'redirect') return opening.opened ?? { outcome: 'done', url: answer.url }
  if (answer.kind === 'result') return endedOf(opening, answer.attempt)
  if (answer.kind === 'closed') return { outcome: 'ended', status: 'closed' }
  return opening.failed ?? notSent('in_progress', 'It is being paid or cancelled at this moment.')
}

/** If the service has taken an order_id and shows no payment, the outcome is unknown. */
function endedOf({ reading, status, failed }: Run, number: number): Opened {
  const shown = reading?.attempts.find(({ attempt }) => attempt === number)?.order.status ?? status
  return shown === undefined && failed ? failed : { outcome: 'ended', status: String(shown) }
}

/** @returns The message that follows from a command, or an outcome that ends the run. */
async function carryOut(
  opening: Run,
  command: Exclude<CheckoutCommand, { type: 'answer' }>,
): Promise<CheckoutMessage | Failed | undefined> {
  const { scope, base_id } = opening
  const { now } = opening.reading as Reading
  switch (command.type) {
    case 'look_up': {
      const order_id = attemptId(base_id, command.attempt)
      const [shown] = (await lookUp(scope, await readOrder(scope, order_id))).operations
      // The rows show which of several operations counts.
      opening.status = shown && ((await readOrder(scope, order_id)).order.status ?? recordOf(shown).status ?? null)
      return { ...command, type: 'looked_up', status: opening.status }
    }
    case 'create':
      return create(opening, command)
    case 'cancel':
      return cancel(opening, command)
    case 'announce':
      if (command.attempt <= (opening.reading as Reading).announced) return undefined
      Object.assign(opening.place as Reading, { attempt: command.attempt })
      return void (await append(scope, opening.place as Reading, { kind: 'payment', id: 'announced', body: {} }))
    case 'close':
      return void (await closeOrder(scope, base_id).catch((error) => !command.mayFail && Promise.reject(error)))
    case 'remember':
      return command.expires_at === undefined ? undefined : noteLink(opening, { opened_at: now, ...command })
    case 'expire':
      return noteLink(opening, { expired: true })
  }
}

/** Records that an order takes no more payments. */
export const closeOrder = (scope: TillScope, base_id: string): Promise<void> =>
  again(async () => {
    const first = await readOrder(scope, base_id)
    if (!first.isClosed) await append(scope, { ...first, attempt: 1 }, { kind: 'close', id: '', body: {} })
  })

/**
 * Notes one fact about a link's payment: when its customer was redirected, until when another link leads to it, or that
 * it was cancelled because no link leads to it.
 */
async function noteLink(
  { scope, base_id, reading }: Run,
  { opened_at, expires_at, expired }: Partial<PaymentLink>,
): Promise<undefined> {
  const { payment } = lastOf(reading as Reading) ?? {}
  if (!payment?.link) return
  const known = JSON.parse(JSON.stringify({ opened_at, expires_at, expired }))
  const body = JSON.stringify({ ...JSON.parse(payment.body), link: { ...payment.link, ...known } })
  const sql = update(`body = ?, next_at = ${scope.database.clock} + ${LOOK_MS}`, `${ONE} AND body = ?`)
  await run(scope, sql, body, base_id, payment.number, payment.body)
}

async function cancel(
  opening: Run,
  command: Extract<CheckoutCommand, { type: 'cancel' }>,
): Promise<CheckoutMessage | Failed> {
  const { scope, base_id } = opening
  const order_id = attemptId(base_id, command.attempt)
  try {
    opening.cancelled = await cancelAttempt(scope, order_id)
    return { ...command, type: 'cancelled' }
  } catch (error) {
    opening.error = error
    opening.failed = failed(order_id, outcomeOf(error), error)
    return isApiError(error) ? { ...command, type: 'cancelled', rejectedWith: error.status } : opening.failed
  }
}

/**
 * Cancels a payment, and stores its new status if the service can be asked: its webhook, or the next look, reports it
 * too.
 */
export async function cancelAttempt(scope: TillOptions, order_id: string): Promise<object> {
  const record = await scope.client.cancelPayment({ order_id })
  await readOrder(scope, order_id)
    .then((reading) => lookUp(scope, reading))
    .catch(() => {})
  return record
}

async function create(
  opening: Run,
  { attempt, isNew }: Extract<CheckoutCommand, { type: 'create' }>,
): Promise<CheckoutMessage> {
  const { scope, base_id, place, visit } = opening as Required<Run>
  const { attempts, read_at } = opening.reading as Reading
  const order_id = attemptId(base_id, attempt)
  const input = visit ? await visit.inputOf(order_id) : { ...(opening.input as CreatePaymentInput), order_id }
  const requested = { ...(opening.requested as Payment), server_url: input.server_url }
  const body = JSON.stringify(requested)
  const before = attempts.find((one) => one.attempt === attempt)?.payment
  // If several processes find the payment abandoned, only one takes it over.
  if (before) await abandon(scope, base_id, before.number, before.body)
  const row = { kind: 'payment', id: '', body: requested, dueInMs: LOOK_MS } as const
  const [{ number }] = await append(scope, Object.assign(place, { attempt }), row)
  // Check again behind this row: a revocation is recorded first and reads the rows afterwards, so one finds the other.
  if (visit && (await visit.isRevoked())) {
    opening.isRevoked = true
    await abandon(scope, base_id, number, body)
    throw LOST
  }
  Object.assign(opening, { isSent: true, seen: seenOf({ number }) })
  let response: { url?: string; user_action_url?: string | null | undefined }
  try {
    // After the deadline another process may take the payment over.
    response = await scope.client.createPayment(input, { deadlineMs: timeToSend(read_at) })
  } catch (error) {
    opening.error = error
    opening.isRejected = isRejected(error)
    const outcome = outcomeOf(error)
    // `used`: by another program, or by a process that was paused.
    const isUnusable = visit && opening.isRejected
    const how = wasUsed(error) ? 'used' : outcome === 'unknown' ? outcome : isUnusable ? 'unusable' : 'failed'
    if (!visit) opening.failed = failed(input.order_id, how === 'used' ? 'unknown' : outcome, error)
    if (how === 'failed' || how === 'unusable') {
      await abandon(scope, base_id, number, body)
      delete opening.seen
    } else if (visit) {
      // The call has ended: no visitor has to wait for it any more.
      const sql = update('body = ?', `${ONE} AND body = ?`)
      await run(scope, sql, JSON.stringify({ ...requested, lost: true }), base_id, number, body)
    }
    return { type: 'not_created', attempt, isNew, how }
  }
  const url = response.url ?? response.user_action_url ?? null
  // The service takes an order_id once: this is its payment, even if another process has taken it over.
  const paymentNumber = `coalesce((SELECT number FROM edgetill_log WHERE order_id = ? AND attempt = ? AND kind = 'payment' AND id = ''), ?)`
  const set = `body = ?, id = '', next_at = ${scope.database.clock} + ${LOOK_MS}`
  const sql = update(set, `order_id = ? AND number = ${paymentNumber}`)
  const values = [JSON.stringify({ ...requested, url }), base_id, base_id, attempt, number]
  await runAll(scope, [[sql, values], ...(scope.opened?.(base_id) ?? [])])
  delete opening.seen
  opening.opened = { outcome: 'done', url }
  if (!response.url) {
    await storeEvent(scope, eventFrom(input.method, { ...response, order_id: input.order_id }))
    const isDeclined = (response as { status?: string }).status === 'failure'
    opening.opened = isDeclined ? { outcome: 'declined', record: response } : { outcome: 'done', url, record: response }
  }
  return { type: 'created', attempt, url: url ?? input.result_url ?? '' }
}

/** The statuses of a wrong request, or of wrong credentials. */
const WRONG: readonly number[] = [400, 401, 403, 422]

/** Whether the same fields would be rejected again. */
const isRejected = (error: unknown): boolean =>
  isInvalidInputError(error) || (isApiError(error) && WRONG.includes(error.status) && !wasUsed(error))

/**
 * Frees an order_id for another try, also with other terms.
 * @throws LOST if another process has written the row since.
 */
async function abandon(scope: TillOptions, base_id: string, number: number, body: string): Promise<void> {
  const set = `id = CAST(number AS text), next_at = NULL, unlisted = ${scope.database.clock} + 1`
  const sql = update(set, `${ONE} AND id = '' AND body = ? RETURNING id`)
  const rows = await run(scope, sql, base_id, number, body)
  if (rows.length === 0) throw LOST
}
