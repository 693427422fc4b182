import { beforeAll, expect, it } from 'vitest'
import { type Served, serveOnNode } from '../../src/cli/service/serve-node.ts'
import { ORDER, World } from '../worker/support/world.ts'
import { checkWithAxe, look, newContext, SHOP_LOOKS, SIZES, useBrowser } from './browser.ts'

/** One word of 120 letters, then many words. */
const LONG = `${'Найдовшаназвакрамниці'.repeat(6)} ${'Комплект керамічного посуду ручної роботи '.repeat(4).trim()}`
const LONG_ID = `order-${'1234567890'.repeat(20)}`

useBrowser()
let worker: Served
let world: World
/** The pages by their names. */
const paths: Record<string, string> = {}

/** The path and query of an address of the worker. */
const pathOf = (url: string): string => url.slice(new URL(url).origin.length)

beforeAll(async () => {
  world = new World({ kind: 'strict', env: { SHOP_NAME: LONG, SHOP_URL: 'https://shop.example.com/', MODE: 'test' } })
  worker = await serveOnNode((request) => world.fetch(request))
  await preparePages()
  return () => worker.close()
})

async function operate(order_id: string, kind: string, fields: object = {}): Promise<void> {
  await world.advance(2_000)
  const init = { method: 'POST', headers: { 'idempotency-key': kind }, body: JSON.stringify(fields) }
  expect((await world.api(`/api/orders/${order_id}/${kind}`, init)).status).toBe(200)
  await world.advance(2_000)
}

/** Brings about every page that a customer can see. */
async function preparePages(): Promise<void> {
  const open = async (order_id: string, fields: Partial<typeof ORDER> | object = {}) => {
    const link = await world.link({ order_id, description: LONG, ...fields }, undefined, { longOrderId: true })
    return { link, checkout: await world.open(link) }
  }
  const result = async (order_id: string) => pathOf(world.emulator.orders.get(order_id)?.payments[0]?.result_url ?? '')
  const settle = async (name: string, fields: object, card: 'success' | 'declined' = 'success') => {
    const { checkout } = await open(name, fields)
    await world.pay(checkout, card)
    await world.advance(2_000)
    paths[name] = await result(name)
  }
  await settle(LONG_ID, {})
  await settle('reserved', { method: 'auth' })
  await settle('part', { method: 'auth' })
  await operate('part', 'capture', { charge_amount: 60.5 })
  await settle('released', { method: 'auth' })
  await operate('released', 'void')
  await settle('part-refunded', {})
  await operate('part-refunded', 'refund', { refund_amount: 0.5 })
  await settle('refunded', {})
  await operate('refunded', 'refund')
  await settle('short', { description: 'Two mugs' })
  await settle('failed', { description: 'Two mugs' }, 'declined')
  const { checkout: _ } = await open('pending')
  paths.pending = await result('pending')
  paths.landing = pathOf(await world.link({ order_id: 'landing' }, undefined, { landing: true }))
  paths.nothing = '/nothing'
  paths.neutral = '/return/neutral'
  paths.invalid = '/checkout/x'
  paths.expired = pathOf(await world.link({ order_id: 'expired' }, world.time + 1_000))
  const cancelled = await open('cancelled')
  expect((await world.api('/api/orders/cancelled/cancel', { method: 'POST' })).status).toBe(200)
  await world.emulator.deliveries.idle()
  await world.advance(2_000)
  paths.cancelled = pathOf(await world.open(cancelled.link))
  paths.changed = pathOf(await world.link({ order_id: 'pending', amount: 1 }))
  const made = await world.api('/api/links', {
    method: 'POST',
    body: JSON.stringify({ order: { ...ORDER, order_id: 'revoked' } }),
  })
  const { id, url } = (await made.json()) as { id: string; url: string }
  expect((await world.api(`/api/links/${id}`, { method: 'DELETE' })).status).toBe(200)
  paths.revoked = pathOf(url)
  // Two seconds, so that the shortest link has expired.
  await world.advance(2_000)
}

