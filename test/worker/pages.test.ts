import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import type { ShopEnv } from '../../src/shop/env.ts'
import { english } from '../../src/shop/pages/en.ts'
import { siteFor } from '../../src/shop/pages/language.ts'
import { money } from '../../src/shop/pages/money.ts'
import { resultPage } from '../../src/shop/pages/result.ts'
import { ukrainian } from '../../src/shop/pages/uk.ts'
import { payment, secondary } from './support/events.ts'
import { ORIGIN, World, type WorldOptions } from './support/world.ts'

describe('the language of a page', () => {
  it.each([
    ['UK', 'en', 'uk'],
    ['uk-UA', undefined, 'uk'],
    ['EN', 'uk', 'en'],
    ['PL', 'uk-UA,en;q=0.5', 'uk'],
    ['PT_BR', undefined, 'en'],
    [undefined, 'de, uk;q=0.7, en;q=0.8', 'en'],
    [undefined, 'de, uk;q=0.9, en;q=0.8', 'uk'],
    [undefined, 'uk;q=0, en;q=0.1', 'en'],
    [undefined, 'ukx', 'en'],
    [undefined, '*', 'en'],
    [undefined, undefined, 'en'],
  ])('is right for customer_lang %j and Accept-Language %j', async (asked, accepted, lang) => {
    const app = new Hono<{ Bindings: ShopEnv }>().get('/', (c) => c.text(siteFor(undefined, c, asked).wording.lang))
    const headers = { ...(accepted && { 'accept-language': accepted }) }
    expect(await (await app.request('/', { headers }, {})).text()).toBe(lang)
  })
})

