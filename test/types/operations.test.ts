import { expectTypeOf, it } from 'vitest'
import {
  type Account,
  type Capture,
  type CapturePaymentInput,
  type Checkout,
  type Client,
  type CreatePaymentInput,
  capturePayment,
  createPayment,
  createSplitPurchase,
  getAccount,
  type HostedAuthInput,
  isUnexpectedEvent,
  isUnknownEvent,
  listAccounts,
  type Payment,
  type ResendWebhookInput,
  resendWebhook,
  type Status,
  verifyWebhook,
  type WebhookEvent,
} from '../../src/index.ts'
import { CARD, DIRECT_AUTH, DIRECT_SPLIT, HOSTED, HOSTED_SPLIT } from '../support/inputs.ts'
import { CONFIG } from '../support/mock-fetch.ts'

// What is wrong here does not compile; `npm run check` compiles it. None of it is run.
declare const client: Client
declare const auth: HostedAuthInput
declare const either: CreatePaymentInput

it('the answer follows from mode and method', () => {
  const calls = () => ({
    hosted: client.createPayment(HOSTED),
    direct: client.createPayment(CARD),
    auth: client.createPayment(DIRECT_AUTH),
    // What a hosted auth answers is not shown.
    hostedAuth: client.createPayment(auth),
    either: client.createPayment(either),
    hostedSplit: client.createSplitPurchase(HOSTED_SPLIT),
    directSplit: client.createSplitPurchase(DIRECT_SPLIT),
  })
  type Answers = { [K in keyof ReturnType<typeof calls>]: Awaited<ReturnType<typeof calls>[K]> }
  expectTypeOf<Answers>().toEqualTypeOf<{
    hosted: Checkout
    direct: Payment
    auth: Payment
    hostedAuth: Checkout | Payment
    either: Checkout | Payment
    hostedSplit: Checkout
    directSplit: Payment
  }>()
})

it('a standalone function answers what the method answers', () => {
  const calls = () => ({
    hosted: createPayment(CONFIG, HOSTED),
    split: createSplitPurchase(CONFIG, DIRECT_SPLIT),
    capture: capturePayment(CONFIG, { order_id: 'A', order_currency: 'UAH' }),
    list: listAccounts(CONFIG),
    one: getAccount(CONFIG, { account_id: 'x' }),
    event: resendWebhook(CONFIG, { order_id: 'A', operation: 'purchase' }),
  })
  type Answers = { [K in keyof ReturnType<typeof calls>]: Awaited<ReturnType<typeof calls>[K]> }
  expectTypeOf<Answers>().toEqualTypeOf<{
    hosted: Checkout
    split: Payment
    capture: Capture
    list: Account[]
    one: Account
    event: WebhookEvent
  }>()
})

it('a typo, a missing parameter and a parameter of the other mode do not compile', () => {
  const mistakes = () => {
    // @ts-expect-error unknown parameter
    client.createPayment({ ...HOSTED, ammount: 1 })
    // @ts-expect-error card data in hosted mode
    client.createPayment({ ...HOSTED, cc_token: 'x' })
    // @ts-expect-error a subscription belongs to a purchase
    client.createPayment({ ...HOSTED, method: 'auth', init_recurring: { interval_unit: 'day', interval_count: 1 } })
    // @ts-expect-error direct mode needs the fingerprint
    client.createPayment({ ...CARD, browser_fingerprint: undefined })
    // @ts-expect-error an amount is a number
    client.createPayment({ ...HOSTED, amount: '10' })
    // @ts-expect-error no such unit
    client.createPayment({ ...HOSTED, init_recurring: { interval_unit: 'hour', interval_count: 1 } })
    // @ts-expect-error a split purchase needs its parts
    client.createSplitPurchase(HOSTED)
    // @ts-expect-error one of four
    const capture: CapturePaymentInput = { order_id: 'A', order_currency: 'UAH', f_receipt_delivery: 'post' }
    // @ts-expect-error the currency of the order
    client.capturePayment({ order_id: 'A' })
    // @ts-expect-error the account
    client.getAccount({})
    // @ts-expect-error the document's name is transactionId
    const resend: ResendWebhookInput = { order_id: 'A', operation: 'purchase', transaction_id: 'x' }
    return [capture, resend]
  }
  expectTypeOf(mistakes).toBeFunction()
})

it('open unions stay open', () => {
  expectTypeOf<string>().toExtend<Status>()
  expectTypeOf<string>().toExtend<ResendWebhookInput['operation']>()
  expectTypeOf<'success' | 'failure' | 'pending' | 'init'>().toExtend<Status>()
})

it('an event is told by its method', () => {
  const read = (event: WebhookEvent) => {
    if (event.method === 'refund') {
      expectTypeOf(event.operation_id).toBeString()
      expectTypeOf(event.receipt_url).toEqualTypeOf<string | null | undefined>()
    }
    if (event.method === 'capture') {
      // @ts-expect-error a capture has no receipt
      event.receipt_url
    }
    if (event.method === 'purchase' || event.method === 'auth') {
      expectTypeOf(event.amount).toBeNumber()
      // @ts-expect-error a primary operation has no operation_id
      event.operation_id
    }
    if (isUnexpectedEvent(event)) {
      expectTypeOf(event.method).toEqualTypeOf<undefined>()
      expectTypeOf(event.record).toEqualTypeOf<Record<string, unknown>>()
    } else if (isUnknownEvent(event)) {
      expectTypeOf(event.method).toExtend<string>()
      expectTypeOf(event.anything).toEqualTypeOf<unknown>()
    }
  }
  expectTypeOf(read).toBeFunction()
  expectTypeOf(verifyWebhook).returns.toEqualTypeOf<WebhookEvent>()
})
