/** Whether a value is an object and not an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Names that valibot's objects drop unseen, since an assignment to them could change a prototype. */
export const isReserved = (name: string): boolean => /^(__proto__|constructor|prototype)$/.test(name)

/** The kind of a value, for an error: never the value itself. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return kindOfNumber(value)
  if (typeof value !== 'string') return typeof value
  return value === '' ? 'empty string' : `string of ${countCharacters(value)} characters`
}

function kindOfNumber(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : 'infinite number'
  if (value === 0) return 'zero'
  const [, decimals = ''] = String(value).split('.')
  const kind = value < 0 ? 'negative number' : 'number'
  return decimals.length > 2 ? `${kind} with more than 2 decimals` : kind
}

/** Characters (code points) of a text: an emoji is one, and two UTF-16 units. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
