// JSON Schema of the valibot schemas that read a route's inputs.

import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'

export type Schema = Record<string, unknown>

/** The SDK's schemas are tests with a message, which describes their values. */
const RULES: [message: RegExp, schema: (...found: string[]) => Schema][] = [
  [
    /^must be a string of (?:(\d+) to|at most) (\d+)/,
    (min, max) => ({ ...text, minLength: +(min ?? 0), maxLength: +`${max}` }),
  ],
  [/^must be one of: (.*)/, (options = '') => ({ ...text, enum: options.split(', ') })],
  [/whole number from (\d+) to (\d+)/, (min, max) => ({ type: 'integer', minimum: +`${min}`, maximum: +`${max}` })],
  [/^must be more than zero|^is undefined/, () => ({ type: 'number', exclusiveMinimum: 0 })],
  [/^must be a number/, () => ({ type: 'number' })],
  [/^must be true or false/, () => ({ type: 'boolean' })],
  [/^must be an array/, () => ({ type: 'array', items: { type: 'object' } })],
  [/^must be an object/, () => ({ type: 'object' })],
  [/^must be a non-empty string/, () => ({ ...text, minLength: 1 })],
  [/^must be a string/, () => text],
  [/^must be well-formed|^must not be/, () => ({})],
  [/^must be (.*)/, (be = '') => ({ ...text, description: `${be.charAt(0).toUpperCase()}${be.slice(1)}` })],
]
const text = { type: 'string' }

function ruleOf({ message }: v.CustomSchema<unknown, v.ErrorMessage<v.CustomIssue> | undefined>): Schema {
  const said = typeof message === 'function' ? message({ input: 0 } as v.CustomIssue) : (message ?? '')
  for (const [pattern, schema] of RULES) {
    const [whole, ...found] = pattern.exec(said) ?? []
    if (whole !== undefined) return schema(...found)
  }
  return {}
}

/** The JSON Schema of valibot's. */
export const jsonSchema = (schema: v.GenericSchema): Schema => tidy(convert(schema))

function convert(schema: v.GenericSchema): Schema {
  const { $schema, ...found } = toJsonSchema(schema as never, {
    ...{ errorMode: 'ignore', target: 'draft-2020-12' },
    overrideSchema({ valibotSchema, jsonSchema: before }) {
      const one = valibotSchema as v.GenericSchema & { getter?: (input: unknown) => v.GenericSchema }
      if (one.type === 'custom') return { ...before, ...ruleOf(one as never) } as never
      if (!one.getter) return undefined
      const forms = ['', 1, true, {}].map((value) => JSON.stringify(convert(one.getter?.(value) as v.GenericSchema)))
      return { anyOf: [...new Set(forms)].map((form) => JSON.parse(form)) } as never
    },
  }) as Schema
  return found
}

/** `null` beside one type is a second one; a card's token is never shown. */
function tidy<T>(value: T): T {
  if (Array.isArray(value)) return value.map(tidy) as T
  if (typeof value !== 'object' || value === null) return value
  const { anyOf, ...rest } = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, tidy(one)]))
  delete rest.cc_token
  if (!Array.isArray(anyOf)) return rest as T
  const [one, none] = anyOf as Schema[]
  const isPlain = typeof one?.type === 'string' && one.enum === undefined && none?.type === 'null'
  return (isPlain ? { ...one, type: [one.type, 'null'], ...rest } : { anyOf, ...rest }) as T
}
