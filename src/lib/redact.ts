import { isSecretField } from './card-data.ts'
import { isIssuedCardNumber } from './card-number.ts'

/** Hides secrets in a text that a person may read. */
export interface Redactor {
  /** A text of at most `limit` characters, without secrets and card numbers. */
  text(text: string, limit?: number): string
  /** A copy of JSON, bounded to about `limit` characters and 50 levels; a text is redacted as a text. */
  value(value: unknown, limit: number): unknown
}

/** Replaces secrets and card data. */
const REDACTED = '[redacted]'
/** Replaces the text beyond the limit. */
const CUT = '[cut]'
const MAX_DEPTH = 50

/** A part of a text. `soft` matches are guesses, dropped when they fall inside a UUID. */
interface Match {
  start: number
  end: number
  soft: boolean
}

/**
 * Makes a redactor for the secrets of one call. It hides
 * - the secrets themselves, also percent-encoded and JSON-escaped; short secrets only as whole words;
 * - a card number among the secrets in any grouping, with any separator but letters and the signs of masks, and every
 *   part with 7 digits or more;
 * - anything else that is a card number by check digit, issuer prefix and length, never inside a UUID;
 * - the values of card fields in JSON, also in JSON that is cut off.
 *
 * All matches are found in the original text and replaced once, so no replacement can hide or make another match.
 */
export function redactor(secrets: readonly string[]): Redactor {
  const cards = secrets.filter(isCardLike).map(digitsOf)
  const literals = [...new Set(secrets.filter(Boolean).flatMap(spellings))]
  const longest = Math.max(LONGEST_GROUPED_CARD, ...literals.map(({ length }) => length))
  const text = (original: string, limit = Number.POSITIVE_INFINITY): string => {
    // A secret at the limit is found whole before it is cut.
    const seen = original.slice(0, limit + longest)
    const plain = blankEscapes(seen)
    const found = [
      ...findLiterals(seen, plain, literals),
      ...findCardNumbers(seen, cards),
      ...(plain === seen ? [] : findCardNumbers(plain, cards)),
      ...findCardFields(seen),
    ]
    return replace(seen, outsideUuids(seen, found), Math.min(limit, seen.length))
  }
  return { text, value: (value, limit) => redactValue(value, limit, text) }
}

function redactValue(value: unknown, limit: number, text: Redactor['text']): unknown {
  const result: { body?: unknown } = {}
  const todo = [{ target: result as object, key: 'body', value, depth: 0 }]
  let left = limit
  // Level by level: when the whole value has no room, the outer fields are kept.
  for (const { target, key, value: inner, depth } of todo) {
    const name = depth === 0 || Array.isArray(target) ? key : text(key, left)
    let copy: unknown = inner
    if (left <= 0) copy = CUT
    else if (depth > 0 && inner !== null && isSecretField(key)) copy = REDACTED
    else if (typeof inner === 'string') copy = text(inner, left)
    else if (typeof inner === 'number' && text(String(inner)) !== String(inner)) copy = REDACTED
    else if (inner !== null && typeof inner === 'object') {
      copy = depth === MAX_DEPTH ? CUT : Array.isArray(inner) ? [] : {}
      for (const [name, child] of Object.entries(inner).slice(0, limit))
        if (copy !== CUT) todo.push({ target: copy as object, key: name, value: child, depth: depth + 1 })
    }
    Object.defineProperty(target, name, { value: copy, enumerable: true, configurable: true, writable: true })
    if (left <= 0) break
    left -= name.length + (typeof copy === 'object' ? 4 : String(copy).length + 4)
  }
  return result.body
}

/** A secret as it may be written in a text or an address. */
function spellings(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1)
  try {
    return [secret, escaped, encodeURIComponent(secret)]
  } catch {
    return [secret, escaped]
  }
}

