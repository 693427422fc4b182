import * as v from 'valibot'
import {
  fields,
  InputError,
  latency,
  number,
  oneOf,
  parseInput,
  statusCode,
  text,
  wholeNumber,
} from '../parse-input.ts'
import { ENDPOINTS, type OperationName } from '../spec/endpoints.ts'

/** Before the request is executed, or after it was. */
export type CommitTime = 'before_commit' | 'after_commit'

/** A fault of a response: what the caller of an endpoint sees. */
export type ResponseFault =
  /** The connection breaks before the first byte of the response. Default `after_commit`. */
  | { kind: 'reset'; when?: CommitTime }
  /** 429 with `Retry-After`, in seconds; nothing was executed. */
  | { kind: 'too_many_requests'; retryAfter?: number }
  /** A 5xx, 503 by default; executed first unless `when` says otherwise. */
  | { kind: 'server_error'; status?: number; body?: 'html' | 'empty' | 'truncated' | 'huge'; when?: CommitTime }
  /** The correct response with a broken body: empty, cut off in the middle, HTML, or followed by 2 MB of white space. Default `truncated`. */
  | { kind: 'body'; body?: 'empty' | 'truncated' | 'huge' | 'html' }
  /** No response at all: the caller has to abort. Executed first unless `when` says otherwise. */
  | { kind: 'no_response'; when?: CommitTime }
  /** The body arrives in pieces, with `ms` of real time between them. */
  | { kind: 'slow_body'; ms?: number; pieces?: number }
  /** The request waits before it is executed: milliseconds of real time, or a range of them. */
  | { kind: 'latency'; ms: number | [min: number, max: number] }

/** A payment or an operation ends with this status code: 1xxx success, 2xxx and 9000 pending, every other failure. */
export type OutcomeFault = { kind: 'status_code'; status_code: string }

/** A fault of a webhook's delivery. */
export type DeliveryFault =
  | { kind: 'duplicate'; times?: number }
  /** Held back until the order's next webhook has been delivered (or the clock is advanced by an hour). */
  | { kind: 'reorder' }
  /** Delivered when the clock has advanced by `ms`; default a minute. */
  | { kind: 'delay'; ms?: number }
  /** The first attempt is lost; the retry policy sends it again. */
  | { kind: 'drop' }
  /** One letter of the signature is wrong at the first attempt; the retry policy sends it again with the correct one. */
  | { kind: 'corrupt_signature' }
  /** `data` comes without its `=` padding, correctly signed as it is sent. */
  | { kind: 'missing_padding' }

/** A fault of contents, in responses and webhooks alike. */
export type ContentFault =
  | { kind: 'numbers_as_strings' }
  | { kind: 'null_fee' }
  | { kind: 'unknown_fields' }
  | { kind: 'unknown_status' }
  | { kind: 'unknown_method' }

/** A fault, and where it fires. */
export type Fault = (ResponseFault | OutcomeFault | DeliveryFault | ContentFault) & {
  /** Where it fires. Default: at any endpoint for a fault of responses and outcomes, at webhooks for the others. */
  on?: Occasion
  /** Fires for this order alone. */
  order_id?: string
}

export type FaultKind = Fault['kind']

/** Where a fault can fire: an endpoint, the customer's payment on the checkout page, a scheduled charge, a webhook. */
export type Occasion = OperationName | 'checkout' | 'charge' | 'webhook'

/** The moment of an occasion: before it is executed, when its outcome is decided, after it was executed, a webhook. */
export type Phase = 'before' | 'outcome' | 'after' | 'webhook'

const WHEN = v.optional(oneOf('time', ['before_commit', 'after_commit'] as const), 'after_commit')
const MINUTE = 60_000
const YEAR = 365 * 24 * 60 * MINUTE

/** What each kind takes beside `on` and `order_id`, and when it fires. */
const KINDS = {
  reset: { phase: 'commit', entries: { when: WHEN } },
  too_many_requests: { phase: 'before', entries: { retryAfter: v.optional(wholeNumber(0, 86_400)) } },
  server_error: {
    phase: 'commit',
    entries: {
      status: v.optional(wholeNumber(500, 599)),
      body: v.optional(oneOf('body', ['html', 'empty', 'truncated', 'huge'] as const)),
      when: v.optional(WHEN.wrapped),
    },
  },
  body: {
    phase: 'after',
    entries: { body: v.optional(oneOf('body', ['empty', 'truncated', 'huge', 'html'] as const), 'truncated') },
  },
  no_response: { phase: 'commit', entries: { when: v.optional(WHEN.wrapped) } },
  slow_body: {
    phase: 'after',
    entries: { ms: v.optional(number(0, MINUTE)), pieces: v.optional(wholeNumber(1, 1000)) },
  },
  latency: { phase: 'before', entries: { ms: latency } },
  status_code: {
    phase: 'outcome',
    entries: { status_code: statusCode },
  },
  duplicate: { phase: 'webhook', entries: { times: v.optional(wholeNumber(1, 100)) } },
  reorder: { phase: 'webhook', entries: {} },
  delay: { phase: 'webhook', entries: { ms: v.optional(number(0, YEAR), MINUTE) } },
  drop: { phase: 'webhook', entries: {} },
  corrupt_signature: { phase: 'webhook', entries: {} },
  missing_padding: { phase: 'webhook', entries: {} },
  numbers_as_strings: { phase: 'content', entries: {} },
  null_fee: { phase: 'content', entries: {} },
  unknown_fields: { phase: 'content', entries: {} },
  unknown_status: { phase: 'content', entries: {} },
  unknown_method: { phase: 'content', entries: {} },
} as const satisfies Record<FaultKind, { phase: Phase | 'commit' | 'content'; entries: v.ObjectEntries }>

