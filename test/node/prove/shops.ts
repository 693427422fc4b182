import type { Cause } from '../../../src/testing/index.ts'

/** The shops of shop.mjs, shop.py and shop.php that are wrong in one way, and the cause that has to be named. */
export const WRONG: Readonly<Record<string, Readonly<Record<string, Cause>>>> = {
  Node: {
    ships_copies: 'ships_copies',
    ships_after_refund: 'ships_copies',
    adds_up_copies: 'adds_up_copies',
    looks_then_writes: 'not_atomic',
    reads_changes_writes: 'lost_update',
    order_in_a_variable: 'mixes_orders',
    key_is_body: 'dedupes_by_body',
    key_is_order: 'dedupes_by_order',
    key_is_transaction: 'dedupes_by_transaction',
    key_is_method: 'dedupes_by_method',
    ids_without_case: 'confuses_order_ids',
    ids_of_32: 'confuses_order_ids',
    ids_by_like: 'confuses_order_ids',
    cuts_cents: 'rounds',
    whole_refunds: 'rounds',
    reads_amount_alone: 'ignores_processed_amount',
    last_one_wins: 'newest_wins',
    pending_wins: 'pending_overwrites',
    failure_sticks: 'failure_sticks',
    any_status: 'ignores_status',
    ships_on_pending: 'ignores_status',
    ships_late_on_pending: 'ignores_status',
    auth_is_paid: 'ignores_method',
    void_is_refund: 'ignores_method',
    capture_is_whole: 'part_taken_for_whole',
    any_amount: 'trusts_amount',
    any_currency: 'forgets_currency',
    a_cent_less: 'trusts_amount',
    captures_never_ship: 'never_ships',
    signature_optional: 'no_signature_check',
    verifies_first_reads_last: 'no_signature_check',
    stores_after_answer: 'stores_after_answer',
    keeps_in_memory: 'keeps_in_memory',
    remembers_in_memory: 'remembers_in_memory',
    ships_then_stores: 'acts_before_storing',
    marks_then_acts: 'marks_before_acting',
  },
  Python: {
    looks_then_writes: 'not_atomic',
    reads_changes_writes: 'lost_update',
    order_in_a_global: 'mixes_orders',
    answers_first: 'stores_after_answer',
    keeps_in_memory: 'keeps_in_memory',
    int_of_float: 'rounds',
    '32_bits': 'overflows',
    any_refund: 'ignores_status',
    failed_refund_unpays: 'ignores_method',
    any_method: 'ignores_method',
    part_is_whole: 'part_taken_for_whole',
    reads_last_data: 'no_signature_check',
    checks_if_there: 'no_signature_check',
    standard_base64: 'reads_base64',
    ascii_alone: 'breaks_on_texts',
    nulls_are_errors: 'breaks_on_nulls',
    strict_fields: 'breaks_on_unknown_fields',
    rejects_old: 'rejects_late',
    rejects_refunds: 'rejects',
    hangs_on_refunds: 'hangs',
  },
  PHP: {
    strcmp: 'no_signature_check',
    strncmp: 'no_signature_check',
    strcasecmp: 'no_signature_check',
    trusts_localhost: 'no_signature_check',
    sha1_of_data: 'no_signature_check',
    plain_base64: 'reads_base64',
    intval: 'rounds',
    number_format: 'overflows',
    any_price: 'trusts_amount',
    newest_status: 'newest_wins',
    not_failed_is_done: 'ignores_status',
    auth_pays: 'ignores_method',
    refunds_all: 'part_taken_for_whole',
    last_refund: 'overwrites_sums',
    varchar_32: 'confuses_order_ids',
    copies_are_errors: 'rejects_copies',
    one_per_transaction: 'dedupes_by_transaction',
    copies_add_up: 'adds_up_copies',
    unlocked_sums: 'lost_update',
    file_of_the_moment: 'mixes_orders',
  },
}

/** Those that fail only when requests meet, or meet the end of the process. */
export const RACING =
  /^(looks_then_writes|reads_changes_writes|order_in_a|unlocked_sums|file_of_the_moment|ships_then_stores|marks_then_acts)/

export const RIGHT: readonly (readonly [language: string, style: string])[] = [
  ...(
    'right right_slow right_queue right_rate_limited right_strict_header right_behind_prefix right_own_ids ' +
    'right_one_at_a_time right_no_content right_flaky'
  )
    .split(' ')
    .map((style) => ['Node', style] as const),
  ['Python', 'right'],
  ['Python', 'right_in_turn'],
  ['PHP', 'right'],
]

/** Those that `npm run test:all` plays; `npm run test:long` plays all. */
export const SAMPLE = 'Node right_queue, Node ids_by_like, Python strict_fields, PHP right, PHP strcmp'
