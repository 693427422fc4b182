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
import { MINUTE, YEAR } from '../state/time.ts'

/** Before the request is executed, or after it was. */
export type CommitTime = 'before_commit' | 'after_commit'

/** A fault of a response, as the caller of an endpoint sees it. Times are milliseconds of real time. */
export type ResponseFault =
  | { kind: 'reset'; when?: CommitTime }
  | { kind: 'too_many_requests'; retryAfter?: number }
  | { kind: 'server_error'; status?: number; body?: 'html' | 'empty' | 'truncated' | 'huge'; when?: CommitTime }
  | { kind: 'body'; body?: 'empty' | 'truncated' | 'huge' | 'html' }
  | { kind: 'no_response'; when?: CommitTime }
  | { kind: 'slow_body'; ms?: number; pieces?: number }
  | { kind: 'latency'; ms: number | [min: number, max: number] }

/** A payment or an operation ends with this status code: 1xxx success, 2xxx and 9000 pending, every other failure. */
export type OutcomeFault = { kind: 'status_code'; status_code: string }

/** A fault of a webhook's delivery. `ms` is a time of the emulator's clock. */
export type DeliveryFault =
  | { kind: 'duplicate'; times?: number }
  | { kind: 'delay'; ms?: number }
  | { kind: 'reorder' | 'drop' | 'corrupt_signature' | 'missing_padding' }

/** A fault of contents, in responses and webhooks alike. */
export type ContentFault = {
  kind: 'numbers_as_strings' | 'null_fee' | 'unknown_fields' | 'unknown_status' | 'unknown_method'
}

/** A fault, and the place of its firing. */
export type Fault = (ResponseFault | OutcomeFault | DeliveryFault | ContentFault) & {
  /** Default: any endpoint for a fault of responses and outcomes, else webhooks. */
  on?: Occasion
  /** Fires only for this order. */
  order_id?: string
}

/** The kind of a fault, such as `reset`. */
export type FaultKind = Fault['kind']

/** The places of faults: an endpoint, the customer's payment on the checkout page, a scheduled charge, a webhook. */
export type Occasion = OperationName | 'checkout' | 'charge' | 'webhook'

/** The moment of an occasion: before it is executed, when its outcome is decided, after it was executed, a webhook. */
export type Phase = 'before' | 'outcome' | 'after' | 'webhook'

const WHEN = v.optional(oneOf('time', ['after_commit', 'before_commit'] as const), 'after_commit')

type KindPhase = Phase | 'commit' | 'content'

const kind = <P extends KindPhase, E extends v.ObjectEntries>(phase: P, says: string, entries: E = {} as E) => {
  return { phase, says, entries }
}

const KINDS = {
  reset: kind(
    'commit',
    'The connection breaks before the first byte of the response. The request was executed after_commit, and was ' +
      'not before_commit.',
    { when: WHEN },
  ),
  too_many_requests: kind('before', '429 with a Retry-After header, in seconds. Nothing is executed.', {
    retryAfter: v.optional(wholeNumber(0, 86_400)),
  }),
  server_error: kind(
    'commit',
    'A 5xx with an HTML page, 503 unless you say otherwise, as a proxy sends it. The request may have been executed.',
    {
      status: v.optional(wholeNumber(500, 599)),
      body: v.optional(oneOf('body', ['html', 'empty', 'truncated', 'huge'] as const)),
      when: v.optional(WHEN.wrapped),
    },
  ),
  body: kind(
    'after',
    'The request is executed, and the body of its response is broken; huge has 2 MB of white space.',
    {
      body: v.optional(oneOf('body', ['truncated', 'empty', 'huge', 'html'] as const), 'truncated'),
    },
  ),
  no_response: kind('commit', 'No response is sent until the caller gives up.', { when: v.optional(WHEN.wrapped) }),
  slow_body: kind('after', 'The body of the response arrives in pieces, ten of them unless you say otherwise.', {
    ms: v.optional(number(0, MINUTE)),
    pieces: v.optional(wholeNumber(1, 1000)),
  }),
  latency: kind('before', 'The request waits before it is executed.', { ms: latency }),
  status_code: kind(
    'outcome',
    'The payment or the operation ends with this status code: 1xxx success, 2xxx pending, any other failure.',
    { status_code: statusCode },
  ),
  duplicate: kind('webhook', 'The webhook is delivered again at once.', { times: v.optional(wholeNumber(1, 100)) }),
  reorder: kind('webhook', "The webhook is held until the order's next one has been delivered, for an hour at most."),
  delay: kind(
    'webhook',
    'The webhook is delivered when the clock has advanced, by a minute unless you say otherwise.',
    {
      ms: v.optional(number(0, YEAR), MINUTE),
    },
  ),
  drop: kind('webhook', 'The first attempt is lost. The retry policy sends it again.'),
  corrupt_signature: kind(
    'webhook',
    'The first attempt has a wrong signature. The retry policy sends it again with the right one.',
  ),
  missing_padding: kind('webhook', 'The data has no "=" at its end. The signature matches what is sent.'),
  numbers_as_strings: kind('content', 'Every number is text: "100.5" for 100.5.'),
  null_fee: kind('content', 'The fees are null.'),
  unknown_fields: kind('content', 'There are fields that the API document does not name.'),
  unknown_status: kind('content', 'The status is one that the API document does not name.'),
  unknown_method: kind('content', 'The method is one that the API document does not name.'),
} satisfies Record<FaultKind, { phase: KindPhase; says: string; entries: v.ObjectEntries }>

export const FAULT_KINDS: readonly FaultKind[] = Object.keys(KINDS) as FaultKind[]

export function faultEntries(kind: unknown): v.ObjectEntries {
  return KINDS[kind as FaultKind]?.entries ?? {}
}

export function describeFault(kind: FaultKind): { says: string; of: 'response' | 'webhook' | 'content' } {
  const { says, phase } = KINDS[kind]
  return { says, of: phase === 'webhook' || phase === 'content' ? phase : 'response' }
}

const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as OperationName[]
const OCCASIONS: readonly Occasion[] = [...ENDPOINT_NAMES, 'checkout', 'charge', 'webhook']
const WITH_OUTCOME: readonly Occasion[] = [
  ...ENDPOINT_NAMES.filter((name) => /^(create|capture|refund|void)-/.test(name)),
  'checkout',
  'charge',
]

/** The endpoints that respond with no payment and no operation: there is no fee, status or method to change. */
const WITHOUT_RECORD: readonly Occasion[] = ['list-accounts', 'get-account', 'cancel-recurring']
const WITHOUT_ORDER: readonly Occasion[] = ['list-accounts', 'get-account']

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

export function canChange(fault: Fault, response: Response): boolean {
  if (KINDS[fault.kind].phase === 'content') return hasContents(response)
  const isOfBody = fault.kind === 'slow_body' || (fault.kind === 'body' && /^(truncated|empty)$/.test(fault.body ?? ''))
  return !isOfBody || response.body !== null
}

export function hasContents({ headers, status }: Response): boolean {
  return status === 200 && (headers.get('content-type')?.startsWith('application/json') ?? false)
}

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
