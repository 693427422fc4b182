import * as v from 'valibot'
import { openApi } from '../../emulator/control/openapi.ts'
import type { Route } from '../../shop/routes/route.ts'
import * as kit from '../../testing/prove/index.ts'
import { UsageError } from '../terminal/errors.ts'
import { shownEvent } from '../terminal/event-text.ts'
import { isLoopback } from '../terminal/option-values.ts'
import type { Flags, Surroundings } from '../terminal/verb.ts'
import { verifyBody, verifyForm } from '../webhooks/verify/verify.ts'
import { PROVE_OPTIONS } from './prove-flags.ts'
import { readSecrets, type SECRET_OPTIONS } from './secrets.ts'
import { askWorker, callWorker, type Worker } from './worker.ts'

type Schema = Record<string, unknown>
type Input = Record<string, unknown>
type Secrets = Flags<typeof SECRET_OPTIONS>

/** A tool of the Model Context Protocol. Its result is sent as JSON unless it is a text. */
export interface Tool {
  name: string
  description: string
  /** JSON Schema. */
  inputSchema: { type: 'object'; properties: Schema; required?: string[] }
  annotations: { readOnlyHint: boolean }
  run(input: Input, signal: AbortSignal, progress: (done: number, of: number) => void): Promise<unknown>
}

const inputOf = (properties: Schema, required: string[] = []): Tool['inputSchema'] => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

type Parameter = { name: string; required: boolean; schema: Schema }
type Control = {
  operationId: string
  summary: string
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': { schema: Schema & { properties?: Schema; required?: string[] } } } }
}

/**
 * The control operations of an emulator: all of its OpenAPI document but the stream of events. No real money is behind
 * them.
 */
export function emulatorTools(origin: string, { fetch = globalThis.fetch }: Surroundings): Tool[] {
  const paths = Object.entries(openApi().paths as Record<string, Record<string, Control>>)
  const calls = paths.flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([method, call]) => ({ path, method, call })),
  )
  return calls
    .filter(({ path }) => !path.endsWith('/events'))
    .map(({ path, method, call: { operationId, summary, parameters = [], requestBody } }) => {
      const { properties = {}, required = [] } = requestBody?.content['application/json'].schema ?? {
        properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
        required: parameters.filter((one) => one.required).map(({ name }) => name),
      }
      return {
        name: `emulator_${operationId}`,
        description: `The emulator: ${summary}`,
        inputSchema: inputOf(properties, required),
        annotations: { readOnlyHint: method === 'get' },
        async run(input, signal) {
          const query = requestBody ? '' : queryOf(input)
          const body = requestBody && { body: JSON.stringify(input) }
          const response = await fetch(new URL(path + query, origin), { method: method.toUpperCase(), signal, ...body })
          if (response.ok) return await response.text()
          throw new UsageError(await response.text())
        },
      }
    })
}

const queryOf = (input: Input): string => {
  const fields = Object.entries(input).filter(([, value]) => value !== undefined)
  return fields.length > 0 ? `?${new URLSearchParams(fields.map(([name, value]) => [name, String(value)]))}` : ''
}

/**
 * `GET` rows of a shop's `/api` that the role `view` may call. @param worker Rejects without an address and a token.
 */
