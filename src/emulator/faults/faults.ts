import * as v from 'valibot'
import { InputError, number, parseInput, wholeNumber } from '../parse-input.ts'
import type { Random } from '../state/random.ts'
import { type Fault, type FaultKind, firesAt, type Occasion, type Phase, parseFault } from './fault.ts'

/** A fault that fired. */
export interface FaultOccurrence {
  /** Milliseconds since the epoch, on the emulator's clock. */
  at: number
  kind: FaultKind
  on: Occasion
  order_id?: string
}

/** Faults on demand: scripted ones first, in their order, then seeded random ones. */
export interface Faults {
  /**
   * Fires once (or `times`, at most 1,000) on the next matching request or webhook. A request that is rejected before it gets
   * that far does not use a fault up, and neither does a response that it cannot change.
   * @throws {ConfigError} for a fault that could never fire as it is written.
   */
  next(fault: Fault, times?: number): void
  /** Fires with this probability (0 to 1) whenever it matches; 0 ends it. Repeatable: the emulator's seed decides. */
  rate(fault: Fault, probability: number): void
  /** Ends all faults. */
  clear(): void
  /** What is scripted or set at this moment. */
  list(): { next: Fault[]; rates: { fault: Fault; probability: number }[] }
  /** The last 1,000 faults that fired, oldest first. */
  fired(): FaultOccurrence[]
}

export interface FaultBook extends Faults {
  /** The faults that fire at this moment; they are used up, but for those without an effect. */
  take(occasion: Occasion, phase: Phase, orderId?: string, hasEffect?: (fault: Fault) => boolean): Fault[]
  /** Forgets what was set for this order, and what fired on it. */
  forget(orderId: string): void
  save(): SavedFaults
  restore(saved: SavedFaults): void
}

export interface SavedFaults {
  scripted: { fault: Fault; times: number }[]
  rates: { fault: Fault; probability: number }[]
  fired: FaultOccurrence[]
}

export interface FaultParts {
  random: Random
  now(): number
  /** Called for each fault that fires. */
  onFired?(fired: FaultOccurrence): void
}

const MAX_WAITING = 10_000
const MAX_FIRED = 1000

export function createFaultBook({ random, now, onFired }: FaultParts): FaultBook {
  let scripted: { fault: Fault; times: number }[] = []
  let rates: { fault: Fault; probability: number }[] = []
  let fired: FaultOccurrence[] = []
  const same = (a: Fault, b: Fault): boolean => JSON.stringify(a) === JSON.stringify(b)

  function takeScripted(matches: (fault: Fault) => boolean): Fault[] {
    const index = scripted.findIndex(({ fault }) => matches(fault))
    const entry = scripted[index]
    if (entry === undefined) return []
    entry.times -= 1
    if (entry.times === 0) scripted.splice(index, 1)
    return [entry.fault]
  }

  return {
    next(input, times = 1) {
      const fault = parseFault(input)
      parseInput(v.object({ times: wholeNumber(1, 1000) }), { times })
      const waiting = scripted.reduce((sum, entry) => sum + entry.times, times)
      if (waiting > MAX_WAITING)
        throw new InputError(`More than ${MAX_WAITING} faults would be waiting; clear them first.`)
      scripted.push({ fault, times })
    },
    rate(input, probability) {
      const fault = parseFault(input)
      parseInput(v.object({ probability: number(0, 1) }), { probability })
      const others = rates.filter((rate) => !same(rate.fault, fault))
      if (others.length >= 1000) throw new InputError('More than 1000 fault rates would be set; clear them first.')
      rates = probability > 0 ? [...others, { fault, probability }] : others
    },
    clear() {
      scripted = []
      rates = []
      fired = []
    },
    list: () => ({
      next: scripted.flatMap(({ fault, times }) => Array.from({ length: times }, () => ({ ...fault }))),
      rates: rates.map(({ fault, probability }) => ({ fault: { ...fault }, probability })),
    }),
    fired: () => fired.map((one) => ({ ...one })),
    forget(orderId) {
      scripted = scripted.filter(({ fault }) => fault.order_id !== orderId)
      rates = rates.filter(({ fault }) => fault.order_id !== orderId)
      fired = fired.filter((one) => one.order_id !== orderId)
    },
    save: () => ({ scripted, rates, fired }),
    restore(saved) {
      ;({ scripted, rates, fired } = saved)
    },
    take(occasion, phase, orderId, hasEffect = () => true) {
      const matches = (fault: Fault): boolean => firesAt(fault, occasion, phase, orderId)
      // Whether it has an effect comes last: it must not shift the random numbers of the other faults.
      const chosen = rates.filter(
        ({ fault, probability }) => matches(fault) && random() < probability && hasEffect(fault),
      )
      const faults = [
        ...takeScripted((fault) => matches(fault) && hasEffect(fault)),
        ...chosen.map(({ fault }) => fault),
      ]
      for (const { kind } of faults) {
        const one = { at: now(), kind, on: occasion, ...(orderId === undefined ? {} : { order_id: orderId }) }
        fired.push(one)
        onFired?.(one)
      }
      if (fired.length > MAX_FIRED) fired = fired.slice(-MAX_FIRED)
      return faults
    },
  }
}
