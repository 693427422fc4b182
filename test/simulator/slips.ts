// The rules of src/till/protocol.ts, each with a change of its text that takes it out: what stands there once, and what takes its
// place. A slip that the model does not find is a rule that nobody needs, or a scenario that is missing.

export type Slip = readonly [rule: string, find: string, replace: string]

export const SLIPS: readonly Slip[] = [
  ['an operation is recorded before it is sent', "{ type: 'store', operation },", ''],
  ['a call that the storage held up for long is not sent', 'now - operation.started_at > SEND_MS', 'false'],
  ['an absence at the service counts after a while', 'settleAfterMs: NEVER_MS', 'settleAfterMs: 0'],
  ['one key gets one answer', 'if (ended) return', 'if (false) return'],
  ['while an outcome is unknown, no other operation is made', 'return open ? settle(', 'return false ? settle('],
  [
    'an unknown outcome is not a rejection',
    'return end(state, operation, { outcome, answer, operation_id }, [',
    "return end(state, operation, { outcome: outcome === 'unknown' ? 'not_sent' : outcome, answer, operation_id }, [",
  ],
  ["an operation that was known before is not the key's", 'known: [\n', 'known: [], unused: [\n'],
  ['an operation fits by its amount', 'Math.round(amount * 100) === expected', 'true'],
  [
    'after a loss, the service is asked first',
    "{ state, commands: [{ type: 'list_all', request: wanted }] }",
    'undefined',
  ],
  ['after a loss, a call on its way may still arrive', 'operation.started_at - loss.at < RECOVER_MS', 'false'],
  [
    'a key is not sent while the service shows an operation that no key explains',
    'if (!found) return undefined\n  const reply',
    'return undefined\n  const reply',
  ],
  [
    'a look at the events comes before a new call',
    'return executed(state, operation, found, now)\n  const isAskable',
    'return resume(notExecuted(state, operation), now)\n  const isAskable',
  ],
  [
    "an operation in the service's list counts before its absence",
    "found === 'none' && outcome === 'not_executed'",
    "outcome !== 'executed'",
  ],
  [
    'one key is one operation of the whole order',
    "keyed && keyed.order_id !== named ? { code: 'key_reused' } : named",
    'named',
  ],
  ['pending operations count in the rest', 'if (isMoving && (', 'if (false && ('],
  [
    'an order that has changed is not touched',
    'version !== undefined && version !== versionOf(order, operations)',
    'false',
  ],
  ['pending operations count in the version', 'partsOf(committed(order, calls))', 'partsOf(order.totals)'],
  ['the version names the attempt', 'encodeURIComponent(order.order_id)', "''"],
  ['a person has a limit', "limit !== undefined && kind === 'refund' &&", 'false &&'],
  [
    'pending operations count in the limit',
    'const refunded = committedTotals.refunded_minor +',
    'const refunded = order.totals.refunded_minor +',
  ],
  ['under a limit an amount is named', '(amount === null || refunded', '(refunded'],
  ['the limit is of the whole order', ' + (order.refundedElsewhere ?? 0)', ''],
]

/** The rules of what a person decides and of what turns out to be untrue: their scenarios are SETTLED. */
export const SETTLED_SLIPS: readonly Slip[] = [
  ['a key that may have been executed is remembered', "{ type: 'store', operation: remembered }", ''],
  ["a person decides whether an operation is a key's", 'if (!isIts || !found)', 'if (!found)'],
  [
    'an event that contradicts "not executed" is reported',
    'return found ? { ...one, late',
    'return false ? { ...one, late',
  ],
  ['a pending operation that is declined later is reported', ': { ...one, late: end }', ': one'],
  ['a new key waits until a person has looked at a late execution', 'if (doubted) return', 'if (false) return'],
]

/** Of src/till/protocol-checkout.ts. */
export const CHECKOUT_SLIPS: readonly Slip[] = [
  ['a link of an order that holds money leads to its result', 'paid > 0 && !isByShop(message)', 'false'],
  ['what may have been created beside a payment is looked at', 'if (!isMade) return', 'return'],
  ['a cancelled order without a record makes no payment', '!checkout && isClosed && !isExpired', 'false'],
  ['a cancelled order makes no payment', '  if (isClosed) return latest', '  if (false) return latest'],
  ['a link that was revoked leads to no payment', 'if (isRevoked) return', 'if (false) return'],
  ['a link that has expired leads to no payment', 'if (isExpired) return status', 'if (false) return status'],
  [
    'that the payment is cancelled is recorded before',
    "    { type: 'expire', attempt },\n    { type: 'cancel', attempt, why: 'expired' },\n",
    "    { type: 'cancel', attempt, why: 'expired' },\n    { type: 'expire', attempt },\n",
  ],
  ['after an expiry a good link leads on', '!checkout.expired && state.attempts', 'state.attempts'],
]
