// The stored form of an event's record: without the fields that its summary, or another record of its order, has too.

import type { EventSummary } from '../orders/summary.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import { without } from '../schemas/read.ts'
import { restored, type StoredEvent, stored } from '../schemas/stored-event.ts'

/** A record that other records are compared with, and the number of its row. */
export interface Base {
  number: number
  record: Readonly<Record<string, unknown>>
}

/**
 * The body of an event's row. `of`: the number of its base. `lacks`: fields of the base that the record does not have.
 */
type Body = Partial<Omit<StoredEvent, 'record'>> & { of?: number; record: object; lacks?: string[] }

/** Fields of a summary that are not the wire's. */
const OWN = ['id', 'kind', 'unusable', 'fee_amount', 'fee_currency', 'recurring_id', 'expected', 'odd']

const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)

const CARD_FIELDS = /^(cc_number|card_number|pan|card_cvv|cvv2?|cvc2?)$/i

/**
 * A record without card data.
 * @param isKept Whether it keeps `cc_token`.
 * @throws {RangeError} if it is nested too deeply.
 */
export function withoutCardData(record: object, isKept = false): Record<string, unknown> {
  const isCut = (name: string) => CARD_FIELDS.test(name) || (name === 'cc_token' && !isKept)
  return JSON.parse(JSON.stringify(record, (name, value) => (isCut(name) ? undefined : value)))
}

/** The body for an event. @param isKept Whether `cc_token` is stored. */
export function packed(event: WebhookEvent, summary: EventSummary, base: Base | undefined, isKept = false): Body {
  const { record, fields, left, issues } = withoutCardData(stored(event), isKept) as unknown as StoredEvent
  const known: Record<string, unknown> = { ...base?.record, ...without(summary, OWN) }
  const same = Object.keys(record).filter((name) => Object.hasOwn(known, name) && isSame(record[name], known[name]))
  const lacks = Object.keys(known).filter((name) => !Object.hasOwn(record, name))
  return {
    ...(base && { of: base.number }),
    record: without(record, same),
    ...(lacks.length > 0 && { lacks }),
    ...(!isSame(fields, { kind: record.method }) && { fields }),
    ...(left.length > 0 && { left }),
    ...(issues.length > 0 && { issues }),
  }
}

/** An event's record. @param base The record of the row `of`. */
export function recordFrom({ record, lacks = [] }: Body, summary: object, base: object = {}): Record<string, unknown> {
  return { ...without({ ...base, ...without(summary as Record<string, unknown>, OWN) }, lacks), ...record }
}

/** The event that was {@link packed}. */
export function unpacked(body: Body, summary: object, base?: object): WebhookEvent {
  const record = recordFrom(body, summary, base)
  const { fields = { kind: record.method }, left = [], issues = [] } = body
  return restored({ record, fields, left, issues })
}
