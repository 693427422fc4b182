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
   * Fires once (or `times`, at most 1,000) on the next matching request or webhook. A request that is rejected before
   * it gets that far does not use a fault up, and neither does a response that it cannot change.
   * @throws {ConfigError} for a fault that could never fire as it is written.
   */
  next(fault: Fault, times?: number): void
  /** Fires with this probability (0 to 1) whenever it matches; 0 ends it. Repeatable: the emulator's seed decides. */
  rate(fault: Fault, probability: number): void
  /** Ends all faults. */
  clear(): void
  /** The faults that are scripted or set at this moment. */
  list(): { next: Fault[]; rates: { fault: Fault; probability: number }[] }
  /** The last 1,000 faults that fired, oldest first. */
  fired(): FaultOccurrence[]
}

export interface SavedFaults {
  scripted: { fault: Fault; times: number }[]
  rates: { fault: Fault; probability: number }[]
  fired: FaultOccurrence[]
}

export interface FaultParts {
  random: Random
  now(): number
  onFired?(fired: FaultOccurrence): void
}

const MAX_WAITING = 10_000
const MAX_FIRED = 1000

export class FaultBook implements Faults {
  private scripted: { fault: Fault; times: number }[] = []
  private rates: { fault: Fault; probability: number }[] = []
  private occurred: FaultOccurrence[] = []
  private readonly parts: FaultParts

  constructor(parts: FaultParts) {
    this.parts = parts
  }

  next(input: Fault, times = 1): void {
    const fault = parseFault(input)
    parseInput(v.object({ times: wholeNumber(1, 1000) }), { times })
    const waiting = this.scripted.reduce((sum, entry) => sum + entry.times, times)
    if (waiting > MAX_WAITING)
      throw new InputError(`More than ${MAX_WAITING} faults would be waiting; clear them first.`)
    this.scripted.push({ fault, times })
  }

  rate(input: Fault, probability: number): void {
    const fault = parseFault(input)
    parseInput(v.object({ probability: number(0, 1) }), { probability })
    const others = this.rates.filter((rate) => JSON.stringify(rate.fault) !== JSON.stringify(fault))
    if (others.length >= 1000) throw new InputError('More than 1000 fault rates would be set; clear them first.')
    this.rates = probability > 0 ? [...others, { fault, probability }] : others
  }

  clear(): void {
    this.restore({ scripted: [], rates: [], fired: [] })
  }

  list(): { next: Fault[]; rates: { fault: Fault; probability: number }[] } {
    return {
      next: this.scripted.flatMap(({ fault, times }) => Array.from({ length: times }, () => ({ ...fault }))),
      rates: this.rates.map(({ fault, probability }) => ({ fault: { ...fault }, probability })),
    }
  }

  fired(): FaultOccurrence[] {
    return this.occurred.map((one) => ({ ...one }))
  }

  forget(orderId: string): void {
    this.scripted = this.scripted.filter(({ fault }) => fault.order_id !== orderId)
    this.rates = this.rates.filter(({ fault }) => fault.order_id !== orderId)
    this.occurred = this.occurred.filter((one) => one.order_id !== orderId)
  }

  save(): SavedFaults {
    return { scripted: this.scripted, rates: this.rates, fired: this.occurred }
  }

  restore(saved: SavedFaults): void {
    ;({ scripted: this.scripted, rates: this.rates, fired: this.occurred } = saved)
  }

  /** The faults that fire at this moment; they are used up, but for those without an effect. */
  take(occasion: Occasion, phase: Phase, orderId?: string, hasEffect: (fault: Fault) => boolean = () => true): Fault[] {
    const matches = (fault: Fault): boolean => firesAt(fault, occasion, phase, orderId)
    // Check the effect last, so that it does not shift the random numbers of the other faults.
    const chosen = this.rates.filter(
      ({ fault, probability }) => matches(fault) && this.parts.random() < probability && hasEffect(fault),
    )
    const scripted = this.scripted.find(({ fault }) => matches(fault) && hasEffect(fault))
    if (scripted !== undefined) scripted.times -= 1
    this.scripted = this.scripted.filter(({ times }) => times > 0)
    const faults = [...(scripted === undefined ? [] : [scripted]), ...chosen].map(({ fault }) => fault)
    for (const { kind } of faults) {
      const at = this.parts.now()
      const one = { at, kind, on: occasion, ...(orderId === undefined ? {} : { order_id: orderId }) }
      this.occurred.push(one)
      this.parts.onFired?.(one)
    }
    if (this.occurred.length > MAX_FIRED) this.occurred = this.occurred.slice(-MAX_FIRED)
    return faults
  }
}
