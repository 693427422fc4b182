// `npm run openapi:update` writes the table of routes in guides/shop-reference.md, from the rows of src/shop/routes; test/node/openapi.test.ts
// fails if it is stale. With the name of a file it writes the Worker's `/api` as OpenAPI 3.1 instead, as each release has it.

import { writeFileSync } from 'node:fs'
import * as v from 'valibot'
import { hostedFields } from '../src/schemas/purchase.ts'
import { initRecurringSchema } from '../src/schemas/recurring.ts'
import { splitListSchema } from '../src/schemas/split.ts'
import { API } from '../src/shop/routes/api.ts'
import type { Route } from '../src/shop/routes/route.ts'
import { COMMON, DOES, ERRORS, errorsOf, FILTERS, GUIDE_FILE, guideText } from './openapi/guide.ts'
import { jsonSchema, type Schema } from './openapi/json-schema.ts'
import { NAMED, RETURNS, withWords } from './openapi/types.ts'

const HEADERS = {
  'Idempotency-Key': {
    description: 'One key makes one operation, and returns the same response each time: reuse it when you retry.',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
  'If-Match': {
    description: 'The `version` of the order as you read it. The call is sent only if the order has not changed since.',
    required: false,
    schema: { type: 'string', examples: ['mugs-1001:10050-10050-0-0'] },
  },
}

const text = { type: 'string' }
const PROBLEM: Schema = {
  description: 'What `/api` returns when it fails (RFC 9457).',
  type: 'object',
  properties: {
    ...{ type: text, title: text, status: { type: 'integer' }, detail: text },
    code: { ...text, description: 'Literal, for programs.' },
    issues: { type: 'array', items: { $ref: '#/components/schemas/Issue' } },
  },
  required: ['type', 'title', 'status', 'code'],
}

/** The document. */
export function openApi(): Schema {
  const paths: Record<string, Schema> = {}
  for (const [call, row] of Object.entries<Route>(API)) {
    const [method = '', path = ''] = call.split(' ')
    const template = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[template] = { ...paths[template], [method.toLowerCase()]: operationOf(call, row) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'The shop’s API',
      version: '1',
      description: 'The routes of `/api` of a Worker with edgetill. guides/shop-reference.md says more of each.',
      contact: { name: 'edgetill', url: 'https://www.npmjs.com/package/edgetill' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: '{origin}', variables: { origin: { default: 'https://pay.shop.example.com' } } }],
    security: [{ bearer: [] }],
    tags: [...new Set(Object.keys(API).map(tagOf))].map((name) => ({
      name,
      description: `The routes of /api/${name}.`,
    })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: '`ADMIN_TOKEN`, or a token of `PEOPLE`.' },
      },
      responses: Object.fromEntries(Object.entries(SHARED).map(([status, codes]) => [status, failure(codes)])),
      schemas: { Problem: PROBLEM, CheckoutOrder: checkoutOrder(), ...NAMED },
    },
  }
}

const tagOf = (call: string): string => /\/api\/(\w+)/.exec(call)?.[1] ?? ''

/** The order of a link. The SDK's own check is stricter. */
function checkoutOrder(): Schema {
  const { pos_id: _, ...fields } = hostedFields
  const hosted = { ...fields, mode: v.literal('hosted'), customer_referrer: v.exactOptional(v.string()) }
  const purchase = { ...hosted, method: v.literal('purchase') }
  const forms = [
    v.object({ ...purchase, init_recurring: v.exactOptional(initRecurringSchema) }),
    v.object({ ...hosted, method: v.literal('auth') }),
    v.object({ ...purchase, split: splitListSchema }),
  ]
  return withWords(jsonSchema(v.union(forms)), 'src/checkout-link/check.ts', 'CheckoutOrder')
}

function operationOf(call: string, row: Route): Schema {
  const { id, query = {}, body, may: right } = row
  const errors = errorsOf(row)
  const inPath = [...call.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    return { name, in: 'path', required: true, schema: { type: 'string', minLength: 1 } }
  })
  const { properties = {}, required = [] } = jsonSchema(v.strictObject(query)) as Fields
  const inQuery = Object.entries(properties).map(([name, { description, ...schema }]) => {
    const says = [FILTERS.get(name), description].filter(Boolean).join('. ')
    return { name, in: 'query', required: required.includes(name), ...(says && { description: says }), schema }
  })
  const isMoney = errors.includes('idempotency_key_missing')
  const inHeader = isMoney ? Object.entries(HEADERS).map(([name, rest]) => ({ name, in: 'header', ...rest })) : []
  const schema = body && (jsonSchema(v.strictObject(body)) as Fields)
  if (schema?.properties?.order) schema.properties.order = { $ref: '#/components/schemas/CheckoutOrder' }
  const words = id.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return {
    operationId: id,
    summary: words.charAt(0).toUpperCase() + words.slice(1),
    description: DOES.get(call),
    tags: [tagOf(call)],
    parameters: [...inPath, ...inQuery, ...inHeader],
    ...(schema && {
      requestBody: { required: (schema.required ?? []).length > 0, content: { 'application/json': { schema } } },
    }),
    responses: responsesOf(call, row, [...COMMON, ...(right === 'view' ? [] : ['forbidden']), ...errors]),
  }
}

type Fields = { properties?: Record<string, Schema>; required?: string[] }

/** Those that every route can return, and that no other error shares a status with. */
const SHARED: Readonly<Record<string, readonly string[]>> = { 401: ['unauthorized'], 500: ['config', 'internal'] }

function responsesOf(
  call: string,
  { statuses: done = [200] }: Route,
  codes: readonly string[],
): Record<string, Schema> {
  const responses: Record<string, Schema> = {}
  const content = { 'application/json': { schema: RETURNS.get(call) } }
  for (const status of done) responses[status] = { description: 'Done.', content }
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
  const [file] = process.argv.slice(2)
  if (file) writeFileSync(file, `${JSON.stringify(openApi(), null, 2)}\n`)
  else writeFileSync(GUIDE_FILE, guideText())
}
