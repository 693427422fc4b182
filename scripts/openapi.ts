// `npm run openapi:update` writes guides/shop-openapi.json, the Worker's `/api` as OpenAPI 3.1. It is made from the routes as
// the engine has them, the tables of guides/shop-reference.md, and the types in scripts/openapi/shapes.ts.
// test/node/openapi.test.ts fails when the file is stale.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { API_ROUTES } from '../src/shop/routes/api.ts'
import { COMMON, type DescribedRoute, ERRORS, ROUTES } from './openapi/guide.ts'
import { type Schema, TypeReader } from './openapi/json-schema.ts'

const root = join(import.meta.dirname, '..')
const FILE = 'guides/shop-openapi.json'

interface Route {
  call: string
  query: readonly string[]
}

const HEADERS = {
  'Idempotency-Key': {
    description: 'One key makes one operation, and returns the same response each time: reuse it when you retry.',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
  'If-Match': {
    description:
      'The `version` of the order as it was read: it is sent only while the order has it. Without the name of an attempt it is of the first one.',
    required: false,
    schema: { type: 'string', examples: ['mugs-1001:10050-10050-0-0'] },
  },
}

const PROBLEM: Schema = {
  description: 'What `/api` returns when it fails (RFC 9457).',
  type: 'object',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { description: 'Literal, for programs.', type: 'string' },
    detail: { type: 'string' },
  },
  required: ['type', 'title', 'status', 'code'],
}

const types = new TypeReader(join(import.meta.dirname, 'openapi/shapes.ts'))
const shapes = types.interfaceOf('Shapes')

/** The document. @throws {Error} for a route that the guide or the types do not describe. */
export function openApi(routes: readonly Route[] = served()): Schema {
  const paths: Record<string, Schema> = {}
  for (const { call, query } of routes) {
    const described = ROUTES.find(({ route }) => route === call)
    const shape = shapes.get(call)
    if (!described) throw new Error(`${call} is not described in guides/shop-reference.md.`)
    if (!shape) throw new Error(`${call} is not described in scripts/openapi/shapes.ts.`)
    // A query's and a body's own properties are needed, not a reference to them.
    const members = [...types.propertiesOf(shape)].map(
      ([name, type]) => [name, /query|body/.test(name) ? types.describe(type) : types.schemaOf(type)] as const,
    )
    const operation = describeOperation(described, new Map(members))
    const names = operation.parameters.filter((one) => one.in === 'query').map(({ name }) => name)
    if (`${[...names].sort()}` !== `${[...query].sort()}`)
      throw new Error(`${call} takes the query ${query}, not ${names}.`)
    const [method = '', path = ''] = call.split(' ')
    const template = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[template] = { ...paths[template], [method.toLowerCase()]: operation }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'The shop’s API',
      version: '1',
      description: 'The routes of `/api` of a Worker with edgetill. guides/shop-reference.md says more of each.',
    },
    servers: [{ url: '{origin}', variables: { origin: { default: 'https://pay.shop.example.com' } } }],
    security: [{ admin: [] }],
    paths,
    components: {
      securitySchemes: { admin: { type: 'http', scheme: 'bearer', description: 'The secret `ADMIN_TOKEN`.' } },
      responses: Object.fromEntries(Object.entries(SHARED).map(([status, codes]) => [status, failure(codes)])),
      schemas: { Problem: PROBLEM, ...types.named },
    },
  }
}

const served = (): Route[] => API_ROUTES.map(([call, , , query = []]) => ({ call, query }))

type Shape = ReadonlyMap<string, Schema>

interface Parameter {
  name: string
  in: string
  [member: string]: unknown
}

function describeOperation({ route, does, errors }: DescribedRoute, shape: Shape) {
  const inPath = [...route.matchAll(/:(\w+)/g)].map(([, name = '']): Parameter => {
    return { name, in: 'path', required: true, schema: { type: 'string', minLength: 1 } }
  })
  const { properties = {}, required = [] } = (shape.get('query') ?? {}) as {
    properties?: Record<string, Schema>
    required?: string[]
  }
  const inQuery = Object.entries(properties).map(([name, { description, ...schema }]): Parameter => {
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema,
    }
  })
  const isMoney = errors.includes('idempotency_key_missing')
  const inHeader = isMoney
    ? Object.entries(HEADERS).map(([name, rest]): Parameter => ({ name, in: 'header', ...rest }))
    : []
  const body = shape.get('body')
  if ((body !== undefined) !== errors.includes('invalid_json')) throw new Error(`${route}: does it take a body or not?`)
  const isNeeded = Array.isArray(body?.required)
  return {
    operationId: shape.get('id')?.const,
    description: does,
    parameters: [...inPath, ...inQuery, ...inHeader],
    ...(body && {
      requestBody: {
        required: isNeeded,
        content: { 'application/json': { schema: { ...body, additionalProperties: false } } },
      },
    }),
    responses: responsesOf(shape, [...COMMON, ...errors]),
  }
}

/** Those that every route can return, and that no other error shares a status with. */
const SHARED: Readonly<Record<string, readonly string[]>> = { 401: ['unauthorized'], 500: ['config', 'internal'] }

function responsesOf(shape: Shape, codes: readonly string[]): Record<string, Schema> {
  const responses: Record<string, Schema> = {}
  for (const [status, schema] of shape) {
    if (/^\d+$/.test(status)) responses[status] = { description: 'Done.', content: { 'application/json': { schema } } }
  }
  const statuses = new Set(codes.flatMap((code) => ERRORS.get(code)?.statuses ?? []))
  for (const status of [...statuses].sort()) {
    const its = codes.filter((code) => ERRORS.get(code)?.statuses.includes(status))
    const isShared = `${its}` === `${SHARED[status]}`
    responses[status] = isShared ? { $ref: `#/components/responses/${status}` } : failure(its, responses[status])
  }
  return responses
}

function failure(codes: readonly string[], done: Schema = {}): Schema {
  const schema = { allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }] }
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS.get(code)?.means}`).join('\n\n'),
    ...(codes.includes('api') && { headers: { 'Retry-After': { schema: { type: 'string' } } } }),
    content: { ...(done.content as object), 'application/problem+json': { schema } },
  }
}

if (import.meta.main) {
  const biome = join(root, 'node_modules/.bin/biome')
  const input = JSON.stringify(openApi(), null, 2)
  const text = execFileSync(biome, ['check', '--write', `--stdin-file-path=${FILE}`], { cwd: root, input }).toString()
  writeFileSync(join(root, FILE), text)
}
