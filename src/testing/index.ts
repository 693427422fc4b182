/** The `edgetill/testing` subpath: helpers for tests of a shop. */

// A whole shop

export type { FailingEvent, TestSale, TestShop, TestShopOptions } from './test-shop.ts'
export { createTestShop } from './test-shop.ts'

// The customer and the service

export type { Delivery, WebhookFilter } from '../emulator/index.ts'
export type { PayOptions, TypedCard } from '../emulator/pay.ts'
export { pay } from '../emulator/pay.ts'
export type { TestCardName } from '../emulator/state/cards.ts'
export type { NextOptions, TestDeliveries } from './deliveries.ts'
export { deliveries } from './deliveries.ts'
export type { EmulatorShop, EmulatorShopOptions } from './emulator-shop.ts'
export { createEmulatorShop } from './emulator-shop.ts'
export type { RequestSource } from './requests.ts'
export { assertNothingRejected } from './requests.ts'

// A receiver under attack

export type {
  AskedOrder,
  Cause,
  OrderKind,
  ProveFinding,
  ProveOptions,
  ProvePress,
  ProveReport,
  ProveRequest,
  ProveState,
  StoryFile,
  StoryStep,
} from './prove/index.ts'
export { ProveError, prove, reportText } from './prove/index.ts'

// Webhooks

export type { TestEvent, TestEventKind, TestEventOptions, TestEventOverrides } from './test-event.ts'
export { testEvent } from './test-event.ts'

// Workers KV and D1

export type { D1Double, D1DoubleResult, D1DoubleStatement } from './d1-double.ts'
export { createD1Double } from './d1-double.ts'
export type { KvBehaviour, KvDouble, KvDoubleList, KvDoubleNamespace, KvValueType } from './kv-double.ts'
export { createKvDouble } from './kv-double.ts'
