import * as v from 'valibot'
import { describeIssues, type Issue } from '../../errors.ts'
import { objectMessage } from '../../schemas/fields.ts'
import { issueAt, textThat, wholeNumber } from '../../schemas/input.ts'
import { toIssue } from '../../schemas/read.ts'
import { text } from '../../schemas/values.ts'
import type { Group } from '../lib/configuration.ts'
import { jsonBody } from '../lib/json-body.ts'
import type { Actor, Right } from '../lib/people.ts'
import { ProblemError } from '../lib/problem.ts'
import { parseTime } from '../lib/query.ts'
import type { C, Scope } from '../scope.ts'
import type { Call, Returns, Takes } from './calls.ts'

/** The context of an actor's request. */
export type ActorScope = Scope & Actor

type None = Record<never, never>
type Read<Entries extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<Entries, undefined>>

/** A request as the schemas of a row read it. */
export interface RouteInput<Query, Body> {
  query: Query
  body: Body
}

/** A row of `/api`. */
export interface Route<K extends Call = Call> {
  /** Its name in the OpenAPI document, and among an assistant's tools. */
  id: string
  /** The required right. */
  may: Right
  /** The bindings that it needs. */
  needs: Group
  /**
   * The parameters of the query, and the fields of the body; any other field is rejected. A row without a body reads
   * none.
   */
  query?: v.ObjectEntries
  body?: v.ObjectEntries
  /** Its own error codes. Every route has others, and so does each route with a body or a cursor. */
  errors?: readonly string[]
  /** The statuses with the body of its success, 200 unless given; the first status if `run` returns a body. */
  statuses?: readonly [number, ...number[]]
  /** Returns the body of its success; a response only if the status depends on the result. */
  run: (c: C, scope: ActorScope, input: RouteInput<never, never>) => Promise<Returns[K] | Response>
}

const NOT_DONE = 'The input is not valid; nothing was done.'

/** Rows by their calls. */
export type Routes<K extends Call> = { readonly [C in K]: Route<C> }

/** A schema for each input that a call takes, and no other. */
type Entries<K extends Call, Part extends string, Given> = {
  [N in keyof Inputs<K, Part>]-?: v.GenericSchema
} & { [N in Exclude<keyof Given, keyof Inputs<K, Part>>]: never }
type Inputs<K extends Call, Part extends string> = Required<Takes<K>>[Part & keyof Takes<K>]

/** A row: its function gets the values that its own schemas read. */
export function route<K extends Call, Q extends v.ObjectEntries = None, B extends v.ObjectEntries = None>(
  row: Omit<Route<K>, 'run' | 'query' | 'body'> & {
    query?: Q & Entries<K, 'query', Q>
    body?: B & Entries<K, 'body', B>
    run: (c: C, scope: ActorScope, input: RouteInput<Read<Q>, Read<B>>) => Promise<Returns[K] | Response>
  },
): Route<K> {
  return row as Route<K>
}

/** Reads the query and the body. @throws {ProblemError} that names every mistake in the query or the body. */
export async function readInput({ req }: C, { query = {}, body }: Route): Promise<RouteInput<never, never>> {
  const all = Object.entries(req.queries())
  const twice = all.filter(([, values]) => values.length > 1)
  const input = all.map(([name, [value = '']]) => [name, name === 'limit' && /^\d{1,9}$/.test(value) ? +value : value])
  const issues = twice.map(([name, values]) => issueAt(name, 'was given more than once', values))
  return {
    query: check('invalid_parameter', query, Object.fromEntries(input), issues) as never,
    body: (body && check('invalid_input', body, await jsonBody(req.raw))) as never,
  }
}

function check(code: string, entries: v.ObjectEntries, input: Record<string, unknown>, issues: Issue[] = []): object {
  const names = Object.keys(entries)
  const unknown = Object.keys(input).filter((name) => !names.includes(name))
  const message = `is unknown: this route takes ${names.join(', ') || 'none'}`
  const read = v.safeParse(v.looseObject(entries, objectMessage), input)
  const wrong = [...unknown.map((name) => issueAt(name, message, input[name])), ...(read.issues ?? []).map(toIssue)]
  const all = [...issues, ...wrong]
  if (all.length === 0) return read.output as object
  throw new ProblemError(400, code, NOT_DONE, `${describeIssues(all)}.`, { issues: all })
}

/** A rule across several parameters, or a rule outside the schemas. */
export const invalidParameter = (name: string, rule: string): ProblemError =>
  new ProblemError(400, 'invalid_parameter', NOT_DONE, `${name}: ${rule}.`)

/** Reads a time from a text. */
const timeLike = (shape: RegExp, be: string): v.GenericSchema<unknown, number> =>
  v.pipe(
    textThat((value) => shape.test(value) && Number.isFinite(parseTime(value)), be),
    v.transform(parseTime),
  )

/** A day (its beginning, UTC), or a time with its zone. */
export const time: v.GenericSchema<unknown, number> = /* @__PURE__ */ timeLike(
  /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2}))?$/,
  'be a day such as 2026-03-01, or a time with its zone such as 2026-03-01T12:00:00Z',
)

/** The query of a list. */
export const PAGE: {
  limit: v.OptionalSchema<v.GenericSchema<unknown, number>, 20>
  cursor: v.OptionalSchema<v.GenericSchema<unknown, string>, undefined>
} = { limit: v.optional(wholeNumber(1, 100), 20), cursor: v.optional(text) }
