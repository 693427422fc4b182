// How the text of a search is read, for every list of orders.

/** A search by words needs at least this many letters: fewer occur in almost every row. */
const MIN_LETTERS = 3
/** At most this many words are compared. */
const MAX_WORDS = 8
/** A number with this many digits may be a phone's. */
const PHONE = 7
/** This many last digits are compared: the country's code may be left out. */
const COMPARED = 9

/** Lower case, with one apostrophe in place of those that keyboards and spell checkers write. */
export const sameLetters = (text: string): string => text.toLowerCase().replaceAll(/[’ʼ`´]/g, "'")

/** The last digits of a search that may be a phone number, however grouped. A text with a single point is a sum. */
export function phoneOf(search: string): string | undefined {
  const digits = search.replaceAll(/\D/g, '')
  const isOther = /[^\d\s()+/.–-]|^[^.]*\.[^.]*$/.test(search)
  return isOther || digits.length < PHONE ? undefined : digits.slice(-COMPARED)
}

/** The words of a search: the digits of a phone number, else the text between spaces, a sum as `=100.50`. */
export function searchedWords(search: string): string[] {
  const text = sameLetters(search)
  if (text.length < MIN_LETTERS) return []
  const phone = phoneOf(text)
  const words = phone !== undefined ? [phone] : text.split(/\s+/).filter(Boolean).slice(0, MAX_WORDS)
  return words.map((word) => (/^\d+[.,]\d\d$/.test(word) ? `=${word.replace(',', '.')}` : word))
}

/** The digits of a phone number, reversed to be found by the end: people leave out its beginning. */
export const backwards = (digits: string): string => [...digits].reverse().join('')

/** The sum, if the search is a sum. */
export const sumOf = (search: string): number | undefined =>
  /^\d{1,12}([.,]\d{1,2})?$/.test(search) ? Number(search.replace(',', '.')) : undefined

/** A LIKE pattern of a word's beginning, with `!` before wildcards: Durable Objects take patterns of 50 bytes. */
export const patternOf = (word: string): string => `%${word.slice(0, 16).replaceAll(/[!%_]/g, '!$&')}%`