/** The same text with spaces in place of escapes such as `%20`, whose digits belong to no number. */
function blankEscapes(text: string): string {
  return text.replace(/%[\da-f]{2}|\\u[\da-f]{4}|&nbsp;|&#160;/gi, (code) => ' '.repeat(code.length))
}

function findLiterals(text: string, plain: string, literals: readonly string[]): Match[] {
  const found: Match[] = []
  for (const literal of literals) {
    // A CVV, and anything as short, is a part of many numbers and words.
    const soft = literal.length < 4 || /^\d{4,7}$/.test(literal)
    for (let start = text.indexOf(literal); start >= 0; start = text.indexOf(literal, start + 1)) {
      const end = start + literal.length
      if (!soft || standsAlone(plain, start, end)) found.push({ start, end, soft })
    }
  }
  return found
}

/** Whether a part of a text cuts no number and no word in two. */
function standsAlone(text: string, start: number, end: number): boolean {
  const inside = (a: string | undefined, b: string | undefined) =>
    [/\d/, /\p{L}/u].some((kind) => kind.test(a ?? '') && kind.test(b ?? ''))
  return !inside(text[start - 1], text[start]) && !inside(text[end - 1], text[end])
}

const isCardLike = (secret: string): boolean => /^\d{12,19}$/.test(digitsOf(secret))
const digitsOf = (text: string): string => text.replace(/[\s.-]/g, '')

/** Digits of a sent card number that may be shown: masks show the first six and the last four. */
const SHOWN_DIGITS = 6
/** Digits of the longest card number. */
const LONGEST_CARD = 19
/**
 * Enough characters for a number whose every digit is a group: all 19 digits of a number that was not sent, seven of a
 * sent number.
 */
const LONGEST_GROUPED_CARD = LONGEST_CARD * 8

function findCardNumbers(text: string, cards: readonly string[]): Match[] {
  return [
    ...digitRuns(text, ANY_SEPARATOR).flatMap((run) => findSentCards(run, cards)),
    ...digitRuns(text, SEPARATOR).flatMap(findIssuedCards),
  ]
}

function findSentCards(run: DigitRun, cards: readonly string[]): Match[] {
  const found: Match[] = []
  const find = (some: string, soft: boolean) => {
    for (let i = run.digits.indexOf(some); i >= 0; i = run.digits.indexOf(some, i + 1))
      found.push(matchOf(run, i, some.length, soft))
  }
  for (const card of cards) {
    find(card, false)
    for (let part = 0; part + SHOWN_DIGITS < card.length; part++) find(card.slice(part, part + SHOWN_DIGITS + 1), true)
  }
  return found
}

/** Card numbers that were not sent. Each begins and ends with a group of digits. */
function findIssuedCards(run: DigitRun): Match[] {
  const { digits, groups } = run
  const found: Match[] = []
  const ends = [...groups.slice(1), digits.length]
  for (const [index, start] of groups.entries()) {
    // No network has card numbers that begin with another digit.
    if (!/[2-69]/.test(digits[start] as string)) continue
    for (const end of ends.slice(index, index + LONGEST_CARD)) {
      const number = digits.slice(start, end)
      if (isIssuedCardNumber(number)) found.push(matchOf(run, start, number.length, true))
      if (number.length >= LONGEST_CARD) break
    }
  }
  return found
}

/** Some digits of a run as a part of its text. */
const matchOf = ({ at }: DigitRun, from: number, length: number, soft: boolean): Match => ({
  start: at[from] as number,
  end: (at[from + length - 1] as number) + 1,
  soft,
})

/** Separators between two groups of a number's digits. More would cut dates, amounts and lists of numbers. */
const SEPARATOR = /^[\s.\-\u2010-\u2015+]{1,6}$/
/** The same for a known number: all but letters, digits and the signs of masks, which may be shown. */
const ANY_SEPARATOR = /^[^\p{L}\p{N}*•●#]{1,12}$/u

interface DigitRun {
  digits: string
  /** Where each digit stands in the text. */
  at: number[]
  /** The index of the first digit of each group. */
  groups: number[]
}

function digitRuns(text: string, separator: RegExp): DigitRun[] {
  const runs: DigitRun[] = []
  let end = 0
  for (const { 0: group, index } of text.matchAll(/\d+/g)) {
    let run = runs.at(-1)
    if (!run || !separator.test(text.slice(end, index))) {
      run = { digits: '', at: [], groups: [] }
      runs.push(run)
    }
    run.groups.push(run.digits.length)
    run.digits += group
    for (let i = 0; i < group.length; i++) run.at.push(index + i)
    end = index + group.length
  }
  return runs
}

function findCardFields(text: string): Match[] {
  const fields = /("(?:cc_number|card_cvv|cc_token|exp_month|exp_year)"\s*:\s*)("(?:[^"\\]|\\.)*"?|[\d.]+)/g
  return [...text.matchAll(fields)].map(({ 0: all, 1: name = '', 2: value = '', index }) => {
    const quoted = value.startsWith('"') ? 1 : 0
    const start = index + name.length + quoted
    const closed = quoted && value.length > 1 && value.endsWith('"') ? 1 : 0
    return { start, end: index + all.length - closed, soft: false }
  })
}

function outsideUuids(text: string, found: Match[]): Match[] {
  const uuids = [...text.matchAll(/(?<![\da-z])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\da-z])/gi)]
  return found.filter(
    ({ start, end, soft }) => !soft || !uuids.some(({ 0: uuid, index }) => start < index + uuid.length && end > index),
  )
}

/** Replaces the matches, overlapping matches together, and keeps every match that begins before the limit. */
function replace(text: string, found: Match[], limit: number): string {
  let result = ''
  let position = 0
  for (const { start, end } of found.sort((a, b) => a.start - b.start)) {
    if (start >= limit) break
    // Those that touch or overlap are one.
    if (result === '' || start > position) result += text.slice(position, start) + REDACTED
    position = Math.max(position, end)
  }
  return result + text.slice(position, Math.max(position, limit))
}
