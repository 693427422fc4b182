import { expect, it } from 'vitest'
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
