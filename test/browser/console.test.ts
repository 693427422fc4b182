import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Shop, startShop } from '../../examples/shop/start.ts'
import { fillDay } from '../../src/cli/service/dev/fill-day.ts'
import { checkWithAxe, look, newContext, SHOP_LOOKS, SIZES, tabTo, typeInto, useBrowser } from './browser.ts'

const SHOP_NAME = 'Майстерня'

useBrowser()
/** One that sells its first order in this file, and one with a day behind it. */
let empty: Shop
let full: Shop

beforeAll(async () => {
  empty = await startShop()
  full = await startShop({ env: { SHOP_NAME } })
  await fillDay(full.worker, full.adminToken, full.emulator)
  return () => Promise.all([empty.stop(), full.stop()])
})

async function signedIn(shop: Shop, options: BrowserContextOptions): Promise<Page> {
  const page = await (await newContext(options)).newPage()
  await page.goto(`${shop.worker}/console`)
  await page.locator('input[type=password]').fill(shop.adminToken)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation').waitFor()
  return page
}

it('the whole day on a phone, without script, by keyboard alone: from a link to its refund, the day, what needs a person, and the record', async () => {
  const page = await signedIn(empty, { viewport: SIZES.phone, locale: 'en-GB', javaScriptEnabled: false })
  const press = async (selector: string, leadsTo: RegExp) => {
    await tabTo(page, selector)
    await page.keyboard.press('Enter')
    await page.waitForURL(leadsTo)
  }
  const makeLink = async (amount: string, description: string) => {
    await typeInto(page, '#amount', amount)
    await typeInto(page, '#description', description)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/links\//)
  }
  await look(page, 'console-empty')
  await press('a[href$="/new-link"]', /\/new-link/)
  await makeLink('100.50', 'Two mugs')
  await look(page, 'console-link')
  const address = (await page.locator('a[href*="/p/"]').first().getAttribute('href')) ?? ''
  expect(address.length).toBeLessThanOrEqual(45)
  const now = page.locator('[aria-current=step]')
  expect(await now.textContent()).toContain('Not opened yet')

  const customer = await (await newContext({ viewport: SIZES.phone, javaScriptEnabled: false })).newPage()
  await customer.goto(address)
  await customer.locator('form button').click()
  await customer.waitForURL(/\/form/)
  const card = { 'Card number': '4111111111111111', Month: '12', Year: '39', CVV: '123' }
  for (const [label, value] of Object.entries(card)) await customer.getByLabel(label).fill(value)
  await customer.keyboard.press('Enter')
  await customer.waitForURL(/\/return\//)
  await empty.emulator.deliveries.idle()
  await expect.poll(async () => (await page.reload()) && now.textContent(), { timeout: 30_000 }).toMatch(/paid/i)

  await press('a[href*="/orders/"]', /\/orders\//)
  expect(await page.locator('main').textContent()).toContain('100.50')
  await look(page, 'console-order')
  await typeInto(page, 'form[action$="/refund"] input[name=amount]', '40.25')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/refund\?/)
  await look(page, 'console-refund')
  await press('form[action*="/refund"] button', /\/receipt\//)
  expect(await page.locator('main').textContent()).toContain('40.25')
  await look(page, 'console-receipt')
  await empty.emulator.deliveries.idle()

  const listed = async (path: string) => {
    await page.goto(`${empty.worker}/console${path}`)
    return page.locator('main').textContent()
  }
  await expect.poll(() => listed('/orders?q=100.50'), { timeout: 30_000 }).toContain('Two mugs')
  await look(page, 'console-search')
  await expect.poll(() => listed('/day'), { timeout: 30_000 }).toMatch(/40\.25.*60\.25|60\.25.*40\.25/s)
  await look(page, 'console-day')

  // A person is needed: a payment that no link of the shop opened.
  const stranger = { method: 'credit', order_id: 'from-elsewhere', amount: 45, currency: 'UAH' } as const
  empty.emulator.control.createPayment({ ...stranger, server_url: `${empty.worker}/webhooks` })
  await empty.emulator.deliveries.idle()
  await expect.poll(() => listed('/attention'), { timeout: 30_000 }).toContain(stranger.order_id)
  await press('main a.main', /\/orders\/from-elsewhere/)
  await press('nav a[href$="/attention"]', /\/attention$/)
  await press('form[action$="/done"] button', /\/attention$/)
  await page.getByRole('status').waitFor()
  expect(await page.locator('main').textContent()).toContain('All is well')

  await press('nav a[href$="/new-link"]', /\/new-link/)
  await makeLink('20', 'A spoon')
  await press('form[action$="/revoke"] button', /\/close$/)
  await press('form[action$="/revoke"] button', /\/links\/[^/]+$/)
  expect(await page.locator('main').textContent()).toContain('Nobody can pay with this link')

  await press('nav a[href$="/more"]', /\/more$/)
  await press('main a[href$="/record"]', /\/record$/)
  // A list has what an order's object was asked within ten seconds.
  await expect
    .poll(() => listed('/record'), { timeout: 30_000 })
    .toMatch(/link closed.*new link.*from-elsewhere.*refund.*40\.25.*new link/s)
  await look(page, 'console-record')
}, 180_000)

let known: Promise<string[]> | undefined
/** The pages that the menu and the rows lead to: every test looks at the same. */
const pagesOf = (page: Page, origin: string): Promise<string[]> => (known ??= findPages(page, origin))

async function findPages(page: Page, origin: string): Promise<string[]> {
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

it.each(SHOP_LOOKS)(
  'every page is right to axe and to its own policy, and does not scroll sideways: $locale, $colorScheme, $size',
  async ({ size, ...how }) => {
    const viewport = SIZES[size]
    const page = await signedIn(full, { ...how, viewport })
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(`${page.url()}: ${message.text()}`))
    const paths = await pagesOf(page, full.worker)
    expect(paths.length).toBeGreaterThan(12)
    // An attempt's own id leads to that attempt alone.
    const named = paths.filter((path) => path.includes('~'))
    expect(named.filter((path) => !/\/orders\/[^/]+~\d+$/.test(path))).toEqual([])
    for (const path of paths) {
      await page.goto(full.worker + path)
      await look(
        page,
        `console${path.slice('/console'.length).replaceAll('/', '-')}-${Object.values(how).join('-')}-${size}`,
      )
    }
    expect(problems).toEqual([])
    const looser = await signedIn(full, { ...how, viewport, bypassCSP: true })
    for (const path of paths) {
      await looser.goto(full.worker + path)
      await checkWithAxe(looser, path, true)
    }
  },
  240_000,
)

/** Parts of a page that are for a screen alone. */
const OFF_PAPER = ['nav', 'footer', '.banner', '.skip', 'form', 'input', 'textarea', 'button', 'details', 'main .go']

/** Pages that a shopkeeper opens every day. */
const DAILY = [
  ...['/', '/orders', '/links', '/attention', '/new-link', '/day'],
  ...['/orders/ivan-lamp', '/orders/sofia-plates', '/links/lesia-jug'],
]

/** Finds text that is cut: text that is wider or higher than the box that shows it. The filters of a list scroll in one row. */
const CUT = `[...document.querySelectorAll('main *, nav *')].flatMap((one) => {
  const style = getComputedStyle(one)
  const isFilters = one.matches('ul.filters')
  const hides = (style.overflowX !== 'visible' && !isFilters) || style.textOverflow === 'ellipsis'
  return hides && one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1 ? [one.outerHTML.slice(0, 80)] : []
})`

/** Targets that are less than 24 px high, links in a sentence aside; rows that are less than 44 px high. */
const SMALL = `[...document.querySelectorAll('a, button, summary, input, select, textarea')].flatMap((one) => {
  const { height, width } = one.getBoundingClientRect()
  const isShown = height > 0 && width > 1 && one.type !== 'hidden' && !one.classList.contains('skip')
  const isRow = one.closest('ul.rows.card')
  const tall = isRow ? one.closest('li').getBoundingClientRect().height : height
  return isShown && tall < (isRow ? 44 : 24) ? [one.outerHTML.slice(0, 80) + ' ' + tall] : []
})`

describe.each(['en-GB', 'uk-UA'])('in %s', (locale) => {
  it.each([SIZES.phone, SIZES.wide])(
    'a page has one main button, no text that is cut, and begins within 100 px: $width px',
    async (viewport) => {
      const page = await signedIn(full, { viewport, locale, javaScriptEnabled: true })
      for (const path of DAILY) {
        await page.goto(`${full.worker}/console${path}`)
        expect([path, await page.locator('main .main').count()]).toEqual([path, 1])
        const content = await page.locator('main > :not(h1):not(.print)').first().boundingBox()
        expect(content?.y ?? 999, path).toBeLessThanOrEqual(100)
        expect([path, await page.evaluate(CUT)]).toEqual([path, []])
        expect([path, await page.evaluate(SMALL)]).toEqual([path, []])
      }
    },
    120_000,
  )
})

it.each(['en-GB', 'uk-UA'])(
  'a small phone shows payments on its first screen, and the whole menu: %s',
  async (locale) => {
    const page = await signedIn(full, { viewport: SIZES.small, locale })
    const rows = async (path: string) => {
      await page.goto(`${full.worker}/console${path}`)
      const boxes = await page
        .locator('main ul.rows > li:has(a)')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON() as { top: number; bottom: number }))
      return { top: boxes[0]?.top ?? 999, shown: boxes.filter(({ bottom }) => bottom <= 740).length }
    }
    // A shop with a week behind it has a line more, of 31 px.
    expect((await rows('/')).top).toBeLessThanOrEqual(430 - 31)
    expect(await page.locator('.tiles li').count()).toBe(2)
    expect((await rows('/orders')).shown).toBeGreaterThanOrEqual(5)
    const { x = 999, width = 0 } = (await page.locator('nav li:visible').last().boundingBox()) ?? {}
    expect(x + width).toBeLessThanOrEqual(360)
  },
)

