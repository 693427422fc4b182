// The rules of an order's checkouts: which payment is created or cancelled, the page of a link, and the next attempt.
// Pure, like protocol.ts: a driver reads the state, and executes the commands.

export interface Terms {
  amount: number
  currency: string
  /** `purchase` or `auth`. */
  method: string
  recurring_amount?: number | undefined
}

/** An attempt at paying the order: 1 is its own order_id, 2 is `<order>~2`. */
export interface AttemptFacts {
  status?: string | null | undefined
  /** Cancelled, rather than declined. */
  cancelled?: boolean | undefined
  /** Money is held or paid. */
  holdsMoney?: boolean | undefined
}

export interface CheckoutState {
  isRevoked: boolean
  /** The shop has cancelled the order. */
  isClosed: boolean
  /** Every announced attempt, in order; at least one. An announced attempt may never have been created. */
  attempts: readonly AttemptFacts[]
  /** Where customers were redirected last. */
  checkout?: OpenCheckout | undefined
}

/** The checkout of an order. Times are milliseconds since 1970. */
export interface OpenCheckout extends Terms {
  /** The number of its attempt. */
  attempts: number
  /** Where the customer pays. Absent while it is not known whether the payment was created. */
  url?: string
  /** When the payment was created, or when a later redirect was noted: after a day, or by a link that ends later. */
  opened_at?: number
  /** When the last link that leads there expires: until then, no other link cancels the payment. */
  expires_at: number
  /** The payment was cancelled because its link had expired: a new link leads to another attempt. */
  expired?: true
}

/** An opened link. */
export interface Visit extends Terms {
  expires_at: number
}

type Question = 'find_out' | 'is_revoked' | 'is_closed'
type Reason = 'replaced' | 'expired' | 'revoked' | 'closed' | 'by_shop'

export type CheckoutMessage =
  | { type: 'open' }
  /** The shop cancels the order. */
  | { type: 'cancel' }
  /** The service's status of an attempt; undefined: it is not listed, null: without a status. */
  | { type: 'looked_up'; attempt: number; status: unknown; why: Question }
  /** The call that creates a payment has ended. `isNew`: its order_id was free just before. */
  | { type: 'created'; attempt: number; url: string }
  | { type: 'not_created'; attempt: number; isNew: boolean; how: 'used' | 'unknown' | 'unusable' | 'failed' }
  /** `rejectedWith`: the HTTP status if the service rejected it. */
  | { type: 'cancelled'; attempt: number; why: Reason; rejectedWith?: number | undefined }

/** The end of an opening or a cancellation. */
export type CheckoutAnswer =
  | { kind: 'redirect'; url: string }
  | { kind: 'result'; attempt: number }
  /** The payment is being paid or cancelled; the page refreshes. */
  | { kind: 'wait' }
  /** Opened before with other terms; rejected fields; the order was cancelled, or has no attempt left. */
  | { kind: 'changed' | 'unusable' | 'closed' }
  /** Not paid in time; the shop has revoked the link; the payment could not be opened now. */
  | { kind: 'expired' | 'revoked' | 'failed' }
  /** The shop's cancellation: done, rejected by the service, or only the link was closed. */
  | { kind: 'cancelled' | 'rejected' | 'link_closed'; attempt: number }

export type CheckoutCommand =
  | { type: 'look_up'; attempt: number; why: Question }
  | { type: 'create'; attempt: number; isNew: boolean }
  | { type: 'cancel'; attempt: number; why: Reason }
  /** Record that an attempt belongs to the order. */
  | { type: 'announce'; attempt: number }
  /** Record the payment's address; without `url`, that a payment may have been created. */
  | { type: 'remember'; attempt: number; url?: string; expires_at?: number }
  /** Record that the attempt is cancelled because its link has expired. */
  | { type: 'expire'; attempt: number }
  /** Record that the shop cancelled the order. `mayFail`: the payment's webhook reports it too. */
  | { type: 'close'; mayFail: boolean }
  | { type: 'answer'; answer: CheckoutAnswer }

/** `~99` is the last suffix that fits into the service's limit. */
const MAX_ATTEMPTS = 99
/** After this long an unpaid checkout may have been given up, so that a redirect to it is noted again. */
const ABANDONED_MS = 24 * 3_600_000

const answer = (reply: CheckoutAnswer): CheckoutCommand[] => [{ type: 'answer', answer: reply }]
const lookUp = (attempt: number, why: Question = 'find_out'): CheckoutCommand[] => [{ type: 'look_up', attempt, why }]

