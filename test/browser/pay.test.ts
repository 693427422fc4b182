import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Shop, startShop } from '../../examples/shop/start.ts'
import { checkWithAxe, launch, look } from './browser.ts'

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
async function open(script: boolean): Promise<Page> {
  const viewport = { width: 360, height: 740 }
  return (await browser.newContext({ viewport, javaScriptEnabled: script, bypassCSP: true })).newPage()
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

it('without script, with the keyboard alone, one pays by card, passes 3-D Secure and arrives at the order', async () => {
  const page = await open(false)
  await payFromShop(page)
  await look(page, 'checkout')
  await fillCard(page, card('4000000000003220'))
  await page.waitForURL(/\/3ds/)
  await tabTo(page, 'Yes')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/orders\//)
  await shop.emulator.deliveries.idle()
  await page.reload()
  expect(await page.getByRole('status').textContent()).toContain('success')
  await look(page, 'order')
  await page.context().close()
})

it('axe finds nothing serious on the pages of the shop and of a declined card, which is explained', async () => {
  const page = await open(true)
  await page.goto(shop.shop)
  await checkWithAxe(page, 'shop')
  await payFromShop(page)
  await fillCard(page, card('4111111111111111'))
  await page.waitForURL(/\/orders\//)
  await checkWithAxe(page, 'order')
  await payFromShop(page)
  await fillCard(page, card('4000000000009995'))
  await page.getByRole('heading', { name: 'Declined' }).waitFor()
  expect(await page.locator('main').textContent()).toMatch(/insufficient funds.*4009/is)
  await checkWithAxe(page, 'declined')
  await page.context().close()
})
