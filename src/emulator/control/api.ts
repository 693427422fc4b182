import type * as v from 'valibot'
import { type Context, homeOf } from '../context.ts'
import { faultEntries } from '../faults/fault.ts'
import { messagePage } from '../pages/layout.ts'
import { firstMalformed, InputError, parseInput, suggestion } from '../parse-input.ts'
import type { Node } from './openapi.ts'
import { type ControlOperation, NotFound, OPERATIONS, type Scope } from './operations.ts'

export function listOperations(): Response {
  const operations = OPERATIONS.map(({ method, name, does, input, example }) => ({
    method,
    path: `/_emulator/api/${name}`,
    does,
    fields: Object.keys((input as { entries?: object }).entries ?? {}),
    ...(method === 'POST' ? { body: example } : { query: example }),
  }))
  return Response.json({ operations })
}

/**
 * Handles `/_emulator/api/<name>`: JSON in and out, whatever the content type says. A form may post as well; it is sent
 * back to the page that it came from. None of this belongs to the service.
 *
 * @param subject What ends the path: `mugs` of `/_emulator/api/shops/mugs`.
 */
export async function controlApi(scope: Scope, request: Request, name: string, subject?: string): Promise<Response> {
  const site = request.headers.get('sec-fetch-site')
  if (site === 'cross-site' || site === 'same-site') {
    return Response.json({ error: 'A page of another origin may not control the emulator.' }, { status: 403 })
  }
  const named = OPERATIONS.filter((operation) => operation.name === name)
  if (named.length === 0) {
    const names = [...new Set(OPERATIONS.map((operation) => operation.name))]
    const error = `Unknown control operation "${name}".${suggestion(name, names)} GET /_emulator/api lists all of them.`
    return Response.json({ error, operations: names }, { status: 404 })
  }
  const verb = request.method === 'HEAD' ? 'GET' : request.method
  const operation = named.find(({ method }) => method === verb)
  if (operation === undefined) {
    const allow = named.map(({ method }) => method).join(', ')
    return Response.json({ error: `Allowed here: ${allow}.` }, { status: 405, headers: { allow } })
  }
  const part = subject === undefined ? {} : { name: subject }
  const raw = operation.method === 'POST' ? await request.text() : ''
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  // curl -d says "form" for JSON, too: what looks like JSON is JSON.
  const isForm = type === 'application/x-www-form-urlencoded' && !/^\s*[[{]/.test(raw)
  if (operation.method === 'POST' && isForm) return submit(scope, operation, raw, request.signal)
  try {
    const query = Object.fromEntries(new URL(request.url).searchParams)
    const input = operation.method === 'POST' ? readJson(raw) : { ...query, ...part }
    return Response.json(
      (await operation.run(scope, parseInput(operation.input, input) as never, request.signal)) ?? null,
    )
  } catch (error) {
    return jsonError(error)
  }
}

async function submit(scope: Scope, operation: ControlOperation, raw: string, signal: AbortSignal): Promise<Response> {
  const { input, returnTo } = readForm(raw, operation, homeOf(scope.context))
  try {
    await operation.run(scope, parseInput(operation.input, input) as never, signal)
    return new Response(null, { status: 303, headers: { location: returnTo } })
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return messagePage(400, 'Not possible', error.message)
  }
}

/**
 * Reads a form of the emulator's pages as the JSON that the control API takes. A form knows text alone and sends empty fields:
 * what the operation's schema says is a number becomes one, and what is empty is left out.
 */
function readForm(raw: string, { name, input }: ControlOperation, home: string) {
  const { return_to = '', ...filled } = Object.fromEntries(
    [...new URLSearchParams(raw)].filter(([, value]) => value !== ''),
  )
  const { entries = {} } = input as { entries?: v.ObjectEntries }
  const known = name === 'faults' ? { ...faultEntries(filled.fault), ...entries } : entries
  const typed = Object.fromEntries(Object.entries(filled).map(([key, value]) => [key, typedAs(known[key], value)]))
  // Parsed, so that what a header cannot hold is escaped.
  const back = return_to.startsWith('/_emulator') ? new URL(return_to, 'http://localhost') : undefined
  const returnTo = back === undefined ? home : back.pathname + back.search
  return { input: name === 'faults' ? faultsOf(typed) : typed, returnTo }
}

function typedAs(schema: unknown, value: string): unknown {
  const { type, wrapped, options, literal } = (schema ?? {}) as Node
  if (wrapped !== undefined) return typedAs(wrapped, value)
  const isNumber = [type, ...(options ?? []).map((option) => (option as Node).type)].includes('number')
  if (isNumber && /^-?\d+(\.\d+)?$/.test(value)) return Number(value)
  return (type === 'boolean' || literal === true) && value === 'true' ? true : value
}

/** A form has no nested fields: `fault` is the kind, what stands beside it belongs to the fault. */
function faultsOf(input: Record<string, unknown>): Record<string, unknown> {
  const { fault: kind, times, probability, ...rest } = input
  if (kind === undefined) return input
  const fault: Record<string, unknown> = { kind, ...rest }
  // How often a webhook is duplicated, not how often the fault fires.
  if (kind === 'duplicate' && times !== undefined) fault.times = times
  if (probability !== undefined) return { rate: fault, probability }
  return { next: fault, ...(times === undefined || kind === 'duplicate' ? {} : { times }) }
}

/** An error of a wrong input or an impossible action is the caller's; any other is a mistake of the emulator's own. */
function jsonError(error: unknown): Response {
  if (!(error instanceof InputError)) throw error
  return Response.json({ error: error.message }, { status: error instanceof NotFound ? 404 : 400 })
}

function readJson(raw: string): unknown {
  if (raw.trim() === '') return {}
  let parsed: unknown
  try {
    parsed = JSON.parse(raw)
  } catch (cause) {
    throw new InputError(`The body is not JSON: ${(cause as Error).message}.`)
  }
  const malformed = firstMalformed(parsed)
  if (malformed !== undefined) throw new InputError(`${malformed || 'The body'} must be well-formed Unicode.`)
  return parsed
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]|.*\.localhost)$/

/**
 * Rejects a request for a page or the control API that names a host other than the emulator's own: a page whose name was pointed at this machine
 * (DNS rebinding) sends its own. Without an `origin` the emulator is not served and has no host to compare.
 */
export function hostProblem(context: Context, request: Request): Response | undefined {
  const { origin, served, allowHosts } = context.options
  const { host, hostname } = new URL(request.url)
  if (!served || host === new URL(origin).host || LOOPBACK.test(hostname)) return undefined
  if (allowHosts.some((name) => name.toLowerCase() === hostname)) return undefined
  const error = `The emulator's pages and control API are not available under the host ${host}; serve the emulator with --origin http://${host}, or with --allow-host ${hostname}.`
  return Response.json({ error }, { status: 403 })
}
