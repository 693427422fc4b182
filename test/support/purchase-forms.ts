import { expect } from 'vitest'
import { type CallOptions, type ClientConfig, createPayment, createSplitPurchase } from '../../src/index.ts'
import { CARD, DIRECT_AUTH, DIRECT_SPLIT, HOSTED, HOSTED_AUTH, HOSTED_SPLIT, PAYMENT_RECORD, TOKEN } from './inputs.ts'
import { CONFIG, echo, json, redirect, rejection, type Sent, wire } from './mock-fetch.ts'

/** A way of creating a payment: one table of the document. Its inputs hold what the table requires and no more. */
export interface PurchaseForm {
  /** Of the describe blocks. */
  name: string
  operation: 'createPayment' | 'createSplitPurchase'
  path: string
  call: (config: ClientConfig, input: object, options?: CallOptions) => Promise<unknown>
  mode: 'hosted' | 'direct'
  method: 'purchase' | 'auth'
  /** Direct: with full card data, and with a token. */
  inputs: readonly [Record<string, unknown>, ...Record<string, unknown>[]]
  /** Required parameters, but for `pos_id` (the configuration has it) and the customer's. */
  required: readonly string[]
  /** Parameters of the customer that the table requires and its examples omit. */
  customer: readonly string[]
  optional: readonly string[]
}

// The tables of the document's "Split purchase", without `split`. Each is written out: nothing is derived from the other.
const TABLES = {
  hosted: {
    required: ['mode', 'method', 'amount', 'currency', 'description', 'order_id', 'order_3ds_bypass'],
    customer: ['customer_patronym', 'customer_email', 'customer_phone'],
    optional: [
      'pos_id',
      'customer_id',
      'customer_fname',
      'customer_lname',
      'customer_lang',
      'customer_country',
      'customer_birthday',
      'customer_tax_id',
      'server_url',
      'result_url',
      'merchant_mcc',
      'payload',
      'validation_url',
    ],
  },
  direct: {
    required: [
      'mode',
      'method',
      'amount',
      'currency',
      'description',
      'order_id',
      'order_3ds_bypass',
      'browser_fingerprint',
    ],
    customer: ['customer_fname', 'customer_lname', 'customer_email', 'customer_phone', 'customer_ip'],
    optional: [
      'pos_id',
      'cc_number',
      'exp_month',
      'exp_year',
      'card_cvv',
      'cc_token',
      'customer_id',
      'customer_patronym',
      'customer_country',
      'customer_birthday',
      'customer_referrer',
      'customer_tax_id',
      'server_url',
      'result_url',
      'merchant_mcc',
      'payload',
      'validation_url',
      'cryptogram',
    ],
  },
} as const

const PAYMENT = {
  operation: 'createPayment',
  path: '/api/v1/payment',
  call: createPayment as PurchaseForm['call'],
} as const
const SPLIT_PURCHASE = {
  operation: 'createSplitPurchase',
  path: '/api/v1/split/purchase',
  call: createSplitPurchase as PurchaseForm['call'],
} as const
const { split } = DIRECT_SPLIT

// "Create payment", 1: "the remaining parameters are those of the corresponding purchase request; the request shown also
// sends customer_referrer". "Recurring payments": init_recurring is added "to a purchase request".
export const HOSTED_PURCHASE: PurchaseForm = {
  name: 'createPayment, hosted purchase',
  ...PAYMENT,
  mode: 'hosted',
  method: 'purchase',
  inputs: [{ ...HOSTED }],
  ...TABLES.hosted,
  optional: [...TABLES.hosted.optional, 'customer_referrer', 'init_recurring'],
}

const DIRECT_PURCHASE: PurchaseForm = {
  name: 'createPayment, direct purchase',
  ...PAYMENT,
  mode: 'direct',
  method: 'purchase',
  inputs: [{ ...CARD }, { ...TOKEN }],
  ...TABLES.direct,
  optional: [...TABLES.direct.optional, 'init_recurring'],
}

const HOSTED_RESERVE: PurchaseForm = {
  name: 'createPayment, hosted auth',
  ...PAYMENT,
  mode: 'hosted',
  method: 'auth',
  inputs: [{ ...HOSTED_AUTH }],
  ...TABLES.hosted,
  optional: [...TABLES.hosted.optional, 'customer_referrer'],
}

const DIRECT_RESERVE: PurchaseForm = {
  name: 'createPayment, direct auth',
  ...PAYMENT,
  mode: 'direct',
  method: 'auth',
  inputs: [{ ...DIRECT_AUTH }, { ...TOKEN, method: 'auth' }],
  ...TABLES.direct,
}

export const HOSTED_SPLIT_PURCHASE: PurchaseForm = {
  name: 'createSplitPurchase, hosted',
  ...SPLIT_PURCHASE,
  mode: 'hosted',
  method: 'purchase',
  inputs: [{ ...HOSTED_SPLIT }],
  ...TABLES.hosted,
  required: [...TABLES.hosted.required, 'split'],
}

const DIRECT_SPLIT_PURCHASE: PurchaseForm = {
  name: 'createSplitPurchase, direct',
  ...SPLIT_PURCHASE,
  mode: 'direct',
  method: 'purchase',
  inputs: [{ ...DIRECT_SPLIT }, { ...TOKEN, split }],
  ...TABLES.direct,
  required: [...TABLES.direct.required, 'split'],
}

export const PURCHASE_FORMS: readonly PurchaseForm[] = [
  HOSTED_PURCHASE,
  DIRECT_PURCHASE,
  HOSTED_RESERVE,
  DIRECT_RESERVE,
  HOSTED_SPLIT_PURCHASE,
  DIRECT_SPLIT_PURCHASE,
]

/** Every parameter that the form's table lists. */
export const listed = ({ required, customer, optional }: PurchaseForm): string[] => [
  ...required,
  ...customer,
  ...optional,
]

/** Sends an input that the types may not allow, by the form's operation, and tells what travelled. */
export async function accepted(
  { operation, path, call }: Pick<PurchaseForm, 'operation' | 'path' | 'call'>,
  input: object,
  config: Partial<ClientConfig> = {},
  options?: CallOptions,
): Promise<{ sent: Sent; body: Record<string, unknown> }> {
  const hosted = (input as { mode?: unknown }).mode === 'hosted'
  const { fetch, sent } = wire(hosted ? redirect() : echo(PAYMENT_RECORD))
  await call({ ...CONFIG, ...config, fetch }, input, options)
  const [request] = sent
  if (request === undefined) throw new Error(`${operation} sent nothing.`)
  expect([request.method, request.url]).toEqual(['POST', `${CONFIG.baseUrl}${path}`])
  return { sent: request, body: JSON.parse(request.body ?? 'null') as Record<string, unknown> }
}

/** The paths that an input is refused for; nothing may travel, and no card data may be shown. */
export async function refused(
  { call }: Pick<PurchaseForm, 'call'>,
  input: unknown,
  config: Partial<ClientConfig> = {},
  options?: CallOptions,
): Promise<string[]> {
  const { fetch, sent } = wire(json(PAYMENT_RECORD))
  const error = await rejection(call({ ...CONFIG, ...config, fetch }, input as object, options))
  expect(error).toMatchObject({ name: 'InvalidInputError', code: 'invalid_input' })
  expect(sent).toEqual([])
  expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toMatch(/4242|card_cvv: \d|rcr:/)
  return (error.issues as { path: string }[]).map(({ path }) => path)
}
