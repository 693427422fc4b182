import * as v from 'valibot'
import { ConfigError } from '../errors.ts'
import { isObject, isReserved, membersOf } from '../lib/kind.ts'
import { DOCUMENTED, didYouMean } from './documented.ts'

/** Reads an unknown value as a `T`. */
export type Schema<T> = v.GenericSchema<unknown, T>

/**
 * Makes a schema. Marked `@__PURE__` where it is called, so that a bundler drops the schemas that a program does not
 * use; without it each call of valibot inside would have to be marked.
 */
export function pure<T>(make: () => T): T {
  return make()
}

/** A schema for each field of an interface. */
export type Entries<T> = { readonly [K in keyof T]-?: Schema<T[K]> }

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

/** `E`, where each schema reads exactly its field of `T`; elsewhere a type that no schema has. */
type Checked<T, E> = {
  [K in keyof T]-?: K extends keyof E
    ? E[K] extends v.GenericSchema
      ? Same<v.InferOutput<E[K]>, T[K]> extends true
        ? E[K]
        : { 'the interface has': T[K]; 'the schema reads': v.InferOutput<E[K]> }
      : never
    : v.GenericSchema<unknown, T[K]>
} & { [K in Exclude<keyof E, keyof T>]: never }

/**
 * The entries of a valibot object schema, checked against the interface that it reads: a field without a schema, a
 * schema without a field, a forgotten `optional` and a schema of another type do not compile.
 */
export function fieldsOf<T>(): <E extends v.ObjectEntries>(entries: E & Checked<T, E>) => E {
  return (entries) => entries
}

type Message = (issue: v.BaseIssue<unknown>) => string

/**
 * The message of a rule. It never repeats the value, as valibot's own messages do: a card number may stand in any
 * field.
 */
export function must(be: string): Message {
  return ({ input }) => (input === undefined ? REQUIRED : `must ${be}`)
}

const REQUIRED = 'is required'

/** The message of an object's own rules; valibot reports a missing field as such a rule. */
export const objectMessage: Message = ({ path }) => (path ? REQUIRED : 'must be an object')

/** An object. valibot's own object schemas accept an array too. */
export const anObject: Schema<Record<string, unknown>> = /* @__PURE__ */ pure(() =>
  v.custom<Record<string, unknown>>(isObject, 'must be an object'),
)

/** An object that is received: fields without a schema are kept. */
export function objectOf<E extends v.ObjectEntries>(
  entries: E,
): v.SchemaWithPipe<readonly [typeof anObject, v.LooseObjectSchema<E, Message>]> {
  return v.pipe(anObject, v.looseObject(entries, objectMessage))
}

/** An object of a call's input. */
export const anInput: Schema<Record<string, unknown>> = /* @__PURE__ */ pure(() =>
  v.pipe(
    anObject,
    rejectNames(
      (input) => Object.keys(input).filter(isReserved),
      () => 'is a reserved name',
    ),
  ),
)

/** An option that may be left out; null is the same as left out. */
export function option<T>(schema: Schema<T>): Schema<T | undefined> {
  return v.pipe(
    v.nullish(schema),
    v.transform((value) => value ?? undefined),
  )
}

/**
 * The options of a call or of a client. Those of a plain object that are not known are rejected: an instance of a class
 * may have more.
 */
export function optionsOf<E extends v.ObjectEntries>(
  entries: E,
  more: readonly string[] = [],
): v.SchemaWithPipe<readonly [typeof anObject, ReturnType<typeof rejectNames>, v.LooseObjectSchema<E, Message>]> {
  const known = [...Object.keys(entries), ...more]
  const unknown = rejectNames(
    (options) => (isPlain(options) ? Object.keys(options).filter((name) => !known.includes(name)) : []),
    (name) => {
      const meant = didYouMean(name, known)
      return meant ? `is not an option${orRather(meant)}` : notAnOption(known)
    },
  )
  return v.pipe(anObject, unknown, ownMembers(entries), v.looseObject(entries, objectMessage)) as never
}

/**
 * The same for a function whose options have no schema.
 * @throws {ConfigError} for the first option that is not known: it would silently do nothing.
 */
export function ownOptions<T extends object>(options: T, known: readonly string[]): T {
  if (!isObject(options)) throw new ConfigError('options', 'The options must be an object.')
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown === undefined) return membersOf(options, known)
  throw new ConfigError(unknown, `${unknown} ${notAnOption(known)}.`)
}

/** Leaves the members of an object and its classes: see {@link membersOf}. */
export const ownMembers = (entries: v.ObjectEntries): v.TransformAction<Options, Options> =>
  v.transform((input) => membersOf(input, Object.keys(entries)))

const notAnOption = (known: readonly string[]) => `is not an option; the options are ${known.join(', ')}`

type Options = Record<string, unknown>

const isPlain = (value: object) => [Object.prototype, null].includes(Object.getPrototypeOf(value))

/** An action of valibot that reports each of the names that `find` finds. */
function rejectNames(
  find: (input: Options) => string[],
  message: (name: string) => string,
): v.BaseValidation<Options, Options, v.BaseIssue<unknown>> {
  return v.rawCheck(({ dataset, addIssue }) => {
    const input: unknown = dataset.value
    if (!isObject(input)) return
    for (const key of find(input)) {
      const value = input[key]
      addIssue({ message: message(key), input: value, path: [{ type: 'object', origin: 'value', input, key, value }] })
    }
  })
}

/**
 * An object of a call's input. A misspelt field would silently do nothing: each is named, where `v.strictObject` names
 * the first.
 */
export function inputObject(entries: v.ObjectEntries): Schema<never> {
  const own = Object.keys(entries)
  const unknown = rejectNames(
    (input) => Object.keys(input).filter((name) => !own.includes(name)),
    (name) => notAParameter(name, own),
  )
  return v.pipe(anInput, ownMembers(entries), v.looseObject(entries, objectMessage), unknown as never) as never
}

/** A name that is near to a documented name: passing it through would not have the intended effect. */
function notAParameter(name: string, own: readonly string[]): string {
  const meant = didYouMean(name, own)
  if (meant) return NO_PARAMETER + orRather(meant)
  const other = didYouMean(name, DOCUMENTED)
  return other ? `${NO_PARAMETER}: ${other} belongs to another call or mode` : NO_PARAMETER
}

const orRather = (meant: string) => `; did you mean ${meant}?`

const NO_PARAMETER = 'is not a parameter of this input'

/** The message of an issue in a call, whose name a schema does not have. */
export const messageIn = (operation: string, message: string): string =>
  message.replace(NO_PARAMETER, `is not a parameter of ${operation}`) +
  (message === NO_PARAMETER ? ' (passThrough takes undocumented fields, under this path)' : '')
