import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Shop, startShop } from '../../examples/shop/start.ts'
import { fillDay } from '../../src/cli/service/dev/fill-day.ts'
import { checkWithAxe, LOOKS, launch, look, SIZES, tabTo, typeInto } from './browser.ts'

let browser: Browser
/** One that sells its first order in this file, and one with a day behind it. */
let empty: Shop
let full: Shop

beforeAll(async () => {
  empty = await startShop()
  full = await startShop()
  await fillDay(full.worker, full.adminToken, full.emulator)
  browser = await launch()
})

afterAll(async () => {
  await browser?.close()
  await empty?.stop()
  await full?.stop()
})

async function signedIn(shop: Shop, options: BrowserContextOptions): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage()
  await page.goto(`${shop.worker}/console`)
  await page.locator('input[type=password]').fill(shop.adminToken)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation').waitFor()
  return page
}

it('a link is made, paid, refunded in part, found again and in the day, on a phone, without script, by keyboard alone', async () => {
  const page = await signedIn(empty, { viewport: SIZES.phone, locale: 'en-GB', javaScriptEnabled: false })
  await look(page, 'console-empty')
  await tabTo(page, 'a[href$="/new-link"]')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/new-link/)
  await typeInto(page, '#amount', '100.50')
  await typeInto(page, '#description', 'Two mugs')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/links\//)
  await look(page, 'console-link')
  const address = (await page.locator('a[href*="/p/"]').first().getAttribute('href')) ?? ''
  expect(address.length).toBeLessThanOrEqual(45)
  expect(await page.getByRole('status').textContent()).toContain('ent')

  const customer = await (await browser.newContext({ viewport: SIZES.phone, javaScriptEnabled: false })).newPage()
  await customer.goto(address)
  await customer.locator('form button').click()
  await customer.waitForURL(/\/form/)
  const card = { 'Card number': '4111111111111111', Month: '12', Year: '39', CVV: '123' }
  for (const [label, value] of Object.entries(card)) await customer.getByLabel(label).fill(value)
  await customer.keyboard.press('Enter')
  await customer.waitForURL(/\/return\//)
  await empty.emulator.deliveries.idle()
  await expect
    .poll(async () => (await page.reload()) && page.getByRole('status').locator('b').textContent(), { timeout: 30_000 })
    .toMatch(/paid/i)

  await tabTo(page, 'a[href*="/orders/"]')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/orders\//)
  expect(await page.locator('main').textContent()).toContain('100.50')
  await look(page, 'console-order')
  await typeInto(page, 'form[action$="/refund"] input[name=amount]', '40.25')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/refund$/)
  await look(page, 'console-refund')
  await tabTo(page, 'form[action*="/refund"] button')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/receipt\//)
  expect(await page.locator('main').textContent()).toContain('40.25')
  await look(page, 'console-receipt')
  await empty.emulator.deliveries.idle()

  const listed = async (path: string) => {
    await page.goto(`${empty.worker}/console${path}`)
    return page.locator('main').textContent()
  }
  await expect.poll(() => listed('/search?q=100.50'), { timeout: 30_000 }).toContain('Two mugs')
  await look(page, 'console-search')
  await expect.poll(() => listed('/day'), { timeout: 30_000 }).toMatch(/40\.25.*60\.25|60\.25.*40\.25/s)
  await look(page, 'console-day')
  await page.context().close()
}, 180_000)

/** The pages that the menu and the rows lead to. */
async function pagesOf(page: Page, origin: string): Promise<string[]> {
  const found = ['/console/']
  for (let at = 0; at < found.length; at++) {
    await page.goto(origin + found[at])
    const links = await page
      .locator('a[href^="/console"]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''))
    for (const link of links) {
      const path = link.replace(/[?#].*/, '')
      if (!found.includes(path) && !path.endsWith('.csv')) found.push(path)
    }
  }
  return found
}

it.each(LOOKS)(
  'every page is right to axe and to its own policy, and does not scroll sideways: $locale, $colorScheme, $size',
  async ({ size, ...how }) => {
    const viewport = SIZES[size]
    const page = await signedIn(full, { ...how, viewport })
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(`${page.url()}: ${message.text()}`))
    const paths = await pagesOf(page, full.worker)
    expect(paths.length).toBeGreaterThan(12)
    expect(paths.filter((path) => path.includes('~'))).toEqual([])
    for (const path of paths) {
      await page.goto(full.worker + path)
      await look(
        page,
        `console${path.slice('/console'.length).replaceAll('/', '-')}-${Object.values(how).join('-')}-${size}`,
      )
    }
    expect(problems).toEqual([])
    await page.context().close()
    // What axe looks at does not depend on the width of these pages.
    if (size === 'wide') return
    const looser = await signedIn(full, { ...how, viewport, bypassCSP: true })
    for (const path of paths) {
      await looser.goto(full.worker + path)
      await checkWithAxe(looser, path, true)
    }
    await looser.context().close()
  },
  240_000,
)
