import { isWellFormed } from '../parse-input.ts'

/** Text with a replacement character for each half of a surrogate pair. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd')
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
