import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { type Shop, startShop } from '../../examples/shop/start.ts'
import { checkWithAxe, look, newContext, tabTo, typeInto, useBrowser } from './browser.ts'

useBrowser()
let shop: Shop

beforeAll(async () => {
  shop = await startShop()
  return () => shop.stop()
})

/** A page in a browser of its own; without script the forms must work all the same. */
async function open(script: boolean): Promise<Page> {
  const viewport = { width: 360, height: 740 }
  return (await newContext({ viewport, javaScriptEnabled: script, bypassCSP: true })).newPage()
}

/** From the shop to the end of its checkout, with the keyboard alone. */
async function pay(page: Page, cc_number: string): Promise<void> {
  await page.goto(shop.shop)
  await tabTo(page, 'form[action="/pay"] button')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/checkout\/[^/]+\/form/)
  await look(page, 'checkout')
  const card = { cc_number, exp_month: '12', exp_year: '39', card_cvv: '123' }
  for (const [name, text] of Object.entries(card)) await typeInto(page, `[name=${name}]`, text)
  await page.keyboard.press('Enter')
}

it('with the keyboard alone one pays by card, without script, passes 3-D Secure and arrives at the order', async () => {
  const page = await open(false)
  await pay(page, '4000000000003220')
  await page.waitForURL(/\/3ds/)
  await tabTo(page, 'button:has-text("Yes")')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/orders\//)
  await shop.emulator.deliveries.idle()
  await page.reload()
  expect(await page.getByRole('status').textContent()).toContain('success')
  await look(page, 'order')
  const withScript = await open(true)
  for (const url of [shop.shop, page.url()]) {
    await withScript.goto(url)
    await checkWithAxe(withScript, url)
  }
})

it('a declined card is explained, and axe finds nothing serious there', async () => {
  const page = await open(true)
  await pay(page, '4000000000009995')
  await page.getByRole('heading', { name: 'Declined' }).waitFor()
  expect(await page.locator('main').textContent()).toMatch(/insufficient funds.*4009/is)
  await checkWithAxe(page, 'declined')
})
