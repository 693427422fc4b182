import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Shop, startShop } from '../../examples/shop/start.ts'
import { checkWithAxe, launch, look } from './browser.ts'

const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 360, height: 740 } } as const

let browser: Browser
let shop: Shop

beforeAll(async () => {
  shop = await startShop()
  browser = await launch()
})

afterAll(async () => {
  await browser?.close()
  await shop?.stop()
})

/** A page in a browser of its own; without script the forms must work all the same. */
async function open(size: keyof typeof SIZES, script: boolean): Promise<Page> {
  const context = await browser.newContext({ viewport: SIZES[size], javaScriptEnabled: script, bypassCSP: true })
  return context.newPage()
}

/** Moves the focus with Tab until it is on the element that is named so. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab')
    const focused = page.locator(':focus')
    if ((await focused.count()) === 0) continue
    const id = await focused.getAttribute('id')
    const label = id ? page.locator(`label[for="${id}"]`) : undefined
    const text = label && (await label.count()) > 0 ? await label.first().textContent() : await focused.textContent()
    if (text?.includes(name)) return
  }
  throw new Error(`No "${name}" was reached with Tab on ${page.url()}`)
}

async function payFromShop(page: Page): Promise<void> {
  await page.goto(shop.shop)
  await tabTo(page, 'Pay')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/checkout\/[^/]+\/form/)
}

async function fillCard(page: Page, card: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(card)) {
    await tabTo(page, label)
    await page.keyboard.press('Control+A')
    await page.keyboard.type(value)
  }
  await page.keyboard.press('Enter')
}

const card = (number: string) => ({ 'Card number': number, Month: '12', Year: '39', CVV: '123' })

describe.each(['desktop', 'phone'] as const)('at %s width, without script, with the keyboard alone', (size) => {
  it('pays by card, passes 3-D Secure and arrives at the order', async () => {
    const page = await open(size, false)
    await payFromShop(page)
    await look(page, `checkout-${size}`)
    await fillCard(page, card('4000000000003220'))
    await page.waitForURL(/\/3ds/)
    await look(page, `three-d-secure-${size}`)
    await tabTo(page, 'Yes')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/orders\//)
    await shop.emulator.deliveries.idle()
    await page.reload()
    expect(await page.getByRole('status').textContent()).toContain('success')
    await look(page, `order-${size}`)
    await page.context().close()
  })
})

it('axe finds nothing serious on any page of the day, and a declined card is explained', async () => {
  const page = await open('phone', true)
  const check = (name: string) => checkWithAxe(page, name)
  await page.goto(shop.shop)
  await check('shop')
  await payFromShop(page)
  await check('checkout')
  await fillCard(page, { 'Card number': '1', Month: '1', Year: '20', CVV: '1' })
  await expect.poll(() => page.getByLabel('Card number').getAttribute('aria-invalid')).toBe('true')
  await check('checkout with errors')
  await fillCard(page, card('4000000000003220'))
  await page.waitForURL(/\/3ds/)
  await check('3-D Secure')
  await tabTo(page, 'Yes')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/orders\//)
  await check('order')
  await payFromShop(page)
  await fillCard(page, card('4000000000009995'))
  await page.getByRole('heading', { name: 'Declined' }).waitFor()
  expect(await page.locator('main').textContent()).toMatch(/insufficient funds.*4009/is)
  await check('declined')
  await page.context().close()
})
