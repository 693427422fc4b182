import type { Schema } from './fields.ts'

type Test = (value: unknown) => boolean

/** The public members of valibot's schemas and actions that are read here. Which of them there are, `type` says. */
interface Parts {
  type: string
  pipe?: readonly Parts[]
  entries: Record<string, Parts>
  wrapped: Parts
  default: unknown
  options: readonly unknown[]
  check: Test
}

/**
 * Compiles a schema into a test "this value passes, and stays as it is", which spares a webhook the copies that valibot makes.
 * It says yes only where `v.safeParse` accepts the value and returns an equal one. It may say no to anything: then ask valibot.
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
    case 'string':
    case 'boolean':
      return (value) => typeof value === parts.type
    case 'number':
      return (value) => typeof value === 'number' && !Number.isNaN(value)
    case 'finite':
      return Number.isFinite
    case 'custom':
      return parts.check
    case 'picklist':
      return (value) => parts.options.includes(value)
    case 'nullish': {
      const inner = compile(parts.wrapped)
      return parts.default === undefined ? (value) => value == null || inner(value) : never
    }
    case 'union':
      // valibot returns what the first option that fits makes of a value.
      return compile(parts.options[0] as Parts)
    case 'loose_object':
      return compileObject(parts.entries)
    default:
      return never
  }
}

function compileObject(entries: Record<string, Parts>): Test {
  const fields = Object.entries(entries).map(([name, parts]) => ({ name, test: compile(parts) }))
  return (value) => {
    if (!isPlain(value)) return false
    for (const { name, test } of fields) if (!test(value[name])) return false
    return true
  }
}

/** A plain object without the names that valibot's objects drop. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false
  return !(
    Object.hasOwn(value, '__proto__') ||
    Object.hasOwn(value, 'constructor') ||
    Object.hasOwn(value, 'prototype')
  )
}

const never = () => false
