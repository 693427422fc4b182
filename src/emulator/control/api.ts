import type * as v from 'valibot'
import { type Context, homeOf } from '../context.ts'
import { faultEntries } from '../faults/fault.ts'
import { messagePage } from '../pages/layout.ts'
import { InputError, jsonFlaw, parseInput, suggestion } from '../parse-input.ts'
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
 * Handles `/_emulator/api/<name>`: JSON in and out, with any content type. A form may post as well; it is sent back to
 * the page that it came from. None of this belongs to the service.
 *
 * @param subject The end of the path: `mugs` of `/_emulator/api/shops/mugs`.
 */
export async function controlApi(scope: Scope, request: Request, name: string, subject?: string): Promise<Response> {
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
  // curl -d sends "form" for JSON, too: a text that looks like JSON is JSON.
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
 * Reads a form of the emulator's pages as the JSON that the control API takes. A form has only texts and sends empty
 * fields: numbers of the operation's schema are converted, and empty fields are left out.
 */
function readForm(raw: string, { name, input }: ControlOperation, home: string) {
  const { return_to = '', ...filled } = Object.fromEntries(
    [...new URLSearchParams(raw)].filter(([, value]) => value !== ''),
  )
  const { entries = {} } = input as { entries?: v.ObjectEntries }
  const known = name === 'faults' ? { ...faultEntries(filled.fault), ...entries } : entries
  const typed = Object.fromEntries(Object.entries(filled).map(([key, value]) => [key, typedAs(known[key], value)]))
  // Parsed, so that characters that a header cannot hold are escaped.
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

/** A form has no nested fields: `fault` is the kind, the fields beside it belong to the fault. */
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
  const wrong = jsonFlaw(parsed, 1000)
  if (wrong !== undefined) throw new InputError(`${wrong.path || 'The body'} ${wrong.flaw}.`)
  return parsed
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]|.*\.localhost)$/

/**
 * Rejects a control request of another origin's page. Browsers send `Origin` with every POST, and `Sec-Fetch-Site` only
 * to https and loopback. `null` is the origin of a sandboxed page, which may come from anywhere.
 */
export function originProblem({ options }: Context, { headers, url }: Request): Response | undefined {
  const origin = headers.get('origin')
  const site = headers.get('sec-fetch-site')
  const own = origin === null ? site !== 'cross-site' && site !== 'same-site' : isOwn(origin)
  if (own) return undefined
  return Response.json({ error: 'A page of another origin may not control the emulator.' }, { status: 403 })

  // Behind a proxy that ends TLS, the origin is that of the option.
  function isOwn(origin: string): boolean {
    return origin === new URL(url).origin || origin === options.origin
  }
}

/**
 * Rejects a request for a page or the control API that names a host other than the emulator's own: a page whose name
 * was pointed at this machine (DNS rebinding) sends its own. Without an `origin` the emulator is not served and has no
 * host to compare.
 */
export function hostProblem(context: Context, request: Request): Response | undefined {
  const { origin, served, allowHosts } = context.options
  const { host, hostname } = new URL(request.url)
  if (!served || host === new URL(origin).host || LOOPBACK.test(hostname)) return undefined
  if (allowHosts.some((name) => name.toLowerCase() === hostname)) return undefined
  const error =
    `The emulator's pages and control API are not available under the host ${host}; ` +
    `serve the emulator with --origin http://${host}, or with --allow-host ${hostname}.`
  return Response.json({ error }, { status: 403 })
}
