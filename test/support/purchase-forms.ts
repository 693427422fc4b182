import { expect } from 'vitest'
import { type CallOptions, type Client, type ClientConfig, createClient, type Warning } from '../../src/index.ts'
import { DOCUMENT } from '../spec/document.ts'
import { rejectedPaths } from './call.ts'
import { CARD, DIRECT_AUTH, DIRECT_SPLIT, HOSTED, HOSTED_AUTH, HOSTED_SPLIT, PAYMENT_RECORD, TOKEN } from './inputs.ts'
import { CONFIG, echo, redirect, type Sent, wire } from './mock-fetch.ts'

/** The parameters of one table of the document, without `split`, which each form adds. */
function tableOf(required: string[], optional: string[]) {
  const isCustomers = (name: string) => name.startsWith('customer_')
  const own = required.filter((name) => name !== 'pos_id' && name !== 'split')
  return {
    /** But for `pos_id` (the configuration has it) and the customer's. */
    required: own.filter((name) => !isCustomers(name)),
    /** Parameters of the customer that the table requires and its examples omit. */
    customer: own.filter(isCustomers),
    optional: ['pos_id', ...optional],
  }
}

/** The names in the document's sentence that begins so, and in the rows of its table that are required or not. */
const named = (start: string) =>
  DOCUMENT['split-hosted'].flatMap((line) => (line.startsWith(start) ? [...line.matchAll(/`(\w+)`/g)] : [])).map(second)
const rows = (required: 'yes' | 'no') =>
  DOCUMENT['split-direct']
    .flatMap((line) => [...line.matchAll(RegExp(`^\\| (\\w+) \\| [^|]+ \\| ${required}\\b`, 'g'))])
    .map(second)
const second = ([, name = '']: RegExpMatchArray) => name

// The tables of the document's "Split purchase".
const TABLES = { hosted: tableOf(named('Required'), named('Optional')), direct: tableOf(rows('yes'), rows('no')) }
const PATHS = { createPayment: '/api/v1/payment', createSplitPurchase: '/api/v1/split/purchase' }

type PurchaseForm = ReturnType<typeof form>

/** A way of creating a payment. Its inputs hold what the table requires and no more: direct, with full card data and with a token. */
function form(
  operation: keyof typeof PATHS,
  mode: keyof typeof TABLES,
  method: 'purchase' | 'auth',
  inputs: readonly [Record<string, unknown>, ...Record<string, unknown>[]],
  { required = [], optional = [] }: { required?: string[]; optional?: string[] },
) {
  const table = TABLES[mode]
  return {
    name: `${operation}, ${mode} ${method}`,
    ...{ operation, mode, method, inputs },
    required: [...table.required, ...required],
    customer: table.customer,
    optional: [...table.optional, ...optional],
  }
}

const { split } = DIRECT_SPLIT
const PARTS = { required: ['split'] }
const RECURRING = { optional: ['init_recurring'] }
// "Create payment", 1: "the remaining parameters are those of the corresponding purchase request; the request shown also
// sends customer_referrer". "Recurring payments": init_recurring is added "to a purchase request".
const REFERRER = { optional: ['customer_referrer'] }
const BOTH = { optional: ['customer_referrer', 'init_recurring'] }
export const HOSTED_PURCHASE: PurchaseForm = form('createPayment', 'hosted', 'purchase', [{ ...HOSTED }], BOTH)
const [SPLIT, PURCHASE] = ['createSplitPurchase', 'purchase'] as const
export const HOSTED_SPLIT_PURCHASE: PurchaseForm = form(SPLIT, 'hosted', PURCHASE, [{ ...HOSTED_SPLIT }], PARTS)

export const PURCHASE_FORMS: readonly PurchaseForm[] = [
  HOSTED_PURCHASE,
  form('createPayment', 'direct', 'purchase', [{ ...CARD }, { ...TOKEN }], RECURRING),
  form('createPayment', 'hosted', 'auth', [{ ...HOSTED_AUTH }], REFERRER),
  form('createPayment', 'direct', 'auth', [{ ...DIRECT_AUTH }, { ...TOKEN, method: 'auth' }], {}),
  HOSTED_SPLIT_PURCHASE,
  form(SPLIT, 'direct', PURCHASE, [{ ...DIRECT_SPLIT }, { ...TOKEN, split }], PARTS),
]

/** Every parameter that the form's table lists. */
export const listed = ({ required, customer, optional }: PurchaseForm) => [...required, ...customer, ...optional]

/** The operation of a form, for an input that the types may not allow. */
export const callOf = (client: Client, { operation }: PurchaseForm) =>
  client[operation] as (input: unknown, options?: CallOptions) => Promise<unknown>

/** Sends an input that the types may not allow, by the form's operation, and tells what travelled. */
export async function accepted(
  form: PurchaseForm,
  input: object,
  config: Partial<ClientConfig> = {},
  options?: CallOptions,
): Promise<{ sent: Sent; body: Record<string, unknown> }> {
  const hosted = (input as { mode?: unknown }).mode === 'hosted'
  const { fetch, sent } = wire(hosted ? redirect() : echo(PAYMENT_RECORD))
  await callOf(createClient({ ...CONFIG, ...config, fetch }), form)(input, options)
  const [request] = sent
  if (request === undefined) throw new Error(`${form.operation} sent nothing.`)
  expect([request.method, request.url]).toEqual(['POST', `${CONFIG.baseUrl}${PATHS[form.operation]}`])
  return { sent: request, body: JSON.parse(request.body ?? 'null') as Record<string, unknown> }
}

/** The warnings of an input that is sent all the same. */
export async function warned(form: PurchaseForm, input: object): Promise<[code: string, path: string][]> {
  const warnings: Warning[] = []
  await accepted(form, input, { onWarning: (warning) => warnings.push(warning) })
  for (const { operation } of warnings) expect(operation).toBe(form.operation)
  return warnings.map(({ code, path }) => [code, path])
}

/** The paths that an input is refused for. */
export const refused = (
  form: PurchaseForm,
  input: unknown,
  config: Partial<ClientConfig> = {},
  options?: CallOptions,
): Promise<string[]> => rejectedPaths((client) => callOf(client, form)(input, options), config)