/** Decides on the commands that follow from a message. `visit`: the link that is being opened. */
export function stepCheckout(
  state: CheckoutState,
  message: CheckoutMessage,
  now: number,
  visit: Visit = { amount: 0, currency: '', method: '', expires_at: 0 },
): CheckoutCommand[] {
  const isExpired = !(now < visit.expires_at)
  const paid = state.attempts.findIndex(({ holdsMoney }) => holdsMoney) + 1
  const isMade = message.type === 'created' || (message.type === 'not_created' && message.how === 'unknown')
  if ((paid > 0 && !isByShop(message)) || (isMade && state.isClosed)) {
    // Paid or cancelled while another attempt was being created: the new attempt must not be paid.
    if (!isMade) return answer({ kind: 'result', attempt: paid })
    const { attempt } = message
    return [
      { type: 'remember', attempt, ...('url' in message && { url: message.url }) },
      { type: 'cancel', attempt, why: 'closed' },
    ]
  }
  switch (message.type) {
    case 'open':
      return open(state, visit, isExpired, now)
    case 'looked_up':
      if (message.why === 'find_out') return findOut(state, message, isExpired, now)
      return conclude(state, message.attempt, message.status, message.why)
    case 'created': {
      const { attempt, url } = message
      return [{ type: 'remember', attempt, url }, ...answer({ kind: 'redirect', url })]
    }
    case 'not_created':
      return notCreated(message)
    case 'cancel':
      return [{ type: 'cancel', attempt: state.attempts.length, why: 'by_shop' }]
    case 'cancelled':
      if (message.why === 'by_shop') return cancelledByShop(state, message.attempt, message.rejectedWith)
      if (message.why === 'closed') return answer({ kind: 'result', attempt: message.attempt })
      // The payment is being paid or cancelled: the next look shows which.
      if (message.rejectedWith !== undefined) return answer({ kind: 'wait' })
      if (message.why !== 'replaced') return answer({ kind: message.why })
      return [{ type: 'create', attempt: message.attempt + 1, isNew: false }]
  }
}

const isByShop = (message: CheckoutMessage): boolean =>
  message.type === 'cancel' || (message.type === 'cancelled' && message.why === 'by_shop')

/** A link leads to its payment, and creates one only if none can be open or paid. */
function open(state: CheckoutState, visit: Visit, isExpired: boolean, now: number): CheckoutCommand[] {
  const { checkout, isRevoked, isClosed } = state
  const first = checkout?.attempts ?? 1
  if (isRevoked) return latest(state, state.attempts.length, 'is_revoked')
  if (!checkout && isClosed && !isExpired) return latest(state, state.attempts.length, 'is_closed')
  // An event may show a payment without a record: the storage was lost, or the record could not be written.
  if (!checkout && (isExpired || state.attempts[0]?.status != null)) return lookUp(1)
  if (!checkout) return [{ type: 'create', attempt: 1, isNew: false }]
  // A payment with other terms is open: a customer must pay the link's price.
  if (isChanged(checkout, visit)) return answer({ kind: 'changed' })
  const { status, cancelled } = state.attempts[first - 1] ?? {}
  if (status === 'success') return answer({ kind: 'result', attempt: first })
  if (isExpired) return status === 'failure' ? answer({ kind: 'expired' }) : lookUp(first)
  if (isClosed) return latest(state, state.attempts.length, 'is_closed')
  if (status === 'failure') {
    // A decline is followed by another attempt, a cancellation only if it was made here.
    const byShop = cancelled === true && !checkout.expired && state.attempts.length <= first
    // Ask first: it may have been paid by another card since, and its webhook may be late.
    return byShop ? answer({ kind: 'result', attempt: first }) : lookUp(first)
  }
  if (checkout.url === undefined || checkout.expired) return lookUp(first)
  // A redirect after a day, or by a link that expires later, is noted. An address is written with its time.
  const isOld = now - (checkout.opened_at as number) >= ABANDONED_MS
  const expires_at = Math.max(visit.expires_at, checkout.expires_at)
  const again = isOld || expires_at > checkout.expires_at
  return [
    ...(again ? [{ type: 'remember' as const, attempt: first, url: checkout.url, expires_at }] : []),
    ...answer({ kind: 'redirect', url: checkout.url }),
  ]
}

const isChanged = (before: Terms, { amount, currency, method, recurring_amount }: Visit): boolean =>
  before.amount !== amount ||
  before.currency !== currency ||
  before.recurring_amount !== recurring_amount ||
  before.method !== method

/** Looks for the latest attempt whose payment exists: an announced attempt may never have been created. */
function latest(state: CheckoutState, attempt: number, why: Question): CheckoutCommand[] {
  const status = state.attempts[attempt - 1]?.status
  return status == null ? lookUp(attempt, why) : conclude(state, attempt, status, why)
}

/**
 * A revoked link, or a link of a cancelled order, leads to no payment. A paid order still shows its result, also before
 * its webhook. A payment that was being opened when the shop cancelled is cancelled too.
 */
