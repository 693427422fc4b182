import { expect, it } from 'vitest'
import { testCard } from '../../src/emulator/index.ts'
import { CARD, HOSTED } from '../support/inputs.ts'
import { openShop } from '../support/shop.ts'

it('a hosted subscription charges on its schedule, and each charge can be asked for', async () => {
  const shop = openShop()
  const init_recurring = {
    interval_unit: 'month',
    interval_count: 1,
    start_date: '2026-02-28',
    time: '10:00:00',
    amount: 50,
  } as const
  const { url } = await shop.client.createPayment({ ...HOSTED, init_recurring })
  await shop.pay(url)
  await shop.emulator.clock.advance({ months: 2 })
  const charges = shop.events.flatMap((event) =>
    event.kind === 'purchase' && event.status === 'success' ? [event] : [],
  )
  expect(charges.length).toBeGreaterThanOrEqual(2)
  expect(new Set(charges.map(({ order_id }) => order_id))).toEqual(new Set(['A-1']))
  expect(new Set(charges.map(({ transaction_id }) => transaction_id)).size).toBe(charges.length)
  expect(charges[1]).toMatchObject({ amount: 50, recurring: { status: expect.any(String) } })
  for (const { transaction_id, amount } of charges) {
    const asked = await shop.client.resendWebhook({
      order_id: 'A-1',
      operation: 'purchase',
      transactionId: transaction_id ?? '',
    })
    expect(asked).toMatchObject({ transaction_id, amount, recurring: { id: charges[0]?.recurring?.id } })
  }
  const latest = await shop.client.resendWebhook({ order_id: 'A-1', operation: 'purchase' })
  expect(latest).toMatchObject({ transaction_id: charges.at(-1)?.transaction_id })
})

it('a direct one returns its configuration with the record', async () => {
  const { client } = openShop()
  const init_recurring = { interval_unit: 'day', interval_count: 30, retry_interval_hours: 23 } as const
  const payment = await client.createPayment({ ...CARD, cc_number: testCard('success'), init_recurring })
  expect(payment.recurring).toEqual({ id: expect.any(String), status: 'init' })
})
