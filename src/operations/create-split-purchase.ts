// POST {base_url}/api/v1/split/purchase (API document, "Split purchase (direct and hosted)")

import * as v from 'valibot'
import type { ClientConfig, ResolvedConfig } from '../config.ts'
import { call, send } from '../http/send.ts'
import type { CallOptions, ParsedResponse, WireRequest } from '../http/types.ts'
import { anInput, fieldsOf, inputObject, objectMessage, pure, type Schema } from '../schemas/fields.ts'
import { oneOf } from '../schemas/input.ts'
import type { Payment } from '../schemas/payment.ts'
import {
  type CardOrToken,
  type DirectPurchaseFields,
  directFields,
  type HostedPurchaseFields,
  hostedFields,
} from '../schemas/purchase.ts'
import { type Split, splitListSchema } from '../schemas/split.ts'
import {
  buildPurchase,
  type Checkout,
  checkPurchase,
  type PaymentResult,
  readHosted,
  readPayment,
  warnAboutPurchase,
} from './purchase.ts'
import { warnAboutSplitSum } from './warnings.ts'

/** A hosted split purchase: the customer pays on the service's page. */
export interface HostedSplitPurchaseInput extends HostedPurchaseFields {
  /** One-step: the money is charged at once. */
  method: 'purchase'
  /** At least one entry. How their sum relates to `amount` is not shown; a mismatch triggers `onWarning`. */
  split: readonly Split[]
}

/** A direct split purchase, with card data or a token. */
export type DirectSplitPurchaseInput = DirectSplitForm & CardOrToken

/** The fields of a {@link DirectSplitPurchaseInput} but those of its card or token. */
export interface DirectSplitForm extends DirectPurchaseFields {
  /** One-step: the money is charged at once. */
  method: 'purchase'
  /** At least one entry. How their sum relates to `amount` is not shown; a mismatch triggers `onWarning`. */
  split: readonly Split[]
}

/** The input of `createSplitPurchase`; `mode` chooses the form. */
export type CreateSplitPurchaseInput = HostedSplitPurchaseInput | DirectSplitPurchaseInput

/** The one form of {@link CreateSplitPurchaseInput} that a mode chooses. */
export type SplitPurchaseForm<Mode extends 'hosted' | 'direct'> = { mode: Mode } & Extract<
  CreateSplitPurchaseInput,
  { mode: Mode }
>

const OPERATION = 'createSplitPurchase'

const inputSchema: Schema<CreateSplitPurchaseInput> = /* @__PURE__ */ pure(() => {
  const split = { method: oneOf(['purchase']), split: splitListSchema }
  const hosted = fieldsOf<HostedSplitPurchaseInput>()({ ...hostedFields, ...split })
  const direct = fieldsOf<DirectSplitForm>()({ ...directFields, ...split })
  const forms = {
    hosted: inputObject(hosted),
    direct: inputObject(direct),
  }
  const modeSchema = v.pipe(anInput, v.looseObject({ mode: oneOf(['hosted', 'direct']) }, objectMessage))
  return v.lazy((given): Schema<CreateSplitPurchaseInput> => {
    const { output, success } = v.safeParse(modeSchema, given)
    return success ? forms[output.mode] : (modeSchema as unknown as Schema<never>)
  })
})

function buildRequest(config: ResolvedConfig, received: CreateSplitPurchaseInput, options: CallOptions): WireRequest {
  const input = checkPurchase(config, OPERATION, received, inputSchema)
  warnAboutPurchase(config, OPERATION, input)
  warnAboutSplitSum(config, OPERATION, input.split, 'amount', input.amount)
  return buildPurchase(config, OPERATION, '/api/v1/split/purchase', input, options)
}

function readResponse(response: ParsedResponse): Checkout | Payment {
  return response.attempt.request.redirectExpected ? readHosted(response) : readPayment(response)
}

async function run(
  config: ResolvedConfig,
  input: CreateSplitPurchaseInput,
  options: CallOptions,
): Promise<Checkout | Payment> {
  const request = buildRequest(config, input, options)
  return readResponse(await send(config, request, options))
}

/**
 * Creates a purchase that is divided between sub-merchants. `POST {base_url}/api/v1/split/purchase`.
 *
 * Hosted, it returns a {@link Checkout} to redirect the customer to; direct, a {@link Payment}. A declined payment is
 * a value with `status: 'failure'`, not an exception. Amounts are in the currency's unit with at most 2 decimals.
 *
 * @param config The configuration, as for `createClient`.
 * @param input The documented parameters under their wire names.
 * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for fields that the API
 *   document does not show.
 * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
 * @throws {ConfigError} when the configuration is invalid.
 * @throws {ConnectionError} when the request provably never left: calling again is safe.
 * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
 * @throws {ApiError} when the service rejects it (4xx); `apiCode` `P-409` means that the order_id was already used.
 * @see The API document, "Split purchase (direct and hosted)".
 * @example
 * import { type ClientConfig, createSplitPurchase, splitAmount } from 'edgetill'
 * async function payTwoSellers(config: ClientConfig, sellers: [string, string]): Promise<string> {
 *   const parts = splitAmount(100.5, [9, 1])
 *   const checkout = await createSplitPurchase(config, {
 *     mode: 'hosted', method: 'purchase', amount: 100.5, currency: 'UAH', description: 'Two mugs', order_id: 'A-2',
 *     order_3ds_bypass: 'supported', customer_patronym: 'Ivanivna', customer_email: 'olena@example.com',
 *     customer_phone: '+380441234567',
 *     split: sellers.map((sub_merchant_id, i) => ({ sub_merchant_id, amount: parts[i] ?? 0 })),
 *   })
 *   return checkout.url
 * }
 */
export async function createSplitPurchase<Mode extends 'hosted' | 'direct'>(
  config: ClientConfig,
  input: SplitPurchaseForm<Mode>,
  options: CallOptions = {},
): Promise<PaymentResult<Mode, 'purchase'>> {
  return call(OPERATION, run, config, input, options) as Promise<PaymentResult<Mode, 'purchase'>>
}
