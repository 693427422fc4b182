import type { Context } from '../context.ts'
import { messagePage } from '../pages/layout.ts'
import { InputError, parseInput, suggestion } from '../parse-input.ts'
import { firstMalformed } from '../state/unicode.ts'
import type { EmulatorControls } from './emulator-controls.ts'
import { readForm } from './forms.ts'
import { type ControlOperation, NotFound, OPERATIONS } from './operations.ts'

/** `GET /_emulator/api`: what can be read and done, with an example of each. */
export function listOperations(): Response {
  const operations = OPERATIONS.map(({ method, name, does, input, example }) => ({
    method,
    path: `/_emulator/api/${name}`,
    does,
    fields: Object.keys((input as { entries?: object }).entries ?? {}),
    ...(method === 'GET' ? { query: example } : { body: example }),
  }))
  return Response.json({ operations })
}

/**
 * `GET` and `POST /_emulator/api/<name>`: JSON in and out, whatever the content type says. A form may post as well; it is sent
 * back to the page that it came from. None of this belongs to the service.
 */
export async function controlApi(emulator: EmulatorControls, request: Request, name: string): Promise<Response> {
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
  return operation.method === 'GET' ? read(emulator, operation, request) : change(emulator, operation, request)
}

async function read(emulator: EmulatorControls, operation: ControlOperation, request: Request): Promise<Response> {
  try {
    const query = Object.fromEntries(new URL(request.url).searchParams)
    return Response.json(await operation.run(emulator, parseInput(operation.input, query) as never, request.signal))
  } catch (error) {
    return jsonError(error)
  }
}

async function change(emulator: EmulatorControls, operation: ControlOperation, request: Request): Promise<Response> {
  const raw = await request.text()
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  // curl -d says "form" for JSON, too: what looks like JSON is JSON.
  const isForm = type === 'application/x-www-form-urlencoded' && !/^\s*[[{]/.test(raw)
  if (!isForm) {
    try {
      const input = parseInput(operation.input, readJson(raw))
      return Response.json((await operation.run(emulator, input as never, request.signal)) ?? null)
    } catch (error) {
      return jsonError(error)
    }
  }
  const { input, returnTo } = readForm(raw, operation.name)
  try {
    await operation.run(emulator, parseInput(operation.input, input) as never, request.signal)
    return new Response(null, { status: 303, headers: { location: returnTo } })
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return messagePage(400, 'Not possible', error.message)
  }
}

/** What a wrong input or an impossible action throws is the caller's; anything else is a mistake of the emulator's own. */
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
