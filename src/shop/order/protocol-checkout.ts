// The rules of one order's checkouts: whether a payment may be created, where a link leads, which attempt comes next, and
// what is cancelled. Pure, like money/protocol.ts: the order's gate reads the state, and carries out the commands.

/** The request that created a payment. */
export interface Terms {
  amount: number
  currency: string
  /** `purchase` or `auth`: what a re-send asks for. */
  method: string
  recurring_amount?: number | undefined
}

/** One try at paying the order: 1 is its own order_id, 2 is `<order>~2`. */
export interface AttemptFacts {
  status?: string | null | undefined
  /** It was cancelled, rather than declined. */
  cancelled?: boolean | undefined
  /** Money is reserved or paid. */
  holdsMoney?: boolean | undefined
}

/** The checkouts of an order, as the gate has stored them. */
export interface CheckoutState {
  isRevoked: boolean
  /** The shop has cancelled the order. */
  isClosed: boolean
  /** Every attempt that was announced, the first one first; it may never have been created. There is at least one. */
  attempts: readonly AttemptFacts[]
  /** Of the attempt that customers were led to last. */
  checkout?: OpenCheckout | undefined
}

/** The checkout of an order. Times are milliseconds since 1970. */
export interface OpenCheckout extends Terms {
  /** How many order_ids were tried: 1 is the order's own, 2 is `<order>~2`. */
  attempts: number
  /** Where the customer pays. Absent while it is not known whether the payment was created. */
  url?: string
  /** When the customer was last brought to `url` for the first time or after a day. */
  opened_at?: number
  /** When the link that leads there longest expires: until then no other link ends the payment. */
  expires_at: number
  /** Set when the payment was cancelled because its link had expired: a new link leads to a further attempt. */
  expired?: true
}

/** The link that a customer has opened. */
export interface Visit extends Terms {
  expires_at: number
}

/** Why the service is asked for the status of a payment. */
type Question = 'find_out' | 'is_revoked' | 'is_closed'
/** Why a payment is cancelled. */
type Reason = 'replaced' | 'expired' | 'revoked' | 'closed' | 'by_shop'

export type CheckoutMessage =
  | { type: 'open' }
  /** The shop cancels the order. */
  | { type: 'cancel' }
  /** An attempt as the service has it; undefined: it does not know it, null: it does not say. */
  | { type: 'asked'; attempt: number; status: unknown; why: Question }
  /** The call that creates a payment has ended. `isNew`: the service did not know its order_id just before. */
  | { type: 'created'; attempt: number; url: string }
  | { type: 'not_created'; attempt: number; isNew: boolean; how: 'used' | 'unknown' | 'unusable' | 'failed' }
  /** `rejectedWith`: the HTTP status where the service rejected it. */
  | { type: 'cancelled'; attempt: number; why: Reason; rejectedWith?: number | undefined }

/** Where the opening of a link, or a cancellation, leads. */
export type CheckoutAnswer =
  | { kind: 'redirect'; url: string }
  | { kind: 'result'; attempt: number }
  /** The payment was paid or cancelled at this moment; the page refreshes. */
  | { kind: 'wait' }
  /** The order was opened before with other terms; the service rejects its fields; all attempts failed. */
  | { kind: 'changed' | 'unusable' | 'closed' }
  /** It was not paid in time; the shop revoked the link; it could not be opened now. */
  | { kind: 'expired' | 'revoked' | 'failed' }
  /** The shop's cancellation: the service's response, its rejection, or that only the link was closed. */
  | { kind: 'cancelled' | 'rejected' | 'link_closed'; attempt: number }

export type CheckoutCommand =
  | { type: 'ask'; attempt: number; why: Question }
  | { type: 'create'; attempt: number; isNew: boolean }
  | { type: 'cancel'; attempt: number; why: Reason }
  /** Record that an attempt belongs to the order. */
  | { type: 'announce'; attempt: number }
  /** Record where the customer pays; without `url`: that a payment may have been created. */
  | { type: 'remember'; attempt: number; url?: string; expires_at?: number }
  /** Record that the attempt is cancelled because its link has expired. */
  | { type: 'expire'; attempt: number }
  /** Record that the shop cancelled the order. `mayFail`: the payment's webhook says it too. */
  | { type: 'close'; mayFail: boolean }
  /** Nothing is open any more: the service need not be asked about it. */
  | { type: 'unwatch'; attempt: number }
  | { type: 'answer'; answer: CheckoutAnswer }

