import { describe, expect, it } from 'vitest'
import { HOSTED, HOSTED_OPTIONAL } from '../support/inputs.ts'
import { rejection } from '../support/mock-fetch.ts'
import { openShop } from '../support/shop.ts'

const statuses = (events: { status?: unknown }[]) => events.map(({ status }) => status)

describe.each(['per-endpoint', 'plain'] as const)('authentication %s', (authentication) => {
  it('checkout, 3-D Secure, webhooks, and the state asked for', async () => {
    const shop = openShop({ authentication })
    const checkout = await shop.client.createPayment({ ...HOSTED, ...HOSTED_OPTIONAL })
    expect(checkout.checkout_id).toMatch(/^[\w-]+$/)
    expect(shop.emulator.orders.get('A-1')?.checkout_url).toBe(checkout.url)
    expect(await shop.client.resendWebhook({ order_id: 'A-1', operation: 'purchase' })).toMatchObject({
      status: 'init',
    })
    expect(await shop.pay(checkout.url, 'three_d_secure')).toBe(HOSTED_OPTIONAL.result_url)
    const asked = await shop.client.resendWebhook({ order_id: 'A-1', operation: 'purchase' })
    await shop.emulator.deliveries.idle()
    expect(statuses(shop.events as { status?: unknown }[])).toEqual(['init', 'pending', 'success', 'success'])
    expect(asked).toMatchObject({ method: 'purchase', order_id: 'A-1', amount: 100.5, status_code: '1000' })
    expect(asked).toEqual(shop.events.at(-1))
  })
})

it('an unpaid one can be cancelled, a paid one cannot', async () => {
  const shop = openShop()
  const { url } = await shop.client.createPayment(HOSTED)
  const cancelled = {
    mode: 'hosted',
    method: 'purchase',
    status: 'failure',
    status_code: '6007',
    user_action_url: null,
  }
  expect(await shop.client.cancelPayment({ order_id: 'A-1' })).toMatchObject(cancelled)
  expect(await shop.pay(url)).toMatch(/cancelled/i)
  await shop.client.createPayment({ ...HOSTED, order_id: 'A-2' })
  await shop.pay(shop.emulator.orders.get('A-2')?.checkout_url ?? '')
  const error = await rejection(shop.client.cancelPayment({ order_id: 'A-2' }))
  expect(error).toMatchObject({ code: 'api', retryable: false })
})

it('order ids of any kind find their order', async () => {
  const shop = openShop()
  for (const order_id of ['a/b?c#d%', '..a', 'Замовлення №7', '🍵', "o'clock"]) {
    await shop.client.createPayment({ ...HOSTED, order_id })
    expect(await shop.client.resendWebhook({ order_id, operation: 'purchase' })).toMatchObject({ order_id })
    expect(await shop.client.cancelPayment({ order_id })).toMatchObject({ order_id, status_code: '6007' })
  }
})

it('the same order id a second time is rejected, and the error says why', async () => {
  const { client } = openShop()
  await client.createPayment(HOSTED)
  const error = await rejection(client.createPayment(HOSTED))
  expect(error).toMatchObject({ code: 'api', apiCode: 'P-409' })
  expect(error.message).toMatch(/order_id \S+ was used before, P-409\. .*make another/)
})

it('wrong credentials are rejected, and the error says what to try', async () => {
  for (const wrong of [{ apiSecret: 'other' }, { apiKey: 'other' }, { endpointsKey: 'other' }, { scheme: 'OTHER' }]) {
    const error = await rejection(openShop(wrong).client.createPayment(HOSTED))
    expect(error).toMatchObject({ code: 'api', status: 401, retryable: false })
    expect(error.message).toMatch(/Check posId, apiKey, apiSecret and endpointsKey/)
    // The signature is no suspect where the service names another credential.
    expect(/authentication: "plain".*signer/.test(error.message)).toBe(!('endpointsKey' in wrong))
  }
})

it('the customer fields that the examples omit', async () => {
  const { customer_email: _a, customer_phone: _b, customer_patronym: _c, ...bare } = HOSTED
  const relaxed = openShop({ customerFields: 'optional' }, { customerFields: 'optional' })
  expect(await relaxed.client.createPayment(bare)).toHaveProperty('url')
  const strict = openShop({ customerFields: 'optional' }, { customerFields: 'required' })
  const error = await rejection(strict.client.createPayment(bare))
  expect(error).toMatchObject({ code: 'api', status: 400 })
  expect((error.violations as { field_name: string }[]).map(({ field_name }) => field_name).sort()).toEqual([
    'customer_email',
    'customer_patronym',
    'customer_phone',
  ])
})
