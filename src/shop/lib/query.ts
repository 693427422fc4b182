import { binaryToBytes, decodeBase64urlBinary, encodeBase64url } from '../../lib/base64url.ts'
import { sha256Base64url } from '../../lib/sha256.ts'
import { encodeUtf8 } from '../../lib/utf8.ts'
import { ProblemError } from './problem.ts'

/**
 * The time of a text that begins with a day; NaN if that day does not exist: `Date.parse` takes 30 February for 2
 * March.
 */
export function parseTime(text: string): number {
  const [day = ''] = text.split('T')
  const midnight = Date.parse(day)
  return Number.isFinite(midnight) && new Date(midnight).toISOString().startsWith(day) ? Date.parse(text) : Number.NaN
}

const CHECK_LENGTH = 8

/**
 * A place in a listing as text. It has a check, because KV takes some broken cursors for an end, and a program would
 * miss orders. The check includes the listing's name, so that a cursor of another listing is rejected too.
 */
export function sealCursor(place: unknown, listing: string): string | null {
  if (place === undefined) return null
  const text = encodeBase64url(encodeUtf8(JSON.stringify(place)), false)
  return checkOf(text, listing) + text
}

/** @throws {ProblemError} for a cursor that no page of this listing returned. */
export function openCursor<P>(cursor: string | undefined, listing: string): P | undefined {
  if (cursor === undefined) return undefined
  const text = cursor.slice(CHECK_LENGTH)
  if (text !== '' && cursor === checkOf(text, listing) + text) {
    return JSON.parse(new TextDecoder().decode(binaryToBytes(decodeBase64urlBinary(text) ?? '')))
  }
  throw new ProblemError(
    400,
    'invalid_cursor',
    'cursor must be the one that the previous page returned, with the same parameters.',
  )
}

const checkOf = (text: string, listing: string): string => sha256Base64url(`${listing}\n${text}`).slice(0, CHECK_LENGTH)
