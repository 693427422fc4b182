import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { createClient } from '../../src/index.ts'
import { assertNothingRejected, createEmulatorShop } from '../../src/testing/index.ts'
import { HOSTED } from '../support/inputs.ts'

const shopOf = ({ fetch }: Emulator, name?: string) =>
  createEmulatorShop({ fetch, ...(name !== undefined && { name }) })

describe('a shop of a test ends with it', () => {
  it('with await using, also when the test fails, and when it was ended before', async () => {
    const emulator = createEmulator()
    const failing = async () => {
      await using shop = await shopOf(emulator)
      expect(emulator.shops.list().map(({ shop }) => shop)).toEqual([shop.name])
      throw new Error('the test failed')
    }
    await expect(failing()).rejects.toThrow('the test failed')
    expect(emulator.shops.list()).toEqual([])
    {
      await using shop = await shopOf(emulator)
      await shop.end()
    }
    const shop = await shopOf(emulator)
    await shop.end()
    await expect(shop.end()).rejects.toThrow('No shop')
  })

  it('all of them at once: in process, and by DELETE without a name', async () => {
    const emulator = createEmulator()
    const url = `${emulator.credentials.baseUrl}/_emulator/api/shops`
    for (const end of [
      async () => ({ ended: emulator.shops.endAll() }),
      async () => (await emulator.fetch(url, { method: 'DELETE' })).json(),
    ]) {
      await shopOf(emulator, 'mugs')
      await shopOf(emulator, 'plates')
      expect(await end()).toEqual({ ended: ['mugs', 'plates'] })
      expect(emulator.shops.list()).toEqual([])
    }
    await shopOf(emulator, 'mugs')
    // A name that was forgotten in a variable must not end the shops of other tests.
    const empty = await emulator.fetch(`${url}?name=`, { method: 'DELETE' })
    expect([empty.status, emulator.shops.list().length]).toEqual([400, 1])
  })
})

it('its own requests and records can be read, and the rejected ones fail the test', async () => {
  const emulator = createEmulator()
  await using shop = await shopOf(emulator)
  const client = createClient({ ...shop.credentials, fetch: emulator.fetch })
  await client.createPayment({ ...HOSTED, order_id: 'A-1' })
  expect(await shop.read('orders', { order_id: 'A-1' })).toMatchObject({ order_id: 'A-1', status: 'init' })
  await assertNothingRejected(shop)
  await expect(client.createPayment({ ...HOSTED, order_id: 'A-1' })).rejects.toThrow()
  expect(await shop.requests({ status: 400 })).toMatchObject([{ order_id: 'A-1', status: 400 }])
  expect(await shop.requests({ status: 404 })).toEqual([])
  await expect(assertNothingRejected(shop)).rejects.toThrow('order_id A-1 was used before')
  // The emulator's own shop has no part in it.
  await assertNothingRejected(emulator)
})
