import { expect } from 'vitest'
import { namesIn, sentenceOf } from './row.ts'

/** The document's types, as the shape of an answered value. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}$/

const SHAPES: Record<string, (value: unknown) => void> = {
  UUID: (value) => expect(value).toMatch(UUID),
  String: (value) => expect(value).toBeTypeOf('string'),
  Number: (value) => expect(value).toBeTypeOf('number'),
  Amount: (value) => expect(String(value)).toMatch(/^\d+(\.\d\d?)?$/),
  Boolean: (value) => expect(value).toBeTypeOf('boolean'),
  URL: (value) => expect(URL.canParse(String(value))).toBe(true),
  Object: (value) => expect(Object.prototype.toString.call(value)).toBe('[object Object]'),
  MODE: (value) => expect(namesIn(sentenceOf('types', '| MODE'))).toContain(value),
  METHOD: (value) => expect(namesIn(sentenceOf('types', '| METHOD'))).toContain(value),
  CURRENCY: (value) => expect(value).toMatch(/^[A-Z]{3}$/),
  STATUS: (value) => expect(['init', 'pending', 'success', 'failure']).toContain(value),
  TIMESTAMP: (value) => expect(value).toMatch(TIMESTAMP),
  CC_MASK: (value) => expect(value).toMatch(/^\d{6}\*+\d{4}$/),
  CC_TOKEN: (value) => expect(value).toMatch(/\S/),
  MCC: (value) => expect(value).toMatch(/^\d{4}$/),
  ECI: (value) => expect(value).toMatch(/^\d{2}$/),
}

/** The shape that a type cell asks for: its first word, `String (at most 256)` and `URL or null` included. */
export function shapeOf(cell: string): (value: unknown) => void {
  const known: Record<string, string> = { STATUS_CODE: 'String', 'Object or null': 'Object', 'URL or null': 'URL' }
  const first = cell.replace(/ \(.*$/, '')
  const shape = SHAPES[known[first] ?? first]
  if (shape === undefined) throw new Error(`No shape for the type ${cell}`)
  return shape
}

/** Values that a parameter of a type must not have. */
export const WRONG: Record<string, unknown[]> = {
  UUID: ['not-a-uuid', 5],
  MODE: ['sideways', 1],
  METHOD: ['steal', 1],
  Amount: [0, -0.01, 0.001, 1e-7, 0.1 + 0.2, '10', 1e20, 10_000_000_000_001],
  CURRENCY: ['uah', 'UAHX', 'ZZZ', 980],
  String: [12, { a: 1 }],
  Number: ['12', true],
  CC_NUMBER: [4111111111111111],
  URL: ['no address', 7, 'javascript:alert(1)'],
  MCC: ['abcd', '123'],
  Json: ['text', ['list']],
  Integer: [1.5, '3'],
  Date: ['2026-02-30', '30.04.2026', 20260430],
  Time: ['24:00:00', '10:00', 10],
  Array: [{ a: 1 }, 'text'],
}
