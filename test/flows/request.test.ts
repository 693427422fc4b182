import { expect, it } from 'vitest'
import { testCard } from '../../src/emulator/index.ts'
import { DIRECT_AUTH, HOSTED } from '../support/inputs.ts'
import { openShop } from '../support/shop.ts'

it('request() speaks to an endpoint as the operation for it does', async () => {
  const { client, emulator } = openShop()
  const { posId } = emulator.credentials
  await client.createPayment({ ...DIRECT_AUTH, cc_number: testCard('success') })
  const body = { pos_id: posId, order_id: 'A-1', order_currency: 'UAH', charge_amount: 20 }
  const capture = await client.rawRequest({ method: 'POST', path: '/api/v1/capture', authentication: 'plain', body })
  expect(capture).toMatchObject({ status: 200, body: { method: 'capture', amount: 20, currency: 'UAH' } })

  const path = `/api/v1/balances/pos/${posId}/accounts`
  const accounts = await client.rawRequest({ method: 'GET', path, authentication: 'plain', base: 'apiUrl' })
  expect(accounts.body).toMatchObject({ accounts: expect.any(Array) })

  const hosted = await client.rawRequest({
    method: 'POST',
    path: '/api/v1/payment',
    authentication: 'hmac',
    redirectExpected: true,
    body: { pos_id: posId, ...HOSTED, order_id: 'A-2' },
  })
  expect(hosted).toMatchObject({ status: 303, location: emulator.orders.get('A-2')?.checkout_url })
})
