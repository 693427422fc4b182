import { expect, it } from 'vitest'
import { ACCOUNT_ID } from '../support/inputs.ts'
import { rejection } from '../support/mock-fetch.ts'
import { openShop } from '../support/shop.ts'

it('the list and the single account agree, though the service spells the reserve in two ways', async () => {
  const { client } = openShop()
  const accounts = await client.listAccounts()
  expect(accounts.map(({ currency }) => currency).sort()).toEqual(['EUR', 'UAH', 'USD', 'XTS'])
  for (const account of accounts) {
    expect(account.balances).toEqual({ available: 1000, rolling_reserve: 50 })
    expect(await client.getAccount({ account_id: account.id })).toEqual(account)
  }
})

it('an unknown account, another POS, and wrong credentials are rejected', async () => {
  const { client } = openShop()
  expect(await rejection(client.getAccount({ account_id: ACCOUNT_ID }))).toMatchObject({ code: 'api' })
  expect(await rejection(client.listAccounts({ pos_id: ACCOUNT_ID }))).toMatchObject({ code: 'api' })
  const error = await rejection(openShop({ apiSecret: 'other' }).client.listAccounts())
  expect(error).toMatchObject({ code: 'api', status: 401 })
  // Balances never use the HMAC scheme, so the hint about the signer would mislead.
  expect(error.message).not.toMatch(/signer/)
})
