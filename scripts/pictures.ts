// `npm run pictures`: makes the pictures of the console again. Needs Chromium.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { startShop } from '../examples/shop/start.ts'
import { fillDay } from '../src/cli/service/dev/fill-day.ts'

const images = join(import.meta.dirname, '../guides/images')
const LARGEST = 150_000

/** The pages that the README and the guides show. */
const PAGES = [
  { name: 'today', path: '/', locale: 'en-GB' },
  { name: 'order', path: '/orders/ivan-lamp', locale: 'uk-UA' },
] as const
const PHONE = { width: 390, height: 844 }

/** Writes the pages of a shop that has a day behind it. */
async function takePictures(browser: Browser): Promise<void> {
  const shop = await startShop()
  try {
    await fillDay(shop.worker, shop.adminToken, shop.emulator)
    for (const { name, path, locale } of PAGES) {
      const context = await browser.newContext({ viewport: PHONE, locale, colorScheme: 'light' })
      const page = await signIn(await context.newPage(), shop)
      // The list has an order seconds after it was paid.
      await page.goto(`${shop.worker}/console/`)
      for (let tries = 0; tries < 40 && !(await page.content()).includes('665'); tries++) {
        await page.waitForTimeout(500)
        await page.reload()
      }
      await page.goto(`${shop.worker}/console${path}`)
      write(`console-${name}.png`, await page.screenshot())
      await context.close()
    }
  } finally {
    await shop.stop()
  }
}

async function signIn(page: Page, shop: Awaited<ReturnType<typeof startShop>>): Promise<Page> {
  await page.goto(`${shop.worker}/console`)
  await page.locator('input[type=password]').fill(shop.adminToken)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation').waitFor()
  return page
}

function write(name: string, picture: Buffer): void {
  if (picture.length > LARGEST) throw new Error(`${name} has ${picture.length} bytes; at most ${LARGEST} are wanted.`)
  writeFileSync(join(images, name), picture)
  console.log(`${name} ${picture.length} bytes`)
}

mkdirSync(images, { recursive: true })
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
})
try {
  await takePictures(browser)
} finally {
  await browser.close()
}
