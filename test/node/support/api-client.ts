import { Ajv2020 } from 'ajv/dist/2020.js'
import { openApi } from '../../../scripts/openapi.ts'

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
}

interface Operation {
  operationId: string
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: { properties: object } }> }
  responses: Record<string, { $ref?: string; content?: Record<string, unknown> }>
}

interface Description {
  paths: Record<string, Record<string, Operation>>
}

/** The sent request: the parameters by name, wherever they stand, and the body. */
type Sent = Record<string, unknown> & { body?: unknown }

const DESCRIPTION = JSON.parse(JSON.stringify(openApi())) as Description

/** A response has nothing that is not described: so that the description cannot fall behind. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closed(one)]))
  const isOpen = copy.type !== 'object' || !copy.properties || 'code' in (copy.properties as object)
  return isOpen ? copy : { additionalProperties: false, ...copy }
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false })
ajv.addSchema(closed(DESCRIPTION) as object, 'api')

const pointer = (...parts: string[]): string =>
  `api#/${parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`

function check(value: unknown, ...parts: string[]): void {
  const validate = ajv.getSchema(pointer(...parts))
  if (!validate) throw new Error(`${parts.join(' ')} is not described.`)
  if (!validate(value))
    throw new Error(`${parts.join(' ')}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`)
}

/** Checks what a route responded: its status, its type and its body. @returns The body. */
export async function checkResponse(path: string, method: string, response: Response): Promise<unknown> {
  const text = await response.text()
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  const { $ref } = DESCRIPTION.paths[path]?.[method]?.responses[response.status] ?? {}
  const place = $ref?.split('/').slice(1) ?? ['paths', path, method, 'responses', String(response.status)]
  const body = JSON.parse(text) as unknown
  check(body, ...place, 'content', type, 'schema')
  return body
}

/** A request of an operation: its values by where they stand. */
export interface Asked {
  id: string
  path: string
  method: string
  values: Record<Parameter['in'], Record<string, unknown>>
  body?: unknown
}
export type Send = (asked: Asked) => Promise<Response>

/** Sends requests as they are described. */
export const sendBy =
  (fetch: (path: string, init: RequestInit) => Promise<Response>): Send =>
  ({ path, method, values, body }) => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values.path[name])))
    const query = new URLSearchParams(values.query as Record<string, string>)
    const init = { method: method.toUpperCase(), headers: values.header as Record<string, string> }
    return fetch(`${filled}?${query}`, { ...init, ...(body !== undefined && { body: JSON.stringify(body) }) })
  }

/** A client of `/api` that is made from its description alone. Each operation is called with one wrong input first. */
export function createApiClient(send: Send) {
  const operations = Object.entries(DESCRIPTION.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )
  const unused = new Set(operations.map(({ operationId }) => operationId))
  const right: Asked[] = []
  const wrong: Asked[] = []

  async function call<T>(id: string, sent: Sent = {}): Promise<T & { status: number }> {
    const operation = operations.find(({ operationId }) => operationId === id)
    if (!operation) throw new Error(`No operation is called ${id}.`)
    const { path, method, parameters, requestBody } = operation
    const { body, ...given } = sent
    const values: Asked['values'] = { path: {}, query: {}, header: {} }
    parameters.forEach(({ name, in: place, required }, index) => {
      const value = given[name]
      delete given[name]
      if (value === undefined && required) throw new Error(`${id} needs ${name}.`)
      if (value === undefined) return
      check(value, 'paths', path, method, 'parameters', String(index), 'schema')
      values[place][name] = value
    })
    const unknown = Object.keys(given)
    if (unknown.length > 0) throw new Error(`${id} takes no ${unknown}.`)
    if (body !== undefined || requestBody?.required)
      check(body, 'paths', path, method, 'requestBody', 'content', 'application/json', 'schema')
    const asked = { id, path, method, values, ...(body !== undefined && { body }) }
    right.push(asked)
    if (unused.delete(id)) {
      const [field = ''] = Object.keys(requestBody?.content['application/json']?.schema.properties ?? {})
      const input = requestBody ? { body: { [field]: [] } } : { values: { ...values, query: { misspelt: 'x' } } }
      wrong.push({ ...asked, ...input })
      const response = await send(wrong.at(-1) as Asked)
      if (response.status !== 400) throw new Error(`${id} took a wrong input: ${response.status}`)
      await checkResponse(path, method, response)
    }
    const response = await send(asked)
    return { ...((await checkResponse(path, method, response)) as T), status: response.status }
  }
  return { call, unused, right, wrong }
}
