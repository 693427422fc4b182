import { expectTypeOf, it } from 'vitest'
import * as sdk from '../../src/index.ts'
import * as webhooks from '../../src/webhooks/index.ts'
import { CARD, DIRECT_AUTH, DIRECT_SPLIT, HOSTED, HOSTED_SPLIT, TOKEN } from '../support/inputs.ts'
import { CONFIG } from '../support/mock-fetch.ts'

// The mistakes here do not compile; `npm run check` compiles it. None of it is run.
declare const client: sdk.Client
declare const auth: sdk.HostedAuthInput
declare const either: sdk.CreatePaymentInput

it('the result follows from mode and method, of a method and of a function', () => {
  const calls = () => ({
    hosted: client.createPayment(HOSTED),
    direct: client.createPayment(CARD),
    auth: client.createPayment(DIRECT_AUTH),
    // The response to a hosted auth is not shown.
    hostedAuth: client.createPayment(auth),
    either: client.createPayment(either),
    hostedSplit: client.createSplitPurchase(HOSTED_SPLIT),
    directSplit: client.createSplitPurchase(DIRECT_SPLIT),
    function: sdk.createPayment(CONFIG, HOSTED),
    split: sdk.createSplitPurchase(CONFIG, DIRECT_SPLIT),
  })
  type Answers = { [K in keyof ReturnType<typeof calls>]: Awaited<ReturnType<typeof calls>[K]> }
  expectTypeOf<Answers>().toEqualTypeOf<{
    hosted: sdk.Checkout
    direct: sdk.Payment
    auth: sdk.Payment
    hostedAuth: sdk.Checkout | sdk.Payment
    either: sdk.Checkout | sdk.Payment
    hostedSplit: sdk.Checkout
    directSplit: sdk.Payment
    function: sdk.Checkout
    split: sdk.Payment
  }>()
})

it('passThrough does not compile where there is no body to add to', () => {
  const passThrough = {}
  const mistakes = () => {
    // @ts-expect-error a GET
    client.listAccounts({}, { passThrough })
    // @ts-expect-error a GET
    sdk.getAccount(CONFIG, { account_id: 'x' }, { passThrough })
    // @ts-expect-error a GET
    sdk.resendWebhook(CONFIG, { order_id: 'A', operation: 'purchase' }, { passThrough })
    // @ts-expect-error a GET
    client.listOrderOperations({ order_id: 'A' }, { passThrough })
    // @ts-expect-error a POST without a body
    client.cancelPayment({ order_id: 'A' }, { passThrough })
    // @ts-expect-error a PUT without a body
    client.cancelRecurring({ recurring_id: 'x' }, { passThrough })
    return client.capturePayment({ order_id: 'A', order_currency: 'UAH' }, { passThrough })
  }
  expectTypeOf<Awaited<ReturnType<typeof mistakes>>>().toEqualTypeOf<sdk.Capture>()
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
    const { cc_token: _, ...neither } = TOKEN
    // @ts-expect-error neither a card nor a token
    client.createPayment(neither)
    // @ts-expect-error a split purchase needs its parts
    client.createSplitPurchase(HOSTED)
    // @ts-expect-error the currency of the order
    client.capturePayment({ order_id: 'A' })
    // @ts-expect-error the document's name is transactionId
    const resend: sdk.ResendWebhookInput = { order_id: 'A', operation: 'purchase', transaction_id: 'x' }
    return resend
  }
  expectTypeOf(mistakes).toBeFunction()
  // Open unions stay open.
  expectTypeOf<string>().toExtend<sdk.Status>()
  expectTypeOf<string>().toExtend<sdk.ResendWebhookInput['operation']>()
})

declare const event: sdk.WebhookEvent

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
    // @ts-expect-error an unknown event has a method too, and no checked amount
    if (typeof event.method === 'string') event.amount.toFixed(2)
    // @ts-expect-error the wire's method may be any string: it does not narrow
    if (event.method === 'refund') event.operation_id
    expectTypeOf(event.order_id).toEqualTypeOf<string | undefined>()
    expectTypeOf(event.record).toEqualTypeOf<Readonly<Record<string, unknown>>>()
    expectTypeOf(event.issues).toEqualTypeOf<readonly sdk.Issue[]>()
    if (event.kind === 'unexpected' || event.kind === 'unknown') {
      // @ts-expect-error nothing of it is checked
      return event.amount
    }
    expectTypeOf(event).toEqualTypeOf<sdk.DocumentedEvent>()
    return expectTypeOf<typeof event>().toExtend<webhooks.CommonEvent>()
  }
  expectTypeOf(read).toBeFunction()
  expectTypeOf(webhooks.verifyWebhook).returns.toEqualTypeOf<sdk.WebhookEvent>()
})

it('what other frameworks hand over needs no cast', () => {
  const calls = (body: unknown, request: Request, parsed: Record<string, string | File>, form: FormData) => [
    // @ts-expect-error not known to be a form
    webhooks.verifyWebhook(body, 'secret'),
    // @ts-expect-error a request is for readWebhook
    webhooks.verifyWebhook(request, 'secret'),
    webhooks.verifyWebhook(parsed, 'secret'),
    webhooks.verifyWebhook(form, ['secret', undefined]),
    webhooks.verifyWebhook(Object.fromEntries(new URLSearchParams('data=a')), 'secret'),
  ]
  expectTypeOf(calls).toBeFunction()
})

it('lists may be readonly, and products may be interfaces', () => {
  interface Cup {
    name: string
  }
  const calls = (cups: readonly Cup[], split: readonly sdk.Split[]) => [
    client.capturePayment({ order_id: 'A', order_currency: 'UAH', products: cups }),
    client.createSplitPurchase({ ...HOSTED_SPLIT, split }),
  ]
  expectTypeOf(calls).toBeFunction()
})