it('the sums of a busy week fit a phone of 320 px', async () => {
  const page = await signedIn(full, { viewport: SIZES.smallest, locale: 'uk-UA' })
  await page.goto(`${full.worker}/console/day`)
  const row = (name: string) => `<tr><th scope="row">${name}</th>${'<td class="n">78\u00a0721,10</td>'.repeat(3)}</tr>`
  const rows = `<table class="sums">${['Переказ із рахунку', '16 лист.'].map(row).join('')}</table>`
  await page
    .locator('main .card')
    .first()
    .evaluate((card, html) => card.insertAdjacentHTML('beforeend', html), rows)
  await look(page, 'console-day-320')
})

it('in forced colours every button and tab has an edge, and the current tab differs from the others', async () => {
  const page = await signedIn(full, { viewport: SIZES.phone, forcedColors: 'active' })
  await page.goto(`${full.worker}/console/orders/ivan-lamp`)
  for (const one of await page.locator('main button, main .go').all()) {
    if (!(await one.isVisible())) continue
    expect(await one.evaluate((element) => getComputedStyle(element).borderTopWidth)).not.toBe('0px')
    expect(await one.evaluate((element) => getComputedStyle(element).borderTopColor)).not.toMatch(/rgba\(.*, 0\)$/)
  }
  const edge = (element: Element) => getComputedStyle(element).borderBottomColor
  const [current, other] = [
    page.locator('nav [aria-current]').first(),
    page.locator('nav a:not([aria-current])').first(),
  ]
  expect(await current.evaluate(edge)).not.toBe(await other.evaluate(edge))
  await look(page, 'console-forced-colours')
})

