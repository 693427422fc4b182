import * as v from 'valibot'

/**
 * An object with these fields and no others. Each issue is a whole sentence: which field is unknown and the probable
 * name, or which field is missing.
 */
export function fields<const E extends v.ObjectEntries>(
  what: string,
  entries: E,
): v.StrictObjectSchema<E, v.ErrorMessage<v.StrictObjectIssue>> {
  const names = Object.keys(entries)
  return v.strictObject(entries, (issue) => {
    const key = String(issue.path?.at(-1)?.key ?? '')
    if (issue.expected === 'never') return `Unknown ${what} field "${key}".${suggestion(key, names)}${expected(names)}`
    return issue.expected === 'Object' ? `${what} must be an object.` : `${key} is required.`
  })
}

export function oneOf<const W extends readonly string[]>(what: string, words: W): v.PicklistSchema<W, () => string> {
  const message = (issue: { input: unknown }): string =>
    `Unknown ${what} ${shown(issue.input)}.${suggestion(issue.input, words)}${expected(words)}`
  return v.picklist(words, message as () => string)
}

export function number(min: number, max: number): v.GenericSchema<unknown, number> {
  const message = (issue: { input: unknown }): string =>
    `must be a number from ${min} to ${max}, not ${shown(issue.input)}.`
  return v.pipe(
    v.number(message),
    v.check((value) => value >= min && value <= max, message),
  )
}

export function wholeNumber(min: number, max: number): v.GenericSchema<unknown, number> {
  const message = (issue: { input: unknown }): string =>
    `must be a whole number from ${min} to ${max}, not ${shown(issue.input)}.`
  return v.pipe(
    v.number(message),
    v.check((value) => Number.isInteger(value) && value >= min && value <= max, message),
  )
}

/** Half of a surrogate pair cannot be written as UTF-8: not into a webhook, not into an address. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

/** Text with a replacement character for each half of a surrogate pair. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd')
}

/** Far below the depth at which a runtime cannot copy or write JSON. A snapshot holds requests, so it may be deeper. */
const MAX_DEPTH = 500

/** Why JSON cannot be taken, and the path of the text, name or nesting that is the reason: `split[0].products`. */
export function jsonFlaw(
  value: unknown,
  depth: number = MAX_DEPTH,
  path = '',
): { path: string; flaw: string } | undefined {
  if (typeof value === 'string') return isWellFormed(value) ? undefined : { path, flaw: 'must be well-formed Unicode' }
  if (typeof value !== 'object' || value === null) return undefined
  if (depth === 0) return { path: path.slice(0, 60), flaw: 'is nested too deeply' }
  for (const [name, entry] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${name}]` : `${path}${path === '' ? '' : '.'}${wellFormed(name)}`
    const found = isWellFormed(name)
      ? jsonFlaw(entry, depth - 1, at)
      : { path: at, flaw: 'must be well-formed Unicode' }
    if (found !== undefined) return found
  }
  return undefined
}

export const text: v.GenericSchema<unknown, string> = v.pipe(
  v.string('must be a string.'),
  v.minLength(1, 'must not be empty.'),
  v.check(isWellFormed, 'must be well-formed Unicode.'),
)

export const amount: v.GenericSchema<unknown, number> = v.pipe(
  v.number('must be a number.'),
  v.check(
    (value) => value > 0 && value <= 1e12 && /^\d+(\.\d{1,2})?$/.test(String(value)),
    'must be a positive number with at most 2 decimal digits.',
  ),
)

export const statusCode: v.GenericSchema<unknown, string> = v.pipe(
  v.string('must be a string.'),
  v.regex(/^\d{4}$/, 'must be a status code of four digits.'),
)

export const latency: v.GenericSchema<unknown, number | readonly [min: number, max: number]> = v.union(
  [
    number(0, 600_000),
    v.pipe(
      v.tuple([number(0, 600_000), number(0, 600_000)]),
      v.check(([min, max]) => min <= max),
      v.readonly(),
    ),
  ],
  'must be milliseconds (at most 600000), or a range of them like [100, 400].',
)

/**
 * A wrong option or control request, or an action that the state does not allow: the caller's mistake, not the
 * emulator's. `isConfigError` of the SDK accepts it, although the emulator does not share the SDK's classes.
 */
export class InputError extends TypeError {
  override readonly name: string = 'ConfigError'
  readonly code = 'config'
  /** The option or field to fix, if it has a name. */
  readonly field: string

  constructor(message: string, field = '') {
    super(message)
    this.field = field
  }
}

/** @throws {InputError} with every issue, a sentence each. */
export function parseInput<S extends v.GenericSchema>(schema: S, input: unknown): v.InferOutput<S> {
  // valibot takes an array for an object.
  if (schema.type === 'strict_object' && Array.isArray(input))
    throw new InputError('It must be an object, not an array.')
  const result = v.safeParse(schema, input)
  if (result.success) return result.output
  const sentences = result.issues.map((issue) => {
    const path = issue.type === 'strict_object' ? '' : (v.getDotPath(issue) ?? '')
    return path === '' || /^Unknown /.test(issue.message) ? issue.message : `${path}: ${issue.message}`
  })
  throw new InputError([...new Set(sentences)].join(' '), v.getDotPath(result.issues[0]) ?? '')
}

/** ` Did you mean "amount"?`, or nothing when no name is near. */
export function suggestion(word: unknown, names: readonly string[]): string {
  if (typeof word !== 'string') return ''
  const wrong = word.toLowerCase()
  const [nearest] = names
    .map((name) => ({
      name,
      steps: name.toLowerCase().startsWith(wrong) && wrong.length > 1 ? 1 : distance(wrong, name.toLowerCase()),
    }))
    .filter(({ name, steps }) => steps <= Math.min(3, Math.max(1, Math.floor(name.length / 3))))
    .sort((a, b) => a.steps - b.steps)
  return nearest === undefined ? '' : ` Did you mean "${nearest.name}"?`
}

function expected(names: readonly string[]): string {
  return names.length === 0 ? ' No field is expected.' : ` Expected one of: ${names.join(', ')}.`
}

export function shown(value: unknown): string {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch {}
  text ??= typeof value === 'number' ? String(value) : typeof value
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** Levenshtein's: how many letters are added, removed or replaced. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 3) return 4
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1])
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
