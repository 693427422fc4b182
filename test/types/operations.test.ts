import { expectTypeOf, it } from 'vitest'
import {
  type Account,
  type Capture,
  type CapturePaymentInput,
  type Checkout,
  type Client,
  type CommonEvent,
  type CreatePaymentInput,
  capturePayment,
  createPayment,
  createSplitPurchase,
  type DocumentedEvent,
  getAccount,
  type HostedAuthInput,
  type Issue,
  listAccounts,
  type Payment,
  type PurchaseEvent,
  type ResendWebhookInput,
  resendWebhook,
  type Split,
  type Status,
  verifyWebhook,
  type WebhookEvent,
} from '../../src/index.ts'
import { CARD, DIRECT_AUTH, DIRECT_SPLIT, HOSTED, HOSTED_SPLIT, TOKEN } from '../support/inputs.ts'
import { CONFIG } from '../support/mock-fetch.ts'

// What is wrong here does not compile; `npm run check` compiles it. None of it is run.
declare const client: Client
declare const auth: HostedAuthInput
declare const either: CreatePaymentInput

it('the result follows from mode and method', () => {
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

it('a standalone function returns what the method returns', () => {
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

it('passThrough does not compile where there is no body to add to', () => {
  const passThrough = {}
  const mistakes = () => {
    // @ts-expect-error a GET
    client.listAccounts({}, { passThrough })
    // @ts-expect-error a GET
    getAccount(CONFIG, { account_id: 'x' }, { passThrough })
    // @ts-expect-error a GET
    resendWebhook(CONFIG, { order_id: 'A', operation: 'purchase' }, { passThrough })
    // @ts-expect-error a GET
    client.listOrderOperations({ order_id: 'A' }, { passThrough })
    // @ts-expect-error a POST without a body
    client.cancelPayment({ order_id: 'A' }, { passThrough })
    // @ts-expect-error a PUT without a body
    client.cancelRecurring({ recurring_id: 'x' }, { passThrough })
    return client.capturePayment({ order_id: 'A', order_currency: 'UAH' }, { passThrough })
  }
  expectTypeOf<Awaited<ReturnType<typeof mistakes>>>().toEqualTypeOf<Capture>()
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
    // @ts-expect-error a card and a token
    client.createPayment({ ...CARD, cc_token: 'x' })
    const { cc_token: _, ...neither } = TOKEN
    // @ts-expect-error neither a card nor a token
    client.createPayment(neither)
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

declare const event: WebhookEvent

it('an event is narrowed by its kind', () => {
  const read = () => {
    if (event.kind === 'refund') {
      expectTypeOf(event.operation_id).toBeString()
      expectTypeOf(event.receipt_url).toEqualTypeOf<string | null | undefined>()
    }
    if (event.kind === 'capture') {
      // @ts-expect-error a capture has no receipt
      event.receipt_url
    }
    if (event.kind === 'purchase' || event.kind === 'auth') {
      expectTypeOf(event.amount).toBeNumber()
      // @ts-expect-error a primary operation has no operation_id
      event.operation_id
    }
    if (event.kind === 'unexpected') expectTypeOf(event.method).toEqualTypeOf<string | undefined>()
    if (event.kind === 'unknown') expectTypeOf(event.method).toEqualTypeOf<string>()
    if (event.kind === 'unexpected' || event.kind === 'unknown') {
      // @ts-expect-error nothing of it is checked
      event.amount
    }
  }
  expectTypeOf(read).toBeFunction()
  expectTypeOf(verifyWebhook).returns.toEqualTypeOf<WebhookEvent>()
})

it('the wire’s method does not narrow: it may be any string', () => {
  const read = () => {
    // @ts-expect-error an unknown event has a string method too, and no checked amount
    if (typeof event.method === 'string') event.amount.toFixed(2)
    // @ts-expect-error an unexpected refund has that method too
    if (event.method === 'refund') event.operation_id
  }
  expectTypeOf(read).toBeFunction()
})

it('after unknown and unexpected are excluded, every field of a documented event is typed', () => {
  const read = () => {
    if (event.kind === 'unknown' || event.kind === 'unexpected') return
    expectTypeOf(event).toEqualTypeOf<DocumentedEvent>()
    expectTypeOf(event.order_id).toBeString()
    expectTypeOf(event.status).toExtend<string>()
    expectTypeOf(event.amount).toBeNumber()
    expectTypeOf(event.created_at).toEqualTypeOf<string | null | undefined>()
    expectTypeOf<typeof event>().toExtend<CommonEvent>()
  }
  expectTypeOf(read).toBeFunction()
})

it('order_id and record can be read from every event', () => {
  expectTypeOf<WebhookEvent['order_id']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<WebhookEvent['record']>().toEqualTypeOf<Readonly<Record<string, unknown>>>()
  expectTypeOf<WebhookEvent['issues']>().toEqualTypeOf<readonly Issue[]>()
})

it('a map of handlers is typed by kind', () => {
  type Handlers = { [Kind in WebhookEvent['kind']]: (event: Extract<WebhookEvent, { kind: Kind }>) => string }
  const ids = ({ payment_id }: CommonEvent) => payment_id
  const handlers: Handlers = {
    purchase: (one) => one.cc_mask ?? one.payment_id,
    auth: (one) => one.order_id,
    credit: ids,
    p2p: ids,
    lookup: ids,
    capture: (one) => one.operation_id,
    void: (one) => one.operation_id,
    auth_increment: (one) => one.operation_id,
    refund: (one) => one.receipt_url ?? one.operation_id,
    unknown: (one) => one.method,
    unexpected: (one) => one.issues.map(({ message }) => message).join(),
  }
  expectTypeOf<Extract<WebhookEvent, { kind: 'purchase' }>>().toEqualTypeOf<PurchaseEvent>()
  expectTypeOf<WebhookEvent['kind']>().toEqualTypeOf<keyof typeof handlers>()
})

it('what other frameworks hand over needs no cast', () => {
  const calls = (
    body: unknown,
    request: Request,
    parsed: Record<string, string | File>,
    form: FormData,
    text: string,
  ) => [
    // @ts-expect-error not known to be a form
    verifyWebhook(body, 'secret'),
    // @ts-expect-error not a form
    verifyWebhook(42, 'secret'),
    // @ts-expect-error a request is for readWebhook
    verifyWebhook(request, 'secret'),
    verifyWebhook(parsed, 'secret'),
    verifyWebhook(form, ['secret', undefined]),
    verifyWebhook(new URLSearchParams(text), 'secret'),
    verifyWebhook(Object.fromEntries(new URLSearchParams(text)), 'secret'),
  ]
  expectTypeOf(calls).toBeFunction()
})

it('lists may be readonly, and products may be interfaces', () => {
  interface Cup {
    name: string
  }
  const calls = (cups: readonly Cup[], split: readonly Split[]) => [
    client.capturePayment({ order_id: 'A', order_currency: 'UAH', products: cups }),
    client.createSplitPurchase({ ...HOSTED_SPLIT, split }),
  ]
  expectTypeOf(calls).toBeFunction()
})
