import { ENDPOINTS, type OperationName } from '../spec/endpoints.ts'
import type { Random } from '../state/random.ts'

/** A fault of an answer: what the caller of an endpoint gets to see. */
export type ResponseFault =
  /** The connection breaks before the request was executed, or after it was and before the first byte of the answer. */
  | { kind: 'reset'; when: 'before_commit' | 'after_commit' }
  /** 429 with `Retry-After`, in seconds; nothing was executed. */
  | { kind: 'too_many_requests'; retryAfter?: number }
  /** A 500 or 503; executed first unless `when` says otherwise. */
  | {
      kind: 'server_error'
      status?: 500 | 503
      body?: 'html' | 'empty' | 'truncated' | 'huge'
      when?: 'before_commit' | 'after_commit'
    }
  /** The correct response with a broken body: empty, cut off in the middle, or followed by 2 MB of white space. */
  | { kind: 'body'; body: 'empty' | 'truncated' | 'huge' | 'html' }
  /** Nothing ever comes back: the caller has to give up (its signal ends the wait). Executed first unless `when` says otherwise. */
  | { kind: 'no_response'; when?: 'before_commit' | 'after_commit' }
  /** The body arrives in pieces, `ms` of real time between them. */
  | { kind: 'slow_body'; ms?: number; pieces?: number }

/** A fault of a webhook's journey. */
export type DeliveryFault =
  | { kind: 'duplicate'; times?: number }
  /** Held back until the order's next webhook has been delivered (or the clock is advanced by an hour). */
  | { kind: 'reorder' }
  /** Delivered when the clock has advanced. */
  | { kind: 'delay'; ms: number }
  /** The first attempt is lost; the retry policy sends it again. */
  | { kind: 'drop' }
  /** One letter of the signature is wrong at the first attempt; the retry policy sends it again, rightly signed. */
  | { kind: 'corrupt_signature' }
  /** `data` comes without its `=` padding, rightly signed as it is sent. */
  | { kind: 'missing_padding' }

/** A fault of contents, in answers and webhooks alike. */
export type ContentFault =
  | { kind: 'numbers_as_strings' }
  | { kind: 'null_fee' }
  | { kind: 'unknown_fields' }
  | { kind: 'unknown_status' }
  | { kind: 'unknown_method' }

/** A fault, and where it strikes. */
export type Fault = (ResponseFault | DeliveryFault | ContentFault) & {
  /** One operation, or `webhook`. Default: any operation for a fault of responses, webhooks for the others. */
  on?: OperationName | 'webhook'
}

export type FaultKind = Fault['kind']

/** Faults on demand: scripted ones first, in their order, then seeded random ones. */
export interface Faults {
  /** Strikes once (or `times`) at the next occasion that fits. */
  next(fault: Fault, times?: number): void
  /** Strikes with this probability (0 to 1) at each occasion that fits; 0 ends it. Repeatable: the emulator's seed decides. */
  rate(fault: Fault, probability: number): void
  /** Ends all faults. */
  clear(): void
  /** What is scripted or set at this moment. */
  list(): { next: Fault[]; rates: { fault: Fault; probability: number }[] }
}

export type Occasion = OperationName | 'webhook'

export interface FaultBook extends Faults {
  take(occasion: Occasion): Fault[]
}

const RESPONSE_KINDS: readonly FaultKind[] = [
  'reset',
  'too_many_requests',
  'server_error',
  'body',
  'no_response',
  'slow_body',
]
const WEBHOOK_ALONE: readonly FaultKind[] = [
  'duplicate',
  'reorder',
  'delay',
  'drop',
  'corrupt_signature',
  'missing_padding',
]

const CONTENT_KINDS: readonly FaultKind[] = [
  'numbers_as_strings',
  'null_fee',
  'unknown_fields',
  'unknown_status',
  'unknown_method',
]

/** Every kind of fault. */
export const FAULT_KINDS: readonly FaultKind[] = [...RESPONSE_KINDS, ...WEBHOOK_ALONE, ...CONTENT_KINDS]

/** A fault that can never strike would be waited for in vain. */
function checkFault({ kind, on }: Fault): void {
  if (!FAULT_KINDS.includes(kind))
    throw new TypeError(`Unknown fault kind "${String(kind)}". Expected one of: ${FAULT_KINDS.join(', ')}.`)
  const places = [...(Object.keys(ENDPOINTS) as OperationName[]), 'webhook'] as const
  const possible = places.filter((place) => fits({ kind, on: place } as Fault, place))
  if (on !== undefined && !possible.includes(on)) {
    throw new TypeError(`A fault of kind ${kind} can be set on: ${possible.join(', ')}.`)
  }
}

function fits(fault: Fault, occasion: Occasion): boolean {
  if (RESPONSE_KINDS.includes(fault.kind) && occasion === 'webhook') return false
  if (WEBHOOK_ALONE.includes(fault.kind) && occasion !== 'webhook') return false
  if (fault.on !== undefined) return fault.on === occasion
  return RESPONSE_KINDS.includes(fault.kind) || occasion === 'webhook'
}

export function createFaultBook(random: Random): FaultBook {
  let scripted: Fault[] = []
  let rates: { fault: Fault; probability: number }[] = []
  const same = (a: Fault, b: Fault): boolean => JSON.stringify(a) === JSON.stringify(b)

  return {
    next(fault, times = 1) {
      checkFault(fault)
      for (let i = 0; i < times; i++) scripted.push(fault)
    },
    rate(fault, probability) {
      checkFault(fault)
      if (!(probability >= 0 && probability <= 1)) throw new TypeError('A fault rate is a probability from 0 to 1.')
      rates = rates.filter((rate) => !same(rate.fault, fault))
      if (probability > 0) rates.push({ fault, probability })
    },
    clear() {
      scripted = []
      rates = []
    },
    list: () => ({ next: [...scripted], rates: rates.map((rate) => ({ ...rate })) }),
    take(occasion) {
      const index = scripted.findIndex((fault) => fits(fault, occasion))
      const [next] = index < 0 ? [] : scripted.splice(index, 1)
      const triggered = rates.filter(({ fault, probability }) => fits(fault, occasion) && random() < probability)
      return [...(next === undefined ? [] : [next]), ...triggered.map(({ fault }) => fault)]
    },
  }
}
