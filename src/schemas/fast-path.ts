import { isReserved } from '../lib/kind.ts'
import type { Schema } from './fields.ts'
import { text } from './values.ts'

type Test = (value: unknown) => boolean

/** The public members of valibot's schemas and actions that are read here. They depend on `type`. */
interface Parts {
  type: string
  pipe?: readonly Parts[]
  entries: Record<string, Parts>
  wrapped: Parts
  default: unknown
  check: Test
  operation: (value: unknown) => unknown
}

/**
 * Compiles a schema into a test "this value passes, and stays as it is", which spares a webhook the copies that valibot
 * makes. It returns true only if `v.safeParse` accepts the value and returns an equal value. It may return false for
 * any value: then valibot decides.
 */
export function unchanged(schema: Schema<unknown>): Test {
  let compiled: Test | undefined
  return (value) => {
    compiled ??= compile(schema as unknown as Parts)
    return compiled(value)
  }
}

function compile(parts: Parts): Test {
  if (parts.pipe) {
    // The first item of a pipe is the schema that it extends.
    return parts.pipe.map(compile).reduce((earlier, test) => (value) => earlier(value) && test(value))
  }
  switch (parts.type) {
    case 'custom':
      return parts.check
    case 'nullish': {
      const inner = compile(parts.wrapped)
      return parts.default === undefined ? (value) => value == null || inner(value) : never
    }
    case 'transform':
      return (value) => parts.operation(value) === value
    case 'loose_object':
      return compileObject(parts.entries)
    default:
      return never
  }
}

/** One pass over the present fields, texts only by `typeof`, and a count of the required fields. */
function compileObject(entries: Record<string, Parts>): Test {
  const texts = new Map<string, boolean>()
  const tests = new Map<string, Test>()
  const required = new Set<string>()
  for (const [name, parts] of Object.entries(entries)) {
    const isOptional = parts.type === 'nullish'
    if (!isOptional) required.add(name)
    const inner = isOptional && parts.default === undefined ? parts.wrapped : parts
    if ((inner as unknown) === text) texts.set(name, isOptional)
    else tests.set(name, compile(parts))
  }
  return (value) => {
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false
    const record = value as Record<string, unknown>
    let found = 0
    for (const name in record) {
      const field = record[name]
      const isOptional = texts.get(name)
      if (isOptional !== undefined) {
        if (typeof field !== 'string' && !(isOptional && field === null)) return false
        if (!isOptional) found++
        continue
      }
      const test = tests.get(name)
      // Names that valibot's objects drop, and values that JSON does not have.
      if (test ? !test(field) : field === undefined || isReserved(name)) return false
      if (test && required.has(name)) found++
    }
    return found === required.size
  }
}

const never = () => false