function conclude(state: CheckoutState, attempt: number, status: unknown, why: Question): CheckoutCommand[] {
  if (status === undefined && attempt > (state.checkout?.attempts ?? 1)) return latest(state, attempt - 1, why)
  if (why === 'is_revoked') {
    // Its opening died before it was recorded: no customer has the address.
    if (status === 'init' && attempt > (state.checkout?.attempts ?? 0))
      return goOn(attempt, { type: 'cancel', attempt, why: 'revoked' })
    const isPaid = status !== undefined && status !== 'init' && status !== 'failure'
    return answer(isPaid ? { kind: 'result', attempt } : { kind: 'revoked' })
  }
  if (status === 'init') return [{ type: 'cancel', attempt, why: 'closed' }]
  // The service does not list the order: it was not paid, and never will be.
  return answer(status === undefined ? { kind: 'closed' } : { kind: 'result', attempt })
}

/**
 * Decides by the service's status of a payment that may not exist, or whose address is lost (no documented call returns
 * it), or whose link has expired:
 * - an unknown order (404, an assumption): the same order_id is sent again, which cannot make two payments;
 * - created and unpaid: cancelled, and followed by an attempt under the next order_id;
 * - any other status: the result page.
 */
function findOut(
  { attempts, checkout }: CheckoutState,
  { attempt, status }: Extract<CheckoutMessage, { type: 'looked_up' }>,
  isExpired: boolean,
  now: number,
): CheckoutCommand[] {
  if (isExpired && (status === undefined || status === 'failure')) return answer({ kind: 'expired' })
  const known = attempts[attempt - 1]
  // A cancelled attempt counts as declined if the next one was announced: the cancellation is not the shop's.
  const wasDeclined = known?.status === 'failure' && (!known.cancelled || attempts.length > attempt)
  if (status === undefined && !wasDeclined) return [{ type: 'create', attempt, isNew: true }]
  if (status === undefined || status === 'failure') {
    const isOurs = attempts.length > attempt || checkout?.expired === true || wasDeclined
    return isOurs ? next(attempt) : answer({ kind: 'result', attempt })
  }
  if (status !== 'init') return answer({ kind: 'result', attempt })
  if (!isExpired) return replace(attempt)
  // Another link may still lead there.
  if (checkout && checkout.expires_at > now) return answer({ kind: 'expired' })
  return [
    { type: 'expire', attempt },
    { type: 'cancel', attempt, why: 'expired' },
  ]
}

/**
 * Announce the next attempt first: it then belongs to the order even if its call fails, and a cancellation here is not
 * the shop's.
 */
const goOn = (attempt: number, command: CheckoutCommand): CheckoutCommand[] =>
  attempt >= MAX_ATTEMPTS ? answer({ kind: 'closed' }) : [{ type: 'announce', attempt: attempt + 1 }, command]

const replace = (attempt: number): CheckoutCommand[] => goOn(attempt, { type: 'cancel', attempt, why: 'replaced' })

const next = (attempt: number): CheckoutCommand[] =>
  goOn(attempt, { type: 'create', attempt: attempt + 1, isNew: false })

function notCreated({ attempt, isNew, how }: Extract<CheckoutMessage, { type: 'not_created' }>): CheckoutCommand[] {
  // An opening died before it could record the address. The payment exists, even if the service does not list it.
  if (how === 'used') return isNew ? replace(attempt) : lookUp(attempt)
  const remember: CheckoutCommand[] = how === 'unknown' ? [{ type: 'remember', attempt }] : []
  return [...remember, ...answer({ kind: how === 'unusable' ? 'unusable' : 'failed' })]
}

/**
 * The shop cancels the open payment, that of the latest attempt. Its link is closed too, even if there is nothing to
 * cancel: the service does not list the order, or the attempt was declined.
 */
function cancelledByShop(state: CheckoutState, attempt: number, rejectedWith: number | undefined): CheckoutCommand[] {
  const { attempts, checkout } = state
  // A later attempt was announced and never created: a visit may still create it.
  const isFollowed = attempt < attempts.length
  if (rejectedWith === undefined) {
    return [{ type: 'close', mayFail: !isFollowed }, ...answer({ kind: 'cancelled', attempt })]
  }
  const rejected = answer({ kind: 'rejected', attempt })
  const wasOpened = checkout !== undefined || attempts.length > 1
  // An unopened link is closed too.
  if (!wasOpened && rejectedWith !== 404) return rejected
  if (rejectedWith === 404 && attempt > (checkout?.attempts ?? 1)) {
    return [{ type: 'cancel', attempt: attempt - 1, why: 'by_shop' }]
  }
  const { status, cancelled } = attempts[attempt - 1] ?? {}
  if (status === 'success') return rejected
  // A cancellation that is not the shop's is followed by another attempt.
  const leadsOn = !cancelled || isFollowed || checkout?.expired === true
  const isOver = rejectedWith === 404 || (status === 'failure' && leadsOn)
  if (!isOver && !isFollowed) return rejected
  // No webhook will report it: without this record the link would still lead to a payment.
  const close: CheckoutCommand = { type: 'close', mayFail: false }
  return isOver ? [close, ...answer({ kind: 'link_closed', attempt })] : [close, ...rejected]
}
