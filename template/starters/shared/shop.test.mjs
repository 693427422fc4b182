// `node --test`: the shop in this process, with an emulator of the service.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createClient } from 'edgetill'
import { createEmulator } from 'edgetill/emulator'
import { pay } from 'edgetill/testing'
import { sqlite } from 'edgetill/till'
import { createShop } from './shop.ts'

const ORIGIN = 'https://shop.example.com'

/** A shop, and a browser that keeps its cookies. */
async function open(password = 'a-password') {
  const emulator = createEmulator({ fetch: (input, init) => shop.webhooks(new Request(input, init)) })
  const client = createClient({ ...emulator.credentials, fetch: emulator.fetch, onWarning() {} })
  const settings = { client, database: sqlite(new DatabaseSync(':memory:')), apiSecret: emulator.credentials.apiSecret }
  const shop = await createShop({ ...settings, password, origin: ORIGIN })
  const cookies = new Map()
  const browse = async (path, form) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const body = form && new URLSearchParams(form)
    const response = await shop.shop(
      new Request(`${ORIGIN}${path}`, { method: form ? 'POST' : 'GET', headers: { cookie }, body }),
    )
    for (const set of response.headers.getSetCookie()) cookies.set(...set.split(';')[0].split('='))
    return { status: response.status, location: response.headers.get('location'), text: await response.text() }
  }
  const fields = (text) =>
    Object.fromEntries([...text.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]))
  const sell = async (card) => {
    const { cart } = fields((await browse('/shop')).text)
    const { location } = await browse('/shop/pay', { cart })
    await pay(location, { card, fetch: emulator.fetch })
    await emulator.deliveries.idle()
    return cart
  }
  return { emulator, shop, cookies, browse, fields, sell }
}

test('a customer pays once, however often the button is pressed', async () => {
  const { browse, fields, sell } = await open()
  const { cart } = fields((await browse('/shop')).text)
  const [one, two] = [await browse('/shop/pay', { cart }), await browse('/shop/pay', { cart })]
  assert.deepEqual([one.status, two.location], [303, one.location])
  assert.equal(await sell(), cart)
  assert.match((await browse(`/shop/orders/${cart}`)).text, /Paid: 100\.50 UAH\./)
  // A form of another site does not have the cookie.
  assert.equal((await browse('/shop/pay', { cart: 'shop-other' })).status, 403)
})

test('a declined card charges nothing, and the customer can buy again', async () => {
  const { browse, sell } = await open()
  const cart = await sell('declined')
  assert.match((await browse(`/shop/orders/${cart}`)).text, /nothing was charged/)
  await browse('/shop?new')
  assert.notEqual(await sell(), cart)
})

test('a refund is made once, by the staff only', async () => {
  const { emulator, browse, cookies, fields, sell } = await open()
  const order = await sell()
  assert.match((await browse(`/shop/staff?order=${order}`)).text, /Password/)
  assert.equal((await browse('/shop/staff/refund', { order, key: 'k', amount: '30' })).status, 403)
  assert.equal((await browse('/shop/staff/login', { password: 'wrong' })).status, 401)
  assert.equal((await browse('/shop/staff/login', { password: 'a-password' })).status, 303)
  const form = fields((await browse(`/shop/staff?order=${order}`)).text)
  // A typo is rejected, and the page has a new form.
  assert.equal((await browse('/shop/staff/refund', { ...form, amount: '3o' })).status, 422)
  const fresh = { ...fields((await browse(`/shop/staff?order=${order}`)).text), amount: '30,00' }
  const pressed = await Promise.all([1, 2].map(() => browse('/shop/staff/refund', fresh)))
  assert.ok(pressed.every(({ status }) => status < 300))
  assert.equal((await browse('/shop/staff/refund', fresh)).status, 200)
  await emulator.deliveries.idle()
  assert.match((await browse(`/shop/orders/${order}`)).text, /Refunded: 30\.00 UAH\./)
  // A form of another session.
  cookies.delete('staff')
  await browse('/shop/staff/login', { password: 'a-password' })
  assert.equal((await browse('/shop/staff/refund', { ...fresh, key: 'other' })).status, 403)
})

test('without a password there is no refund', async () => {
  const { browse } = await open('')
  assert.equal((await browse('/shop/staff')).status, 503)
  assert.equal((await browse('/shop/staff/login', { password: '' })).status, 503)
})