export async function shopTools(worker: Worker, around: Surroundings): Promise<Tool[]> {
  const { API } = await import('../../shop/routes/api.ts')
  let checked: Promise<void> | undefined
  const rows = Object.entries<Route>(API).filter(([call, row]) => call.startsWith('GET ') && row.may === 'view')
  return rows.map(([call, { id, query = {} }]) => {
    const inPath = [...call.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
    const inQuery = Object.entries(query)
    const required = inQuery.filter(([, schema]) => !v.is(schema, undefined)).map(([name]) => name)
    return {
      name: `shop_${snakeCase(id)}`,
      description: `Reads the shop: ${call}`,
      inputSchema: inputOf(
        Object.fromEntries([
          ...inPath.map((name) => [name, { type: 'string', minLength: 1 }]),
          ...inQuery.map(([name, schema]) => [name, { type: ['string', 'number'], description: ruleOf(schema) }]),
        ]),
        [...inPath, ...required],
      ),
      annotations: { readOnlyHint: true },
      async run(input, signal) {
        checked ??= onlyViews(worker, around, signal)
        await checked.catch((error: unknown) => {
          checked = undefined
          throw error
        })
        const { ...rest } = input
        const path = call.replaceAll(/:(\w+)/g, (_, name: string) => {
          const value = rest[name]
          delete rest[name]
          if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new UsageError(`${name} is missing.`)
          return encodeURIComponent(value)
        })
        return await callWorker(worker, path + queryOf(rest), around, { signal, timeoutMs: 30_000 })
      },
    }
  })
}

/** The rule of a parameter, as its own check words it. */
function ruleOf(schema: v.GenericSchema): string | undefined {
  return v.safeParse(schema, {}).issues?.[0].message
}

/**
 * A note needs a right beyond `view`, and an empty note is rejected: only the status is read.
 * @throws {UsageError} when the token may do more than look. An assistant could read the token.
 */
async function onlyViews(worker: Worker, around: Surroundings, signal: AbortSignal): Promise<void> {
  const { status } = await askWorker(worker, 'POST /api/orders/-/notes', around, signal, {})
  if (status !== 400) return
  throw new UsageError(
    'EDGETILL_WORKER_TOKEN may do more than look. Give an assistant a token of PEOPLE whose role is view.',
  )
}

const PATHS = ['paid', 'refunded', 'shipped', 'currency'] as const
const ADDRESSES = ['url', 'state', 'create'] as const
const OTHERS = ['orders', 'seed', 'kinds', 'maxSeconds', 'settleMs', 'units', 'usesEdgetill'] as const
/** An assistant's call ends after a minute. */
const PROVE_SECONDS = 45

/** `prove` without its buttons, which move money, and without commands. The receiver runs on this machine. */
export function proveTool(secrets: Secrets): Tool {
  const names = [...ADDRESSES, ...OTHERS, ...PATHS]
  const properties = names.map((name) => {
    const { says: description, value, values } = PROVE_OPTIONS[name]
    if (value === undefined) return [name, { type: 'boolean', description }]
    if (value === '<KIND...>') return [name, { type: 'array', items: { enum: values }, description }]
    return [name, { type: /COUNT|NUMBER|MS/.test(value) ? 'integer' : 'string', description }]
  })
  return {
    name: 'prove',
    description:
      'Attacks a receiver of webhooks on this machine, and compares the money in its orders. ' +
      `Reports its findings after ${PROVE_SECONDS} s at most; maxSeconds changes that.`,
    inputSchema: inputOf(Object.fromEntries(properties), ['url', 'state']),
    annotations: { readOnlyHint: false },
    async run(input, signal, onProgress) {
      const fields = Object.entries(input)
      const unknown = fields.find(([name]) => !(names as string[]).includes(name))
      if (unknown) throw new UsageError(`${unknown[0]} is unknown: prove takes ${names.join(', ')} here.`)
      for (const name of ADDRESSES) {
        if (input[name] === undefined || isLoopback(String(input[name]))) continue
        throw new UsageError(`${name} must be on this machine, such as http://127.0.0.1:3000. Never prove a live shop.`)
      }
      const isPath = ([name]: [string, unknown]) => (PATHS as readonly string[]).includes(name)
      const [{ value: apiSecret }] = await readSecrets(secrets)
      const options = {
        ...{ maxSeconds: PROVE_SECONDS, ...Object.fromEntries(fields.filter((one) => !isPath(one))) },
        ...{ paths: Object.fromEntries(fields.filter(isPath)), apiSecret, signal, onProgress },
      }
      return kit.reportText(await kit.prove(options as unknown as kit.ProveOptions))
    },
  }
}

/** Judges a webhook: the body of its form, or its two fields. */
export function verifyTool(secrets: Secrets): Tool {
  const text = { type: 'string' }
  return {
    name: 'verify',
    description:
      'Verifies a webhook: the raw body of its form, or its fields data and signature. Says why it is not genuine.',
    inputSchema: inputOf({ body: text, data: text, signature: text }),
    annotations: { readOnlyHint: true },
    async run({ body, data, signature }) {
      const named = await readSecrets(secrets)
      if (typeof body === 'string') return shown(verifyBody(body, named))
      if (typeof data !== 'string' || typeof signature !== 'string')
        throw new UsageError('Pass body, or data and signature.')
      return shown(verifyForm({ data, signature }, named))
    },
  }
}

const shown = (verdict: ReturnType<typeof verifyBody>): object =>
  verdict.valid && verdict.event ? { ...verdict, event: shownEvent(verdict.event) } : verdict
