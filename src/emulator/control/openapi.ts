import { type ControlOperation, OPERATIONS } from './operations.ts'

type Schema = Record<string, unknown>

export interface Node {
  type: string
  wrapped?: Node
  default?: unknown
  pipe?: Node[]
  entries?: Record<string, Node>
  options?: unknown[]
  literal?: unknown
  item?: Node
  items?: Node[]
  requirement?: unknown
  expected?: string
}

/**
 * `GET /_emulator/openapi.json`: the control API as OpenAPI 3.1, made from the schemas that its requests are checked
 * with.
 */
export function openApi(): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of OPERATIONS) {
    const path = `/_emulator/api/${operation.name}`
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) }
  }
  paths['/_emulator/api/events'] = {
    get: {
      summary: 'What happens, as server-sent events: request, state, webhook, note, fault, preflight, error, reset.',
      operationId: 'get_events',
      responses: { 200: { description: 'Events until the caller leaves.', content: { 'text/event-stream': {} } } },
    },
  }
  const info = { title: 'edgetill emulator, control API', version: '1' }
  return { openapi: '3.1.0', info, servers: [{ url: '/' }], paths }
}

function describe({ method, name, does, input, example }: ControlOperation): Schema {
  const schema = schemaOf(input as unknown as Node)
  const required = (schema.required as string[] | undefined) ?? []
  const ok = { description: 'Done.', content: { 'application/json': { schema: {} } } }
  const error = { type: 'object', properties: { error: { type: 'string' } }, required: ['error'] }
  const failed = (description: string) => ({ description, content: { 'application/json': { schema: error } } })
  const common = {
    summary: does,
    operationId: `${method.toLowerCase()}_${name}`,
    responses: { 200: ok, 400: failed('Something is wrong with the request.'), 404: failed('No such thing.') },
  }
  if (method === 'POST') {
    return { ...common, requestBody: { content: { 'application/json': { schema, example } } } }
  }
  const properties = (schema.properties ?? {}) as Record<string, Schema>
  const parameters = Object.entries(properties).map(([field, one]) => {
    return { name: field, in: 'query', required: required.includes(field), schema: one }
  })
  return { ...common, parameters }
}

function schemaOf(node: Node): Schema {
  const { type, wrapped, pipe, entries, options, literal, item, items } = node
  if (wrapped !== undefined) return schemaOf(wrapped)
  if (entries !== undefined) {
    const required = Object.entries(entries).filter(([, entry]) => !/^(optional|unknown)$/.test(entry.type))
    return {
      type: 'object',
      properties: Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, schemaOf(entry)])),
      ...(required.length > 0 && { required: required.map(([name]) => name) }),
      ...(type === 'strict_object' && { additionalProperties: false }),
    }
  }
  if (type === 'picklist') return { enum: options }
  if (type === 'literal') return { const: literal }
  if (type === 'union') return { anyOf: (options as Node[]).map(schemaOf) }
  if (type === 'array') return { type: 'array', items: schemaOf(item as Node) }
  if (type === 'tuple') return { type: 'array', prefixItems: (items as Node[]).map(schemaOf) }
  const pattern = pipe?.find((part) => part.type === 'regex')?.requirement
  if (type === 'string') return { type, ...(pattern instanceof RegExp && { pattern: pattern.source }) }
  return type === 'number' || type === 'boolean' ? { type } : {}
}