/** `~99` is the last that fits into the service's limit. */
const MAX_ATTEMPTS = 99
/** After this long an unpaid checkout counts as abandoned, and any other one that is still open is an alert. */
export const ABANDONED_MS: number = 24 * 3_600_000

const answer = (reply: CheckoutAnswer): CheckoutCommand[] => [{ type: 'answer', answer: reply }]
const ask = (attempt: number, why: Question = 'find_out'): CheckoutCommand[] => [{ type: 'ask', attempt, why }]

/** Decides what follows from a message about the checkouts of an order. `visit`: the link that is being opened. */
export function stepCheckout(
  state: CheckoutState,
  message: CheckoutMessage,
  now: number,
  visit: Visit = { amount: 0, currency: '', method: '', expires_at: 0 },
): CheckoutCommand[] {
  const isExpired = !(now < visit.expires_at)
  const paid = state.attempts.findIndex(({ holdsMoney }) => holdsMoney) + 1
  if (paid > 0 && !isByShop(message)) {
    // Paid while another attempt was being created: that one must not be paid too.
    const isMade = message.type === 'created' || (message.type === 'not_created' && message.how === 'unknown')
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
    case 'asked':
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
      // Paid or cancelled at this moment: the next look shows which.
      if (message.rejectedWith !== undefined) return answer({ kind: 'wait' })
      if (message.why !== 'replaced') return answer({ kind: message.why })
      return [{ type: 'create', attempt: message.attempt + 1, isNew: false }]
  }
}

const isByShop = (message: CheckoutMessage): boolean =>
  message.type === 'cancel' || (message.type === 'cancelled' && message.why === 'by_shop')

