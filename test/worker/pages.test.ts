import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import type { ShopEnv } from '../../src/shop/env.ts'
import { closedLink, notOpened } from '../../src/shop/pages/checkout.ts'
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
  const colours = ['#ffdd00', '#7a80ff', '#7a3e9d', '#8c8c8c', 'rebeccapurple']
  expect(await Promise.all(colours.map(on))).toEqual(['#000', '#000', '#fff', '#fff', '#fff'])
})

const site = { env: new World({ env: { SHOP_URL: 'https://a.test/' } }).env(), wording: english, pages: {} }

/** A page as customers see it: status, sign and words; where it leads, `!` on its big button; when it refreshes. */
async function seen(made: Promise<Response>): Promise<unknown[]> {
  const { status, headers } = await made
  const text = await (await made).text()
  expect(text).toMatch(/^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport"/)
  expect(text).not.toMatch(/<script/)
  const main = text.split(/<\/?main>/)[1] ?? ''
  const [, sign] = /<svg class="(\w+)"[^>]*><path d="M/.exec(main) ?? []
  const words = main.split(/(?:\s*<[^>]+>)+\s*/).slice(1, -2)
  const ways = [...main.matchAll(/<p( class="go")?><a href="([^"]*)/g)].map(([, go, to]) => (go ? `!${to}` : to))
  return [`${status} ${sign}`, words.join(), ways.join(), headers.get('refresh') ?? '']
}
const HOME = 'https://a.test/'

it('a page in place of a payment has the status and the words of its kind, and the way on', async () => {
  const statuses = {
    ...{ invalid: 404, notFound: 404, changed: 409, expired: 410, revoked: 410, closed: 410, full: 410 },
    ...{ unusable: 422, busy: 429 },
  }
  for (const [kind, status] of Object.entries(statuses)) {
    const { title, text } = english[kind as 'busy']
    expect(await seen(closedLink(site, kind as 'busy'))).toEqual([`${status} note`, `${title},${text}`, `!${HOME}`, ''])
  }
  const { notOpened: failed, opening, tryAgain, refreshNow } = english
  const [again, never] = [notOpened(site, 'failed', '/x'), notOpened(site, 'failed', '/x', 500, '<y>')]
  const says = `${failed.title},${failed.text},${tryAgain}`
  expect(await seen(again)).toEqual(['503 note', says, `!/x,${HOME}`, ''])
  expect(await seen(never)).toEqual(['500 note', `${failed.title},&lt;y&gt;`, `!${HOME}`, ''])
  const wait = await notOpened(site, 'wait', '/x')
  const headers = ['content-type', 'retry-after'].map((name) => wait.headers.get(name))
  expect(headers).toEqual(['text/html; charset=utf-8', '10'])
  const words = `${opening.title},${opening.text(10)},${refreshNow}`
  expect(await seen(Promise.resolve(wait))).toEqual(['503 wait', words, `!/x,${HOME}`, '10;url=/x'])
})

it('an order’s page says what became of the money, where it leads and when it looks again', async () => {
  const none = { authorized_minor: 0, captured_minor: 0, refunded_minor: 0, voided_minor: 0, fee_minor: null }
  const all = { authorized_minor: 10_050, captured_minor: 10_050 }
  const about = { expected: undefined, description: undefined, link: undefined }
  const show = (more: object | undefined, totals: object = {}, rest: object = {}, look = 0) => {
    const status = more && { status: 'success', method: 'purchase', amount: 100.5, currency: 'UAH', ...more }
    const shown = { ...about, status: status && { ...status, totals: { ...none, ...totals } }, ...rest }
    return seen(resultPage(site, 'A-1~2', shown as never, '/return/A-1?t=x', look))
  }
  const { failed, cancelled, confirming, thanks, tryAgain, refreshNow, ...en } = english
  const [sum, order, home, auth] = ['UAH\u00a0100.50', 'Order,A-1', `!${HOME}`, { method: 'auth' }]
  const end = `${thanks},${order}`
  const facts = { at: '2026-03-01T10:00:00Z', card: '1111', receipt_url: 'https://r.test/' }
  const shownFacts = 'Purchase,A mug,Date,1 Mar 2026, 10:00,Card,•••• 1111,Receipt'
  const [cent, less] = ['UAH\u00a00.01', 'UAH\u00a0100.49']
  const [failure, ended] = [{ status: 'failure' }, { status: 'failure', cancelled: true }]
  const rows: [page: Promise<unknown[]>, sign: string, ways: string, ...words: string[]][] = [
    [show({}, all), 'ok', home, en.paid, sum, end],
    [show(facts, all, { description: 'A mug' }), 'ok', `https://r.test/,${home}`, en.paid, sum, end, shownFacts],
    [
      show({}, { ...all, refunded_minor: 1 }),
      'ok',
      home,
      en.partlyRefunded,
      less,
      end,
      'Charged',
      sum,
      'Refunded',
      cent,
    ],
    [show({}, { ...all, refunded_minor: 10_050 }), 'ok', home, en.refunded, sum, end, 'Refunded', sum],
    [show({}, { ...all, voided_minor: 10_050 }), 'ok', home, en.refunded, sum, end],
    [show(auth, { authorized_minor: 10_050 }), 'ok', home, en.reserved, sum, end],
    [show(auth, { ...all, captured_minor: 1, voided_minor: 10_049 }), 'ok', home, en.partlyCaptured, cent, end],
    [show(auth, { authorized_minor: 10_050, voided_minor: 10_050 }), 'ok', home, en.released, sum, end],
    [show(failure), 'bad', home, failed.title, sum, `${failed.text} ${failed.askShop}`, order],
    [show(failure, {}, { link: '/l' }), 'bad', `!/l,${HOME}`, failed.title, sum, failed.text, tryAgain, order],
    [show(ended, {}, { link: '/l' }), 'note', home, cancelled.title, sum, cancelled.text, order],
  ]
  for (const [page, sign, ways, ...words] of rows) expect(await page).toEqual([`200 ${sign}`, words.join(), ways, ''])
  const expected = { amount: 100.5, currency: 'UAH' }
  for (const [at, seconds] of Object.entries({ 0: 3, 4: 3, 5: 10, 29: 10, 30: 0 })) {
    const look = Number(at)
    const next = `/return/A-1?t=x&look=${look + 1}`
    const says = `${seconds ? confirming.refreshing : confirming.slow} ${confirming.advice}`
    expect(await show(undefined, {}, look > 0 ? { expected } : {}, look)).toEqual([
      '200 wait',
      [confirming.title, ...(look > 0 ? [sum] : []), says, refreshNow, order].join(),
      `!${next.replace('&', '&amp;')},${HOME}`,
      seconds ? `${seconds};url=${next}` : '',
    ])
  }
})
