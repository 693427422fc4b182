/** Whether a value is an object and not an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value is of a built-in class, such as `Date`. Not `instanceof`: it may be of another realm. */
export const isBuiltIn = (value: unknown, name: string): boolean =>
  Object.prototype.toString.call(value) === `[object ${name}]`

/** Names that valibot's objects drop unseen, since an assignment to them could change a prototype. */
export const isReserved = (name: string): boolean => /^(__proto__|constructor|prototype)$/.test(name)

/**
 * A copy of an object's own members, and of those of its classes that are asked for. Additions to `Object.prototype`
 * are left out: they would change every payment.
 */
export function membersOf<T extends object>(source: T, names: readonly string[] = []): T {
  const copy = Object.assign(Object.create(null), source)
  for (const name of names) {
    const value = name in copy ? undefined : memberOf(source, name)
    if (value !== undefined) copy[name] = value
  }
  return copy
}

/** A member of an object or of its classes. */
export function memberOf(source: object, name: string): unknown {
  const value = source[name as keyof object] as unknown
  return value !== Object.prototype[name as keyof object] || Object.hasOwn(source, name) ? value : undefined
}

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