/** A link leads to the payment that it made, and makes one only where none can be open or paid. */
function open(state: CheckoutState, visit: Visit, isExpired: boolean, now: number): CheckoutCommand[] {
  const { checkout, isRevoked, isClosed } = state
  const first = checkout?.attempts ?? 1
  if (isRevoked) return latest(state, state.attempts.length, 'is_revoked')
  if (!checkout && isClosed && !isExpired) return latest(state, state.attempts.length, 'is_closed')
  // Without a record an event may know the payment: the storage was lost, or the record could not be written.
  if (!checkout && (isExpired || state.attempts[0]?.status != null)) return ask(1)
  if (!checkout) return [{ type: 'create', attempt: 1, isNew: false }]
  // A payment of other terms is open: its customer must not pay another price than the link's.
  if (isChanged(checkout, visit)) return answer({ kind: 'changed' })
  const { status, cancelled } = state.attempts[first - 1] ?? {}
  if (status === 'success') return answer({ kind: 'result', attempt: first })
  if (isExpired) return status === 'failure' ? answer({ kind: 'expired' }) : ask(first)
  if (isClosed) return latest(state, state.attempts.length, 'is_closed')
  if (status === 'failure') {
    // After a decline there is another attempt; after a cancellation that was not made here there is none.
    const byShop = cancelled === true && !checkout.expired && state.attempts.length <= first
    // Asked first: it may have been paid by another card since, and its webhook be late.
    return byShop ? answer({ kind: 'result', attempt: first }) : ask(first)
  }
  if (checkout.url === undefined || checkout.expired) return ask(first)
  // It may have been closed as abandoned since. An address is written with its time.
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

/** Looks for the latest attempt whose payment exists; one that was announced may never have been created. */
function latest(state: CheckoutState, attempt: number, why: Question): CheckoutCommand[] {
  const status = state.attempts[attempt - 1]?.status
  return status == null ? ask(attempt, why) : conclude(state, attempt, status, why)
}

/**
 * A link that is revoked, or whose order the shop cancelled, leads to no payment. Who has paid sees the result all the same,
 * also before its webhook. A payment that was being opened when the shop cancelled is cancelled too.
 */
function conclude(state: CheckoutState, attempt: number, status: unknown, why: Question): CheckoutCommand[] {
  if (status === undefined && attempt > (state.checkout?.attempts ?? 1)) return latest(state, attempt - 1, why)
  if (why === 'is_revoked') {
    // Its opening died before it was recorded: nobody has the address, and nothing watches it.
    if (status === 'init' && attempt > (state.checkout?.attempts ?? 0))
      return goOn(attempt, { type: 'cancel', attempt, why: 'revoked' })
    const isPaid = status !== undefined && status !== 'init' && status !== 'failure'
    return answer(isPaid ? { kind: 'result', attempt } : { kind: 'revoked' })
  }
  if (status === 'init') return [{ type: 'cancel', attempt, why: 'closed' }]
  // The service does not know the order: nothing was paid, and nothing ever will be.
  return answer(status === undefined ? { kind: 'closed' } : { kind: 'result', attempt })
}

/**
 * It was not known whether the payment was created, its address is lost (no documented call returns it), or its link has
 * expired. Now the service has said:
 * - it does not know the order (404, an assumption): the same order_id is sent again, which cannot make two payments;
 * - created and unpaid: cancelled, and tried again under the next order_id, linked to this one;
 * - anything else: the result page.
 */
function findOut(
  { attempts, checkout }: CheckoutState,
  { attempt, status }: Extract<CheckoutMessage, { type: 'asked' }>,
  isExpired: boolean,
  now: number,
): CheckoutCommand[] {
  if (isExpired && (status === undefined || status === 'failure')) return answer({ kind: 'expired' })
  const known = attempts[attempt - 1]
  const wasDeclined = known?.status === 'failure' && !known.cancelled
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
 * The attempt after this one is announced first: then it belongs to the order whatever becomes of the call, and a cancellation
 * of this one is not the shop's.
 */
const goOn = (attempt: number, command: CheckoutCommand): CheckoutCommand[] =>
  attempt >= MAX_ATTEMPTS ? answer({ kind: 'closed' }) : [{ type: 'announce', attempt: attempt + 1 }, command]

const replace = (attempt: number): CheckoutCommand[] => goOn(attempt, { type: 'cancel', attempt, why: 'replaced' })

const next = (attempt: number): CheckoutCommand[] =>
  goOn(attempt, { type: 'create', attempt: attempt + 1, isNew: false })

function notCreated({ attempt, isNew, how }: Extract<CheckoutMessage, { type: 'not_created' }>): CheckoutCommand[] {
  // By an opening that died before it could record the address. Where the service shows nothing of it, it exists all the same.
  if (how === 'used') return isNew ? replace(attempt) : ask(attempt)
  const remember: CheckoutCommand[] = how === 'unknown' ? [{ type: 'remember', attempt }] : []
  return [...remember, ...answer({ kind: how === 'unusable' ? 'unusable' : 'failed' })]
}

/**
 * The shop cancels the payment that is open: that of the latest attempt. Its link is closed too, also where there is nothing
 * to cancel: the service does not know the order, or the attempt was declined.
 */
function cancelledByShop(state: CheckoutState, attempt: number, rejectedWith: number | undefined): CheckoutCommand[] {
  const { attempts, checkout } = state
  // A later attempt was announced, and never created: a visit may still create it.
  const isFollowed = attempt < attempts.length
  if (rejectedWith === undefined) {
    return [{ type: 'close', mayFail: !isFollowed }, ...answer({ kind: 'cancelled', attempt })]
  }
  const rejected = answer({ kind: 'rejected', attempt })
  const wasOpened = checkout !== undefined || attempts.length > 1
  // A link that nobody opened is closed too.
  if (!wasOpened && rejectedWith !== 404) return rejected
  if (rejectedWith === 404 && attempt > (checkout?.attempts ?? 1)) {
    return [{ type: 'cancel', attempt: attempt - 1, why: 'by_shop' }]
  }
  const { status, cancelled } = attempts[attempt - 1] ?? {}
  if (status === 'success') return rejected
  // A cancellation by this worker, not by the shop, is followed by another attempt.
  const leadsOn = !cancelled || isFollowed || checkout?.expired === true
  const isOver = rejectedWith === 404 || (status === 'failure' && leadsOn)
  if (!isOver && !isFollowed) return rejected
  // No webhook will say it: without this record the link would still lead to a payment.
  const close: CheckoutCommand = { type: 'close', mayFail: false }
  return isOver
    ? [close, { type: 'unwatch', attempt }, ...answer({ kind: 'link_closed', attempt })]
    : [close, ...rejected]
}
