/** Half of a surrogate pair cannot be written as UTF-8: not into a webhook, not into an address. */
const HALF = /\p{Surrogate}/u

/** Text with a replacement character for each half of a surrogate pair. */
export function wellFormed(text: string): string {
  return HALF.test(text) ? text.replaceAll(new RegExp(HALF, 'gu'), '\ufffd') : text
}

export function isWellFormed(text: string): boolean {
  return !HALF.test(text)
}

/** The path of the first text or name that is not well-formed Unicode: `split[0].products`; undefined when all of it is. */
export function firstMalformed(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return isWellFormed(value) ? undefined : path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, entry] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${name}]` : `${path}${path === '' ? '' : '.'}${wellFormed(name)}`
    const found = isWellFormed(name) ? firstMalformed(entry, at) : at
    if (found !== undefined) return found
  }
  return undefined
}
