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

const WHEN = v.optional(oneOf('time', ['after_commit', 'before_commit'] as const), 'after_commit')
const MINUTE = 60_000
const YEAR = 365 * 24 * 60 * MINUTE

/** What each kind does, what it takes beside `on` and `order_id`, and when it fires. */
const KINDS = {
  reset: {
    phase: 'commit',
    says: 'The connection breaks before the first byte of the response. The request was executed after_commit, and was not before_commit.',
    entries: { when: WHEN },
  },
  too_many_requests: {
    phase: 'before',
    says: '429 with a Retry-After header, in seconds. Nothing is executed.',
    entries: { retryAfter: v.optional(wholeNumber(0, 86_400)) },
  },
  server_error: {
    phase: 'commit',
    says: 'A 5xx with an HTML page, as a proxy sends it. The request may have been executed.',
    entries: {
      status: v.optional(wholeNumber(500, 599)),
      body: v.optional(oneOf('body', ['html', 'empty', 'truncated', 'huge'] as const)),
      when: v.optional(WHEN.wrapped),
    },
  },
  body: {
    phase: 'after',
    says: 'The request is executed, and the body of its response is broken.',
    entries: { body: v.optional(oneOf('body', ['truncated', 'empty', 'huge', 'html'] as const), 'truncated') },
  },
  no_response: {
    phase: 'commit',
    says: 'No response is sent until the caller gives up.',
    entries: { when: v.optional(WHEN.wrapped) },
  },
  slow_body: {
    phase: 'after',
    says: 'The body of the response arrives in pieces, ten of them unless you say otherwise.',
    entries: { ms: v.optional(number(0, MINUTE)), pieces: v.optional(wholeNumber(1, 1000)) },
  },
  latency: { phase: 'before', says: 'The request waits before it is executed.', entries: { ms: latency } },
  status_code: {
    phase: 'outcome',
    says: 'The payment or the operation ends with this status code: 1xxx success, 2xxx pending, any other failure.',
    entries: { status_code: statusCode },
  },
  duplicate: {
    phase: 'webhook',
    says: 'The webhook is delivered again at once.',
    entries: { times: v.optional(wholeNumber(1, 100)) },
  },
  reorder: onWebhook("The webhook is held until the order's next one has been delivered, for an hour at most."),
  delay: {
    phase: 'webhook',
    says: 'The webhook is delivered when the clock has advanced, by a minute unless you say otherwise.',
    entries: { ms: v.optional(number(0, YEAR), MINUTE) },
  },
  drop: onWebhook('The first attempt is lost. The retry policy sends it again.'),
  corrupt_signature: onWebhook(
    'The first attempt has a wrong signature. The retry policy sends it again with the right one.',
  ),
  missing_padding: onWebhook('The data has no "=" at its end. The signature matches what is sent.'),
  numbers_as_strings: ofContents('Every number is text: "100.50" for 100.50.'),
  null_fee: ofContents('The fees are null.'),
  unknown_fields: ofContents('There are fields that the API document does not name.'),
  unknown_status: ofContents('The status is one that the API document does not name.'),
  unknown_method: ofContents('The method is one that the API document does not name.'),
} as const satisfies Record<FaultKind, { phase: Phase | 'commit' | 'content'; says: string; entries: v.ObjectEntries }>

function onWebhook(says: string) {
  return { phase: 'webhook', says, entries: {} } as const
}

function ofContents(says: string) {
  return { phase: 'content', says, entries: {} } as const
}

/** Every kind of fault. */
export const FAULT_KINDS: readonly FaultKind[] = Object.keys(KINDS) as FaultKind[]

/** What a fault of this kind takes beside `on` and `order_id`. */
export function faultEntries(kind: unknown): v.ObjectEntries {
  return KINDS[kind as FaultKind]?.entries ?? {}
}

/** What a kind does, in a sentence, and what it is a fault of. */
export function describeFault(kind: FaultKind): { says: string; of: 'response' | 'webhook' | 'content' } {
  const { says, phase } = KINDS[kind]
  return { says, of: phase === 'webhook' || phase === 'content' ? phase : 'response' }
}

const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as OperationName[]
/** Every place at which a fault can fire. */
const OCCASIONS: readonly Occasion[] = [...ENDPOINT_NAMES, 'checkout', 'charge', 'webhook']
/** The endpoints at which a payment or an operation gets its status. */
const WITH_OUTCOME: readonly Occasion[] = [
  ...ENDPOINT_NAMES.filter((name) => /^(create|capture|refund|void)-/.test(name)),
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