/** Every kind of fault. */
export const FAULT_KINDS: readonly FaultKind[] = Object.keys(KINDS) as FaultKind[]

/** What a fault of this kind takes beside `on` and `order_id`. */
export function faultEntries(kind: unknown): v.ObjectEntries {
  return KINDS[kind as FaultKind]?.entries ?? {}
}

const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as OperationName[]
/** Every place at which a fault can fire. */
const OCCASIONS: readonly Occasion[] = [...ENDPOINT_NAMES, 'checkout', 'charge', 'webhook']
/** The endpoints at which a payment or an operation gets its status. */
const WITH_OUTCOME: readonly Occasion[] = [
  'create-payment',
  'create-split-purchase',
  'capture-payment',
  'capture-split-purchase',
  'refund-payment',
  'refund-split-purchase',
  'void-payment',
  'checkout',
  'charge',
]

/** The endpoints that respond with no payment and no operation: there is no fee, status or method to change. */
const WITHOUT_RECORD: readonly Occasion[] = ['list-accounts', 'get-account', 'cancel-recurring']
const WITHOUT_ORDER: readonly Occasion[] = ['list-accounts', 'get-account']

/** The places at which a kind can fire. */
export function occasionsOf(kind: FaultKind): readonly Occasion[] {
  const { phase } = KINDS[kind]
  if (phase === 'webhook') return ['webhook']
  if (phase === 'outcome') return WITH_OUTCOME
  if (phase !== 'content') return ENDPOINT_NAMES
  return [...ENDPOINT_NAMES.filter((name) => !unchangedBy(kind).includes(name)), 'webhook']
}

function unchangedBy(kind: FaultKind): readonly Occasion[] {
  if (kind === 'unknown_fields') return []
  return kind === 'numbers_as_strings' ? ['cancel-recurring'] : WITHOUT_RECORD
}

/** Whether a fault makes a difference to this response: a redirect has no contents. */
export function canChange(fault: Fault, response: Response): boolean {
  if (KINDS[fault.kind].phase === 'content') return hasContents(response)
  const isOfBody = fault.kind === 'slow_body' || (fault.kind === 'body' && /^(truncated|empty)$/.test(fault.body ?? ''))
  return !isOfBody || response.body !== null
}

/** Whether the response is JSON that says what was done. */
export function hasContents({ headers, status }: Response): boolean {
  return status === 200 && (headers.get('content-type')?.startsWith('application/json') ?? false)
}

/** Reads a fault, fills in its defaults. @throws {ConfigError} for anything that could never fire as it is written. */
export function parseFault(input: unknown): Fault {
  const { kind } = parseInput(
    v.looseObject({ kind: oneOf('fault kind', FAULT_KINDS) }, "A fault is an object such as { kind: 'reset' }."),
    input,
  )
  const schema = fields('fault', {
    kind: v.literal(kind),
    on: v.optional(oneOf('place', OCCASIONS)),
    order_id: v.optional(text),
    ...KINDS[kind].entries,
  })
  const fault = parseInput(schema, input) as Fault
  const possible = occasionsOf(kind)
  if (fault.on !== undefined && !possible.includes(fault.on)) {
    throw new InputError(`A fault of kind ${kind} can be set on: ${possible.join(', ')}.`)
  }
  if (fault.on !== undefined && fault.order_id !== undefined && WITHOUT_ORDER.includes(fault.on)) {
    throw new InputError(`A request of ${fault.on} names no order: leave out order_id.`)
  }
  return fault
}

/** Whether a fault fires at this moment. */
export function firesAt(fault: Fault, occasion: Occasion, phase: Phase, orderId: string | undefined): boolean {
  if (fault.order_id !== undefined && fault.order_id !== orderId) return false
  const places = fault.on === undefined ? defaultOccasions(fault.kind) : [fault.on]
  return places.includes(occasion) && phaseOf(fault, occasion) === phase
}

function defaultOccasions(kind: FaultKind): readonly Occasion[] {
  return KINDS[kind].phase === 'content' ? ['webhook'] : occasionsOf(kind)
}

function phaseOf(fault: Fault, occasion: Occasion): Phase {
  const { phase } = KINDS[fault.kind]
  if (phase === 'content') return occasion === 'webhook' ? 'webhook' : 'after'
  if (phase !== 'commit') return phase
  return 'when' in fault && fault.when === 'before_commit' ? 'before' : 'after'
}
