import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterEach, beforeAll, expect } from 'vitest'
import { isForChange } from '../support/environment.ts'

/** Where the pictures of a run are kept. */
const screenshots = resolve(import.meta.dirname, '../../test-output/screenshots')
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export const SIZES = {
  wide: { width: 1280, height: 900 },
  tablet: { width: 768, height: 1024 },
  phone: { width: 390, height: 780 },
  small: { width: 360, height: 740 },
  smallest: { width: 320, height: 640 },
} as const
interface Look {
  locale: 'en-GB' | 'uk-UA'
  size: keyof typeof SIZES
  colorScheme: 'light' | 'dark'
}
/** Each size with each scheme, and each language with each of both. */
const EVERY_LOOK: readonly Look[] = [
  { locale: 'uk-UA', size: 'phone', colorScheme: 'light' },
  { locale: 'en-GB', size: 'wide', colorScheme: 'dark' },
  { locale: 'en-GB', size: 'phone', colorScheme: 'dark' },
  { locale: 'uk-UA', size: 'wide', colorScheme: 'light' },
]
/** A change is judged by two, which have both languages, sizes and schemes. */
export const LOOKS: readonly Look[] = isForChange ? EVERY_LOOK.slice(0, 2) : EVERY_LOOK

/** Each size but the usual phone's, in each language and scheme. A change is judged by the smallest and the widest. */
const SHOWN_SIZES = ['smallest', 'small', 'tablet', 'wide'] as const
export const SHOP_LOOKS: readonly Look[] = isForChange
  ? [
      { locale: 'uk-UA', size: 'smallest', colorScheme: 'light' },
      { locale: 'en-GB', size: 'wide', colorScheme: 'dark' },
    ]
  : SHOWN_SIZES.flatMap((size) =>
      (['uk-UA', 'en-GB'] as const).flatMap((locale) =>
        (['light', 'dark'] as const).map((colorScheme) => ({ locale, size, colorScheme })),
      ),
    )

let browser: Browser
export const newContext = (options?: BrowserContextOptions): Promise<BrowserContext> => browser.newContext(options)

/** Starts the browser for the tests of a file, and closes after each what it has opened. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await launch()
    return () => browser.close()
  })
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
  })
}

function launch(): Promise<Browser> {
  mkdirSync(screenshots, { recursive: true })
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
      ...['--disable-background-networking', '--disable-component-update'],
    ],
  })
}

/** Fails on a page that scrolls sideways. Keeps a picture for a look, unless a change is judged. */
export async function look(page: Page, name: string): Promise<void> {
  if (!isForChange) await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true })
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  expect(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0)
}

/** Fails on what axe calls serious or critical, or with `all` on whatever it finds. The page has to have been opened with `bypassCSP`. */
export async function checkWithAxe(page: Page, name: string, all = false): Promise<void> {
  await page.evaluate(axe)
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; impact: string; help: string; nodes: { html: string }[] }[]
  }
  const serious = violations.filter(({ impact }) => all || impact === 'serious' || impact === 'critical')
  expect(serious.map(({ id, help, nodes }) => `${name}: ${id}: ${help}: ${nodes[0]?.html}`)).toEqual([])
}

/** Moves the focus with Tab until it is on the first element of the page that fits. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    if ((await page.locator(`${selector}:focus`).count()) > 0) return
  }
  throw new Error(`${selector} was not reached with Tab on ${page.url()}`)
}

export async function typeInto(page: Page, selector: string, text: string): Promise<void> {
  await tabTo(page, selector)
  await page.keyboard.press('Control+A')
  await page.keyboard.type(text)
}