it('at 400 % the first screen shows what the page is about, and nothing scrolls sideways', async () => {
  const page = await signedIn(full, { viewport: { width: 320, height: 256 }, locale: 'uk-UA' })
  for (const path of DAILY) {
    await page.goto(`${full.worker}/console${path}`)
    const content = await page.locator('main > :not(h1):not(.print)').first().boundingBox()
    expect([path, (content?.y ?? 999) <= 128]).toEqual([path, true])
    await look(page, `console-zoomed${path.replaceAll('/', '-')}`)
  }
})

it('on paper an order, a receipt and the sheet of a link say whose they are and what of; no form, menu or button is on it', async () => {
  const page = await signedIn(full, { viewport: SIZES.wide, locale: 'en-GB', colorScheme: 'dark' })
  const api = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${full.adminToken}`, 'content-type': 'application/json' }
    const response = await fetch(`${full.worker}/api/${path}`, {
      headers,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    return response.json() as Promise<never>
  }
  const { operations }: { operations: { id: string; method: string }[] } = await api('orders/sofia-plates')
  const refund = operations.find(({ method }) => method === 'refund')?.id
  const sale = { mode: 'hosted', method: 'purchase', amount: 35, currency: 'UAH', description: 'A cup of coffee' }
  const { short_url }: { short_url: string } = await api('links', {
    order: { ...sale, order_id: 'counter', order_3ds_bypass: 'supported' },
    reusable: true,
  })
  const papers: [path: string, says: RegExp, shown: string[], gone: string[]][] = [
    ['/orders/ivan-lamp', /A lamp, made to order.*What happened.*Charge: done/s, ['ol.story'], []],
    [`/orders/sofia-plates/receipt/${refund}`, /Refund: done.*120\.00.*sofia-plates.*Time/s, ['h1', 'main dl'], []],
    ['/links/lesia-jug', /95\.00.*A jug/s, ['svg.qr', '.address'], ['h1', 'main dl', 'main h2']],
    ['/links/counter', /35\.00.*A cup of coffee/s, ['svg.qr', '.address'], ['h1', 'main dl', 'main h2', '.pill']],
  ]
  for (const [path, says, shown, gone] of papers) {
    await page.emulateMedia({ media: 'print' })
    await page.goto(`${full.worker}/console${path}`)
    expect(await page.locator('main').innerText(), path).toMatch(says)
    expect(await page.locator('.print').innerText()).toBe(SHOP_NAME)
    for (const one of ['.print', '.sum', ...shown])
      expect([path, one, await page.locator(one).first().isVisible()]).toEqual([path, one, true])
    for (const one of [...OFF_PAPER, ...gone])
      for (const each of await page.locator(one).all())
        expect([path, one, await each.isVisible()]).toEqual([path, one, false])
    await look(page, `console-paper${path.replaceAll('/', '-').slice(0, 28)}`)
  }
  expect(await page.locator('.address').innerText()).toBe(short_url)
  const middleOf = async (one: string) => {
    const box = await page.locator(one).boundingBox()
    return Math.round((box?.x ?? 0) + (box?.width ?? 0) / 2)
  }
  // In the dark too it is ink on paper; the sheet is one column, also on paper that is wide.
  expect(await page.locator('.sum').evaluate((sum) => getComputedStyle(sum).color)).toBe('rgb(27, 27, 31)')
  expect(await middleOf('svg.qr')).toBe(await middleOf('.sum'))
  await page.emulateMedia({ media: 'screen' })
  expect(await page.locator('.print').isVisible()).toBe(false)
})
