// How a search by words reads, for every list of orders.

/** A search by words has this many letters at least: fewer stand in almost every row. */
const MIN_LETTERS = 3
/** This many words are compared at most. */
const MAX_WORDS = 8
/** A number with this many digits may be a phone's. */
const PHONE = 7
/** This many last digits are compared: the country's code may be left out. */
const COMPARED = 9

/** Small letters, with one apostrophe for those that keyboards and spell checkers write. */
export const sameLetters = (text: string): string => text.toLowerCase().replaceAll(/[’ʼ`´]/g, "'")

/** The last digits of a search that may be a phone number, however it is grouped. A single point is a sum's. */
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

/** The digits of a phone from the last to the first: people leave out how it begins. */
export const backwards = (digits: string): string => [...digits].reverse().join('')

/** The sum that a search is. */
export const sumOf = (search: string): number | undefined =>
  /^\d{1,12}([.,]\d{1,2})?$/.test(search) ? Number(search.replace(',', '.')) : undefined

/** The beginning of a word, as a pattern of SQL with `!` before its signs: an object takes patterns of 50 bytes. */
export const patternOf = (word: string): string => `%${word.slice(0, 16).replaceAll(/[!%_]/g, '!$&')}%`
