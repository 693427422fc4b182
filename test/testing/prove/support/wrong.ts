import type { Cause } from '../../../../src/testing/index.ts'

/** Shops of receiver.ts that are wrong in one way: the cause, the effect on money, and a step that shows it. */
export const WRONG: readonly (readonly [shop: string, cause: Cause, verdict: string, step: RegExp])[] = [
  ['ships_copies', 'ships_copies', 'shipped twice', /success .* again arrives/],
  ['dedupes_by_order', 'dedupes_by_order', 'paid but not shipped', /success/],
  ['dedupes_by_transaction', 'dedupes_by_transaction', 'paid but not shipped', /success/],
  ['newest_wins', 'newest_wins', 'a payment was lost', /pending|failure|processing/],
  ['pending_overwrites', 'pending_overwrites', 'a payment was lost', /pending/],
  ['adds_up_copies', 'adds_up_copies', 'paid counted twice', /success .* again arrives/],
  ['stores_after_answer', 'stores_after_answer', 'paid but not shipped', /killed/],
  ['no_signature_check', 'no_signature_check', 'a forgery was believed', /forged/],
  ['trusts_amount', 'trusts_amount', 'another amount was taken for the price', /purchase success/],
  ['forgets_currency', 'forgets_currency', 'another currency was taken for the price', /USD/],
  ['dedupes_by_body', 'dedupes_by_body', 'paid counted twice', /other optional fields/],
  ['rejects_copies', 'rejects_copies', 'rejected permanently', /again arrives/],
  ['not_atomic', 'not_atomic', 'paid counted twice', /same moment|hangs up/],
]

/** The same, without the orders that a seed draws. */
export const ALSO_WRONG: typeof WRONG = [
  ['short_memory', 'forgets_copies', 'paid counted twice', /at the end of the run/],
  ['makes_missing_orders', 'ships_unknown_orders', 'shipped but never ordered', /never made this order/],
  ['sorts_amounts', 'compares_texts', 'another amount was taken for the price', /99\.[05]0/],
  ['five_percent_off', 'trusts_amount', 'another amount was taken for the price', /the shop asks for/],
  ['texts_of_amounts', 'compares_texts', 'paid but not shipped', /00\.00|\d0\.00|9\.00/],
  ['books_then_fails', 'acts_before_answering', 'paid counted twice', /purchase success/],
  ['refund_needs_payment', 'order_matters', 'refund lost', /refund success/],
  ['last_one_is_all', 'overwrites_sums', 'a payment was lost', /success/],
  ['counts_whole_units', 'rounds', 'paid but not shipped', /purchase success/],
  ['parcel_for_each_part', 'ships_parts', 'shipped twice', /capture success/],
  ['gives_a_bonus', 'unknown', 'more was counted as paid than came', /purchase success/],
  ['without_the_fee', 'subtracts_fees', 'a payment was lost', /success/],
  ['one_of_each_amount', 'dedupes_by_amount', 'refund lost', /refund success/],
  ['knows_no_captures', 'not_handled', 'paid but not shipped', /capture success/],
  ['every_other_twice', 'comes_and_goes', 'paid counted twice', /purchase success/],
  ['two_parcels', 'ships_copies', 'shipped twice', /success/],
]

/** Buttons that are wrong in one way: the cause, the effect on money, and which button it is. */
export const WRONG_BUTTONS: readonly (readonly [
  button: string,
  cause: Cause,
  verdict: string,
  name: 'refund' | 'capture',
])[] = [
  ['bare', 'refunds_twice', 'refunded twice', 'refund'],
  ['bare', 'captures_twice', 'captured twice', 'capture'],
  ['whole', 'refunds_other_amount', 'more was refunded than asked', 'refund'],
  ['half', 'refunds_other_amount', 'less was refunded than asked', 'refund'],
  ['half', 'captures_other_amount', 'less was captured than asked', 'capture'],
  ['deaf', 'loses_refunds', 'refund lost', 'refund'],
  ['deaf', 'loses_captures', 'capture lost', 'capture'],
  ['dead', 'never_ends', 'refund never ends', 'refund'],
  ['dead', 'capture_never_ends', 'capture never ends', 'capture'],
]
