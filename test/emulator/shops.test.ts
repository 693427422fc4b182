import { expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { createEmulatorShop } from '../../src/testing/index.ts'
import { SEED } from '../support/property.ts'
import { direct, hosted, type Json, post } from './call.ts'
import { command, read, readJson } from './control.ts'

const fetch = async () => new Response()
const clock = '2026-01-31T10:00:00Z'
/** A client of a shop at the address that all shops share. */
const at = (emulator: Emulator, credentials: Emulator['credentials']): Emulator => ({ ...emulator, credentials })

/** A hundred orders, with what the service and its webhooks have named: ids, tokens, checkouts. */
async function play(emulator: Emulator, view: Emulator, orders = 100): Promise<string> {
  for (let number = 0; number < orders; number++) {
    const order_id = `A-${number}`
    const response = number % 3 === 0 ? hosted(emulator, { order_id }) : direct(emulator, { order_id })
    expect([200, 303]).toContain((await post(emulator, '/api/v1/payment', response)).status)
    if (number % 3 === 1) view.control.refundPayment(order_id, 1)
  }
  const json = JSON.stringify([view.orders.list(), view.deliveries.map(({ event }) => event)])
  return json.replaceAll(view.credentials.posId, 'POS').replaceAll(/\?shop=[\w-]+|\/shops\/[\w-]+/g, '')
}

it(`ten shops at one address, with ten seeds and with one, give the ids that each gives alone (seed ${SEED})`, async () => {
  const emulator = createEmulator({ fetch })
  const seeds = Array.from({ length: 10 }, (_, index) => (index < 5 ? SEED + index : SEED) % 2 ** 31)
  const together = seeds.map((seed, index) => {
    const shop = emulator.shops.create({ name: `s${index}`, seed, clock })
    return play(at(emulator, shop.credentials), shop)
  })
  const alone = seeds.map((seed) => {
    const one = createEmulator({ seed, fetch, clock: { now: () => Date.parse(clock) } })
    return play(one, one)
  })
  expect(await Promise.all(together)).toEqual(await Promise.all(alone))
  expect(emulator.orders.list()).toEqual([])
})

it('a shop has its own keys, orders, clock, faults, pages and strictness, and ends', async () => {
  const reported: Json[] = []
  const emulator = createEmulator({ fetch, onActivity: (activity) => reported.push({ ...activity }) })
  const { status, json } = await command(emulator, 'shops', { name: 'mugs', strict: true, clock })
  expect([status, json]).toMatchObject([200, { name: 'mugs', control: expect.stringMatching(/shops\/mugs\/api$/) }])
  const mugs = emulator.shops.get('mugs') as Emulator
  const pay = async (credentials: Json, fields: Json) => {
    const client = at(emulator, credentials as never)
    return (await post(client, '/api/v1/payment', direct(client, fields))).status
  }
  expect(await pay(json.credentials as Json, { order_id: 'A', order_3ds_bypass: 'xyz' })).toBe(400)
  expect(await pay(json.credentials as Json, { order_id: 'A' })).toBe(200)
  expect(await pay({ ...(json.credentials as Json), apiSecret: emulator.credentials.apiSecret }, {})).toBe(401)
  expect(await pay({ ...(json.credentials as Json), posId: emulator.credentials.posId }, {})).toBe(401)
  await command(emulator, '../shops/mugs/api/clock', { hours: 1 })
  expect(mugs.clock.now()).toBe(Date.parse(clock) + 3_600_000)
  expect([mugs, emulator].map(({ orders }) => orders.list().length)).toEqual([1, 0])
  expect(reported.map(({ type, shop }) => [type, shop])).toContainEqual(['request', 'mugs'])
  // Every page of it names it and leads to its own pages.
  const pages = await Promise.all(
    ['', '/requests', '/orders?order_id=A'].map((path) => read(emulator, `/shops/mugs${path}`)),
  )
  for (const page of pages) {
    expect(page).toMatch(/<title>.* · mugs · edgetill emulator<\/title>/)
    expect(page.match(/(?:href|src|action)="\/_emulator(?!\/shops\/mugs)/g)).toBeNull()
  }
  expect(await read(emulator, '')).toContain('href="/_emulator/shops/mugs"')
  const del = await emulator.fetch('http://emulator.localhost/_emulator/api/shops/mugs', { method: 'DELETE' })
  expect([del.status, await readJson(emulator, 'shops')]).toEqual([200, []])
  expect(await pay(json.credentials as Json, { order_id: 'B' })).toBe(401)
  expect((await emulator.fetch('http://emulator.localhost/_emulator/shops/mugs/api/clock')).status).toBe(404)
})

it.each([
  [{ name: 'a b' }, /name: must be a word/],
  [{ customerField: 'x' }, /Did you mean "customerFields"/],
  [{ name: 'taken' }, /there is a shop taken/],
  [{ credentials: { apiKey: 'emulator-api-key' } }, /credentials.apiKey: another shop has it/],
  [{ clock: 'tomorrow' }, /is not a time/],
])('a shop of %j is rejected, and none is made', async (options, text) => {
  const emulator = createEmulator()
  emulator.shops.create({ name: 'taken' })
  const json = { error: expect.stringMatching(text) }
  expect(await command(emulator, 'shops', options)).toMatchObject({ status: 400, json })
  expect(emulator.shops.list()).toHaveLength(1)
})

it('edgetill/testing makes a shop, pays in it, waits for its webhook and ends it', async () => {
  const emulator = createEmulator({ fetch })
  const shops = await Promise.all([7, 7].map((seed) => createEmulatorShop({ seed, fetch: emulator.fetch })))
  for (const shop of shops) {
    const client = createClient({ ...shop.credentials, fetch: emulator.fetch })
    const checkout = await client.createPayment({
      ...{ mode: 'hosted', method: 'purchase', amount: 5, currency: 'UAH', description: 'Mug', order_id: 'A-1' },
      ...{ order_3ds_bypass: 'supported', server_url: 'https://shop.example.com/' },
    } as const)
    expect(checkout.checkout_id).toMatch(/^emulator-checkout-/)
    await emulator.pay(checkout.url, { card: 'three_d_secure' })
    await shop.nextWebhook({ order_id: 'A-1', status: 'success' })
    await shop.control('refund', { order_id: 'A-1' })
    await expect(shop.control('refund', { order_id: 'B-1' })).rejects.toThrow('No order has the order_id "B-1"')
    await shop.end()
    await expect(shop.end()).rejects.toThrow('No shop has the name')
  }
})

it('a snapshot has the shops, and reset forgets one order, or one shop', async () => {
  const emulator = createEmulator({ fetch: async () => new Response(null, { status: 500 }) })
  const shop = emulator.shops.create({ name: 'mugs', clock })
  for (const one of [emulator, shop]) {
    for (const order_id of ['A', 'B'])
      await post(one, '/api/v1/payment', direct(one, { order_id, server_url: 'https://s.example/' }))
    await one.deliveries.idle()
  }
  const stored = JSON.parse(JSON.stringify(emulator.snapshot())) as unknown
  shop.reset('A')
  emulator.reset()
  expect([emulator.orders.list().length, shop.orders.list().map(({ order_id }) => order_id)]).toEqual([0, ['B']])
  expect(shop.deliveries.map(({ order_id }) => order_id)).toEqual(['B'])
  expect(shop.requests().map(({ order_id }) => order_id)).toEqual(['B'])
  expect((await post(shop, '/api/v1/payment', direct(shop, { order_id: 'A' }))).status).toBe(200)
  const other = createEmulator()
  other.restore(stored)
  expect(other.shops.get('mugs')?.snapshot()).toEqual((stored as { shops: Json[] }).shops[0]?.snapshot)
  const wrong = { ...(stored as object), shops: [{ options: { name: 'x' }, snapshot: {} }] }
  expect(() => other.restore(wrong)).toThrow('damaged')
  expect(other.shops.list()).toHaveLength(1)
})