describe('the customer’s pages', () => {
  const create = (env: WorldOptions['env'] = {}) =>
    new World({ env: { SHOP_NAME: 'Кухлі & Co <b>', SHOP_URL: 'https://shop.example.com/?a=1&b=2', ...env } })
  const resultOf = (world: World, order_id: string) =>
    world.emulator.orders.get(order_id)?.payments[0]?.result_url ?? ''

  it('have the shop’s name and a way back, escaped, in the customer’s language', async () => {
    const world = create()
    await world.open(await world.link({ order_id: 'A-1', customer_lang: 'UK' } as never))
    const response = await world.get(resultOf(world, 'A-1'), { 'accept-language': 'en' })
    const text = await response.text()
    expect(text).toContain('<html lang="uk">')
    expect(text).toContain('Оплата підтверджується')
    expect(text).toContain('<header>Кухлі &amp; Co &lt;b&gt;</header>')
    expect(text).toContain('<a href="https://shop.example.com/?a=1&amp;b=2">Повернутися: Кухлі &amp; Co &lt;b&gt;</a>')
    expect(text).toContain('<p class="sum">100,50\u00a0грн</p>')
    expect(text).toContain('<dt>Покупка</dt><dd>Two mugs</dd>')
    for (const path of ['/checkout/x', '/return/A-1']) {
      const other = await (await world.get(path, { 'accept-language': 'uk' })).text()
      expect(other).toContain('<html lang="uk">')
      expect(other).toContain('https://shop.example.com/')
    }
  })

  it.each([
    ['/', 'en', 302],
    ['/nothing', 'uk', 404],
    ['/favicon.ico', 'en', 404],
  ])('lead on from %s, in the reader’s language', async (path, lang, status) => {
    const response = await create().get(path, { 'accept-language': lang })
    expect([response.status, response.headers.get('location')]).toEqual([
      status,
      status === 302 ? 'https://shop.example.com/?a=1&b=2' : null,
    ])
    if (status === 404)
      expect(await response.text()).toMatch(new RegExp(`<html lang="${lang}">[^]*<h1>(Page|Сторінку) `))
    // A shop at the worker's own address does not lead to itself.
    expect((await create({ SHOP_URL: new URL(path, ORIGIN).href }).get(path)).status).toBe(404)
  })

  it('lead to the receipt, also after a refund, until the personal data is removed', async () => {
    const world = create()
    const link = await world.link({ order_id: 'A-1' })
    await world.pay(await world.open(link))
    await world.advance(121_000)
    const page = async () => (await world.get(resultOf(world, 'A-1'))).text()
    expect(await page()).toMatch(/<a href="[^"]+\/receipts\/[^"]+">Receipt<\/a>/)
    expect(await page()).toMatch(/<dd>1 Mar 2026, [\d:]+<\/dd>\s*<dt>Card<\/dt><dd>•••• \d{4}<\/dd>/)
    await world.deliver(secondary('A-1', 'refund', { amount: 100.5, receipt_url: 'https://example.com/refund' }))
    const refunded = await page()
    expect(refunded).toContain('Your payment was refunded')
    expect(refunded).toMatch(/\/receipts\/[^"]+">Receipt/)
    await world.advance(2_000)
    expect((await world.api('/api/orders/A-1/personal-data', { method: 'DELETE' })).status).toBe(200)
    expect(await page()).not.toMatch(/Receipt|••••|Two mugs/)
  })

  it.each([
    ['javascript:alert(1)', undefined],
    ['https://bank.test/r?x=%2F', 'https://bank.test/r?x=%2F'],
  ])('lead to the address of the newest receipt as it is, and to a web page alone: %s', async (receipt_url, href) => {
    const world = create()
    await world.open(await world.link({ order_id: 'A-1' }))
    for (const url of href ? ['https://bank.test/before', receipt_url] : [receipt_url]) {
      await world.deliver(payment('A-1', { receipt_url: url, transaction_id: 't', payment_id: 'p' }))
      await world.advance(1_000)
    }
    const text = await (await world.get(resultOf(world, 'A-1'))).text()
    expect([text.includes('successful'), /<a href="([^"]*)">Receipt/.exec(text)?.[1]]).toEqual([true, href])
  })
})

it.each([
  [100.5, 'UAH', 'UAH\u00a0100.50', '100,50\u00a0грн'],
  [1234, 'UAH', 'UAH\u00a01,234.00', '1\u00a0234,00\u00a0грн'],
  [1500, 'JPY', 'JP¥1,500', '1\u00a0500\u00a0¥'],
  [0.5, 'JPY', 'JP¥0.5', '0,5\u00a0¥'],
  [1500, 'KWD', 'KWD\u00a01,500.000', '1\u00a0500,000\u00a0KWD'],
  [5, '<b>', '5.00 <b>', '5.00 <b>'],
])('%s %s is written as the language writes it', (amount, currency, en, uk) => {
  expect([money(english, amount, currency), money(ukrainian, amount, currency)]).toEqual([en, uk])
})

it.each([
  ['411111******1111', '1111'],
  ['411111XXXXXX1111', '1111'],
  ['4111111111111111', undefined],
  ['****', undefined],
  [1111, undefined],
])('of the card %j a page shows at most the last four digits', async (cc_mask, card) => {
  const world = new World()
  await world.open(await world.link({ order_id: 'A-1' }))
  await world.deliver(payment('A-1', { cc_mask }))
  const text = await (await world.get(world.emulator.orders.get('A-1')?.payments[0]?.result_url ?? '')).text()
  expect(/•••• (\d*)/.exec(text)?.[1]).toBe(card)
  expect(text).not.toMatch(/\d{5}1111/)
})

it('a button can be read on the shop’s colour', async () => {
  const on = async (accent: string) => {
    const text = await (await new World({ pages: { accent } }).get('/checkout/x')).text()
    return /--on: (#000|#fff) \}/.exec(text.slice(text.indexOf(`--link: ${accent}`)))?.[1]
  }
  expect([await on('#ffdd00'), await on('#7a3e9d'), await on('rebeccapurple')]).toEqual(['#000', '#fff', '#fff'])
})

it('a paid order’s page says what became of the money', async () => {
  const site = { env: new World().env(), wording: english, pages: {} }
  const none = { authorized: 0, captured: 0, refunded: 0, voided: 0, fee: null }
  const title = async (method: string, totals: object) => {
    const status = { status: 'success', method, amount: 100, currency: 'UAH', totals: { ...none, ...totals } }
    const shown = { status, expected: undefined, description: undefined, link: undefined }
    const page = await resultPage(site, 'A-1', shown, '/return/A-1', 0)
    return /<h1[^>]*>([^<]*)/.exec(await page.text())?.[1]
  }
  const all = { authorized: 10_000, captured: 10_000 }
  expect([
    await title('purchase', all),
    await title('purchase', { ...all, refunded: 1_000 }),
    await title('purchase', { ...all, refunded: 10_000 }),
    await title('auth', { authorized: 10_000 }),
    await title('auth', { authorized: 10_000, captured: 1_000, voided: 9_000 }),
    await title('auth', { authorized: 10_000, voided: 10_000 }),
  ]).toEqual([
    english.paid,
    english.partlyRefunded,
    english.refunded,
    english.reserved,
    english.partlyCaptured,
    english.released,
  ])
})
