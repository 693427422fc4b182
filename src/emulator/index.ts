/** The `edgetill/emulator` subpath: the whole service on your desk. */
import type { Emulator } from './control/emulator-controls.ts'
import { assemble } from './emulator.ts'
import type { EmulatorOptions } from './options.ts'
import { RULES } from './spec/rules.ts'

/**
 * Creates an emulator of the payment service: every endpoint, the customer's pages, signed webhooks, a clock and
 * faults.
 *
 * @param options Seed, clock, addresses and the API document's open questions; every option has a default.
 * @throws {ConfigError} when an option makes no sense.
 * @see The API document, as a whole.
 * @example
 * import { createEmulator } from 'edgetill/emulator'
 * const emulator = createEmulator({ seed: 7 })
 * const { baseUrl, scheme, apiKey, apiSecret, endpointsKey } = emulator.credentials
 * const response = await emulator.fetch(`${baseUrl}/api/v1/payment`, {
 *   method: 'POST',
 *   headers: {
 *     'content-type': 'application/json',
 *     'x-api-auth': `${scheme} ${apiKey}:${apiSecret}`,
 *     'x-api-key': endpointsKey,
 *   },
 *   body: '{}',
 * })
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  return assemble(options, RULES)
}

export type { ActionOutcome, OtherPayment, PortalActions } from './control/actions.ts'
export type { Emulator, EmulatorFetch, Shops } from './control/emulator-controls.ts'
export type { WhatExpires } from './domain/expiry.ts'
export type { OrderPage, OrderSearch, Orders, OrderView } from './domain/orders.ts'
export type {
  CommitTime,
  ContentFault,
  DeliveryFault,
  Fault,
  FaultKind,
  Occasion,
  OutcomeFault,
  ResponseFault,
} from './faults/fault.ts'
export type { FaultOccurrence, Faults } from './faults/faults.ts'
export { ConnectionResetError } from './faults/response-faults.ts'
export type { Credentials, EmulatorOptions, ExpiryOptions, ShopOptions } from './options.ts'
export type { OperationName } from './spec/endpoints.ts'
export type { AccountOption } from './state/accounts.ts'
export type { Activity, AppliedFault, LoggedRequest, Note, RequestFilter } from './state/activity.ts'
export { TEST_CARDS, type TestCard, type TestCardName, testCard } from './state/cards.ts'
export type { ClockSource, EmulatorClock } from './state/clock.ts'
export type { Perturbation } from './state/perturbations.ts'
export type { LimitInfo, Money, Operation, Payment, SplitPart, Subscription, TimelineEntry } from './state/state.ts'
export type { Duration } from './state/time.ts'
export type { Deliveries } from './webhooks/deliveries.ts'
export type { Attempt, Delivery } from './webhooks/delivery-store.ts'
export { type WebhookFilter, WebhookNotReceivedError } from './webhooks/next-webhook.ts'
