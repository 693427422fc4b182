// `npm run pictures`: makes the pictures of the console anew. With a checkout of an earlier state, `npm run pictures -- DIR`,
// it makes those of the guide too that show a page before and after. Needs Chromium.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import type { startShop } from '../examples/shop/start.ts'
import type { fillDay } from '../src/cli/service/dev/fill-day.ts'

const images = join(import.meta.dirname, '../guides/images')
const here = join(import.meta.dirname, '..')
const LARGEST = 150_000

/** A page, how it is looked at, and where it was before. */
const PAGES: readonly {
  name: string
  path: string
  before?: string
  size: 'phone' | 'desk'
  dark?: true
  lang?: 'uk'
}[] = [
  { name: 'today', path: '/', size: 'phone' },
  { name: 'order', path: '/orders/ivan-lamp', size: 'phone', lang: 'uk' },
  { name: 'refunded', path: '/orders/sofia-plates', size: 'phone', dark: true },
  { name: 'orders', path: '/orders', before: '/search?q=o', size: 'phone' },
  { name: 'link', path: '/links/lesia-jug', size: 'phone', lang: 'uk' },
  { name: 'desk', path: '/orders/ivan-lamp', size: 'desk' },
]
const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 800 } }

/** A shop of a checkout with a day behind it, whose pages are looked at. */
async function picturesOf(checkout: string, browser: Browser, isBefore: boolean): Promise<Map<string, Buffer>> {
  const { startShop: start } = (await import(join(checkout, 'examples/shop/start.ts'))) as {
    startShop: typeof startShop
  }
  const day = (await import(join(checkout, 'src/cli/service/dev/fill-day.ts'))) as { fillDay: typeof fillDay }
  const shop = await start()
  const shots = new Map<string, Buffer>()
  try {
    await day.fillDay(shop.worker, shop.adminToken, shop.emulator)
    for (const { name, path, before = path, size, dark, lang } of PAGES) {
      const locale = lang === 'uk' ? 'uk-UA' : 'en-GB'
      const colorScheme = dark ? 'dark' : 'light'
      const context = await browser.newContext({ viewport: SIZES[size], locale, colorScheme })
      const page = await signIn(await context.newPage(), shop)
      // The list has an order seconds after it was paid.
      await page.goto(`${shop.worker}/console/`)
      for (let tries = 0; tries < 40 && !(await page.content()).includes('665'); tries++) {
        await page.waitForTimeout(500)
        await page.reload()
      }
      await page.goto(`${shop.worker}/console${isBefore ? before : path}`)
      shots.set(name, await page.screenshot())
      await context.close()
    }
  } finally {
    await shop.stop()
  }
  return shots
}

async function signIn(page: Page, shop: Awaited<ReturnType<typeof startShop>>): Promise<Page> {
  await page.goto(`${shop.worker}/console`)
  await page.locator('input[type=password]').fill(shop.adminToken)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation').waitFor()
  return page
}

/** Two pictures side by side. */
async function beside(browser: Browser, shots: Buffer[], size: keyof typeof SIZES): Promise<Buffer> {
  const { width, height } = SIZES[size]
  const scale = size === 'desk' ? 0.5 : 1
  const viewport = { width: Math.round(2 * width * scale) + 16, height: Math.round(height * scale) }
  const page = await (await browser.newContext({ viewport })).newPage()
  const images = shots.map(
    (shot) => `<img width="${width * scale}" src="data:image/png;base64,${shot.toString('base64')}">`,
  )
  await page.setContent(`<body style="background:#888;display:flex;gap:16px;margin:0">${images.join('')}`)
  const picture = await page.screenshot()
  await page.context().close()
  return picture
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
  const [, , earlier] = process.argv
  const after = await picturesOf(here, browser, false)
  for (const name of ['today', 'order']) write(`console-${name}.png`, after.get(name) as Buffer)
  if (earlier) {
    const before = await picturesOf(resolve(earlier), browser, true)
    for (const { name, size } of PAGES) {
      const shots = [before, after].map((all) => all.get(name) as Buffer)
      write(`console-${name}-before-after.png`, await beside(browser, shots, size))
    }
  }
} finally {
  await browser.close()
}
