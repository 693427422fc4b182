import { expect, it } from 'vitest'
import { HOSTED, HOSTED_OPTIONAL } from '../support/inputs.ts'
import { rejection } from '../support/mock-fetch.ts'
import { openShop } from '../support/shop.ts'

// Payments on the service's page, SDK against emulator.

it.each(['per-endpoint', 'plain'] as const)(
  'authentication %s: checkout, 3-D Secure, webhooks, and the state asked for, of an order id of any kind',
  async (authentication) => {
    const { client, emulator, events, pay } = openShop({ authentication })
    const order_id = "..a/b?c#d% Замовлення 🍵 o'clock"
    const asked = () => client.resendWebhook({ order_id, operation: 'purchase' })
    const { url } = await client.createPayment({ ...HOSTED, ...HOSTED_OPTIONAL, order_id })
    expect(emulator.orders.get(order_id)?.checkout_url).toBe(url)
    expect(await asked()).toMatchObject({ order_id, status: 'init' })
    expect(await pay(url, 'three_d_secure')).toBe(HOSTED_OPTIONAL.result_url)
    const paid = await asked()
    await emulator.deliveries.idle()
    expect(events.map(({ record }) => record.status)).toEqual(['init', 'pending', 'success', 'success'])
    expect(paid).toMatchObject({ method: 'purchase', order_id, amount: 100.5, status_code: '1000' })
    expect(paid).toEqual(events.at(-1))
    expect(await rejection(client.cancelPayment({ order_id }))).toMatchObject({ code: 'api', retryable: false })
  },
)

it('a subscription charges on its schedule, and each charge can be asked for, until it is cancelled', async () => {
  const { client, emulator, events, pay } = openShop()
  const schedule = { interval_unit: 'month', interval_count: 1, start_date: '2026-02-28', time: '10:00:00' } as const
  const { url } = await client.createPayment({ ...HOSTED, init_recurring: { ...schedule, amount: 50 } })
  await pay(url)
  await emulator.clock.advance({ months: 2 })
  const charges = events.flatMap((event) => (event.kind === 'purchase' && event.status === 'success' ? [event] : []))
  expect(charges.map(({ amount, order_id }) => [amount, order_id])).toEqual([100.5, 50, 50].map((it) => [it, 'A-1']))
  const [{ recurring } = {}] = charges
  for (const { transaction_id = '', amount } of charges) {
    const which = { order_id: 'A-1', operation: 'purchase', transactionId: String(transaction_id) }
    const asked = await client.resendWebhook(which)
    expect(asked).toMatchObject({ transaction_id, amount, recurring: { id: recurring?.id } })
  }
  const recurring_id = recurring?.id ?? ''
  expect(await client.cancelRecurring({ recurring_id })).toMatchObject({ recurring_status: 'canceled' })
  await emulator.clock.advance({ months: 3 })
  expect(emulator.orders.get('A-1')?.payments).toHaveLength(charges.length)
})