const TITLES: Record<string, Record<'en' | 'uk', string>> = {
  [LONG_ID]: { en: 'Your payment was successful', uk: 'Оплата успішна' },
  short: { en: 'Your payment was successful', uk: 'Оплата успішна' },
  landing: { en: 'Your order', uk: 'Ваше замовлення' },
  nothing: { en: 'Page not found', uk: 'Сторінку не знайдено' },
  reserved: { en: 'Your payment is reserved', uk: 'Суму зарезервовано' },
  part: { en: 'A part of the reserved amount was charged', uk: 'Частину зарезервованої суми списано' },
  released: { en: 'The reservation of your payment was released', uk: 'Резервування суми скасовано' },
  'part-refunded': { en: 'Your payment was partly refunded', uk: 'Частину оплати повернено' },
  refunded: { en: 'Your payment was refunded', uk: 'Оплату повернено' },
  failed: { en: 'Payment failed', uk: 'Оплата не пройшла' },
  cancelled: { en: 'Payment cancelled', uk: 'Оплату скасовано' },
  pending: { en: 'Your payment is being confirmed', uk: 'Оплата підтверджується' },
  neutral: { en: 'Thank you', uk: 'Дякуємо' },
  invalid: { en: 'This payment link is not valid', uk: 'Це посилання на оплату недійсне' },
  expired: { en: 'This payment link has expired', uk: 'Термін дії посилання на оплату минув' },
  changed: { en: 'This order has changed', uk: 'Замовлення змінилося' },
  revoked: { en: 'This payment link is no longer valid', uk: 'Це посилання на оплату більше не діє' },
}

it.each(SHOP_LOOKS)(
  'no page of the worker scrolls sideways, and axe finds nothing: $locale, $size, $colorScheme',
  async ({ size, ...how }) => {
    const context = await newContext({ ...how, viewport: SIZES[size], bypassCSP: true })
    const page = await context.newPage()
    const language = how.locale === 'uk-UA' ? 'uk' : 'en'
    for (const [name, titles] of Object.entries(TITLES)) {
      await page.goto(worker.origin + paths[name])
      expect([name, await page.locator('h1').textContent()]).toEqual([name, titles[language]])
      expect(await page.locator('html').getAttribute('lang')).toBe(language)
      expect(await page.locator('header').textContent()).toContain('Найдовшаназвакрамниці')
      expect(await page.getByRole('link').last().getAttribute('href')).toBe('https://shop.example.com/')
      // A card in the middle, also of a wide screen.
      const { x, width } = (await page.locator('main').boundingBox()) ?? { x: 0, width: 0 }
      expect(Math.abs(2 * x + width - SIZES[size].width)).toBeLessThanOrEqual(2)
      await look(page, `worker-${name.slice(0, 20)}-${language}-${size}-${how.colorScheme}`)
      await checkWithAxe(page, name, true)
    }
  },
  120_000,
)

it('without script and under its own policy a page is styled, light and dark, and its links and buttons lead on', async () => {
  const context = await newContext({ colorScheme: 'light', javaScriptEnabled: false })
  const page = await context.newPage()
  const texts: string[] = []
  page.on('console', (message) => void texts.push(message.text()))
  await page.goto(worker.origin + paths[LONG_ID])
  expect(await page.getByRole('link', { name: 'Receipt' }).getAttribute('href')).toMatch(/\/_emulator\/receipts\//)
  await page.goto(worker.origin + paths.landing)
  const colour = () => page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
  const light = await colour()
  await page.emulateMedia({ colorScheme: 'dark' })
  expect([light, await colour()]).toEqual(['rgb(242, 244, 247)', 'rgb(16, 19, 24)'])
  expect(world.emulator.orders.get('landing')).toBeUndefined()
  // The service is at another address than the worker, where nothing listens here: the policy has to allow the redirect.
  const { origin } = new URL(world.emulator.credentials.baseUrl)
  const asked = page.waitForRequest((request) => request.url().startsWith(origin))
  await page.getByRole('button').click()
  expect((await asked).isNavigationRequest()).toBe(true)
  expect(texts.filter((text) => text.includes('Content Security Policy'))).toEqual([])
})
