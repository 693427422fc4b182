import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkWithAxe, launch, look, screenshots } from './browser.ts'
import { startTenOrders, type TenOrders } from './ten-orders.ts'

const guide = join(import.meta.dirname, '../../guides/images')

let browser: Browser
let ten: TenOrders

beforeAll(async () => {
  ten = await startTenOrders()
  browser = await launch()
})

afterAll(async () => {
  await browser?.close()
  await ten?.close()
})

const SIZES = {
  wide: { width: 1280, height: 900 },
  tablet: { width: 1000, height: 900 },
  phone: { width: 390, height: 844 },
} as const
const LOOKS = (['wide', 'phone'] as const).flatMap((size) =>
  (['light', 'dark'] as const).map((scheme) => ({ size, scheme })),
)

async function open(size: keyof typeof SIZES, scheme: 'light' | 'dark' = 'light', script = true): Promise<Page> {
  const context = await browser.newContext({
    viewport: SIZES[size],
    colorScheme: scheme,
    javaScriptEnabled: script,
    bypassCSP: script,
  })
  return context.newPage()
}

const address = (path: string) => ten.emulator.credentials.baseUrl + path
const order = (order_id: string) => address(`/_emulator/orders?order_id=${order_id}`)

/** Every page that a person sees, with orders of ten kinds. */
function pages(): Record<string, string> {
  const failed = ten.emulator.deliveries.find(({ order_id }) => order_id === 'webhook-failed')
  const rejected = ten.emulator.requests.at(-1)
  return {
    overview: address('/_emulator'),
    'order-paid': order('paid'),
    'order-captured': order('captured-in-part'),
    'order-refunded': order('refunded-in-part'),
    'order-recurring': order('recurring'),
    'order-webhook-failed': order('webhook-failed'),
    'order-init': order('init-long-description'),
    checkout: ten.checkouts['init-long-description'] ?? '',
    'checkout-ukrainian': ten.checkouts['init-ukrainian'] ?? '',
    'three-d-secure': (ten.checkouts['three-d-secure'] ?? '').replace(/form$/, '3ds'),
    requests: address('/_emulator/requests'),
    request: address(`/_emulator/requests/${rejected?.id}`),
    webhooks: address('/_emulator/webhooks'),
    webhook: address(`/_emulator/webhooks/${failed?.id}`),
    faults: address('/_emulator/faults'),
    connect: address('/_emulator/connect'),
    cards: address('/_emulator/cards'),
    'no-such-order': order('none'),
  }
}

describe.each(LOOKS)('at $size width, $scheme', ({ size, scheme }) => {
  it('no page scrolls sideways, and axe finds nothing, with and without the script', { timeout: 240_000 }, async () => {
    const page = await open(size, scheme)
    for (const [name, url] of Object.entries(pages())) {
      for (const script of [true, false]) {
        if (!script) await page.route('**/live.js', (route) => route.abort())
        await page.goto(url)
        await look(page, `${name}-${size}-${scheme}${script ? '' : '-plain'}`)
        await checkWithAxe(page, name)
        const findings = await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))')
        expect([name, script, findings]).toEqual([name, script, []])
        await page.unroute('**/live.js')
      }
    }
    await page.context().close()
  })

  it('a row has one line, on a phone two', async () => {
    const page = await open(size, scheme)
    for (const name of ['overview', 'requests', 'webhooks', 'order-webhook-failed']) {
      await page.goto(pages()[name] ?? '')
      const heights = await page
        .locator('table.list tbody tr')
        .evaluateAll((rows) => rows.map((row) => row.clientHeight))
      expect(heights.length, name).toBeGreaterThan(0)
      expect(Math.max(...heights), name).toBeLessThan(size === 'wide' ? 52 : 84)
    }
    await page.context().close()
  })

  it('a card number stands on one line', async () => {
    const page = await open(size, scheme)
    await page.goto(ten.checkouts['init-long-description'] ?? '')
    await page.locator('details summary').click()
    const lines = await page
      .locator('.cards code')
      .evaluateAll((codes) => codes.map((code) => code.getClientRects().length))
    expect(lines.length).toBeGreaterThan(18)
    expect(new Set(lines)).toEqual(new Set([1]))
    await page.context().close()
  })
})

it('no word of a table is broken at a width between the two', async () => {
  const page = await open('tablet')
  for (const name of ['overview', 'requests', 'webhooks']) {
    await page.goto(pages()[name] ?? '')
    await look(page, `${name}-tablet`)
    const broken = await page.locator('th, .badge, time').evaluateAll(
      (cells) =>
        cells
          .filter(
            (cell) =>
              cell.getClientRects().length > 0 &&
              cell.clientHeight > 0 &&
              getComputedStyle(cell).position !== 'absolute',
          )
          .filter((cell) => {
            const range = document.createRange()
            range.selectNodeContents(cell)
            return new Set([...range.getClientRects()].map(({ top }) => Math.round(top / 12))).size > 2
          }).length,
    )
    expect(broken, name).toBe(0)
  }
  await page.context().close()
})

it.each(['wide', 'phone'] as const)('no choice and no placeholder is cut off at %s width', async (size) => {
  const page = await open(size)
  for (const name of ['overview', 'requests', 'faults', 'order-captured']) {
    await page.goto(pages()[name] ?? '')
    const cut = await page.locator('select, input[placeholder]').evaluateAll((fields) => {
      const pen = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D
      return (fields as (HTMLSelectElement | HTMLInputElement)[]).flatMap((field) => {
        const { font, paddingLeft, paddingRight } = getComputedStyle(field)
        const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
        pen.font = font
        const texts = 'options' in field ? [...field.options].map(({ text }) => text) : [field.placeholder]
        return texts.filter((text) => pen.measureText(text).width > room)
      })
    })
    expect(cut, name).toEqual([])
  }
  await page.context().close()
})

it('the guide has a picture of each page that it shows', async () => {
  // What the guide shows: copy test-output/screenshots/emulator-*.png to guides/images when a page has changed.
  const shown = [
    { name: 'overview', width: 1000, height: 625, scheme: 'light' },
    { name: 'order-refunded', width: 1000, height: 830, scheme: 'dark' },
    { name: 'checkout-ukrainian', width: 640, height: 760, scheme: 'light' },
  ] as const
  for (const { name, width, height, scheme } of shown) {
    const viewport = { width, height }
    const context = await browser.newContext({ viewport, colorScheme: scheme, deviceScaleFactor: 0.8 })
    const page = await context.newPage()
    await page.goto(pages()[name] ?? '')
    if (name === 'checkout-ukrainian') {
      await page.getByRole('button', { name: 'Заповнити 4111 1111 1111 1111' }).click()
      await page.locator(':focus').waitFor()
    }
    const file = `emulator-${name.replace(/-.*/, '')}.png`
    await page.screenshot({ path: join(screenshots, file) })
    expect(existsSync(join(guide, file)), file).toBe(true)
    await context.close()
  }
})

describe('without script, under the strict policy', () => {
  it('a button fills in a test card, and the payment goes through', async () => {
    const page = await open('phone', 'light', false)
    await page.goto(ten.checkouts['init-ukrainian'] ?? '')
    await page.getByRole('button', { name: 'Заповнити 4111 1111 1111 1111' }).click()
    expect(await page.getByLabel('Номер картки').inputValue()).toBe('4111 1111 1111 1111')
    expect(await page.locator(':focus').textContent()).toContain('Сплатити')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Оплачено' }).waitFor()
    await look(page, 'outcome-ukrainian-phone')
    await page.getByRole('link', { name: 'Це замовлення в емуляторі' }).click()
    expect(await page.locator('.story').textContent()).toContain('checkout page opened')
    await page.context().close()
  })

  it('a mistake has the title, the focus and an error that the field refers to', async () => {
    const page = await open('phone', 'light', false)
    await page.goto(ten.checkouts['init-long-description'] ?? '')
    await page.getByLabel('Card number').fill('4111111111111112')
    await page.getByRole('button', { name: /^Pay/ }).click()
    await page.locator('[aria-invalid]').first().waitFor()
    expect(await page.title()).toMatch(/^Error: /)
    const focused = page.locator(':focus')
    expect(await focused.getAttribute('name')).toBe('cc_number')
    expect(await focused.inputValue()).toBe('4111 1111 1111 1112')
    const described = await focused.getAttribute('aria-describedby')
    expect(await page.locator(`#${described}`).textContent()).toContain('check its digits')
    await look(page, 'checkout-errors-phone')
    await page.context().close()
  })

  it('what cannot be undone asks first', async () => {
    const page = await open('wide', 'light', false)
    await page.goto(order('init-long-description'))
    const cancel = page.getByRole('button', { name: 'Cancel' })
    expect(await cancel.isVisible()).toBe(false)
    await page.getByText('Cancel …').click()
    expect(await cancel.isVisible()).toBe(true)
    await page.goto(address('/_emulator/connect'))
    expect(await page.getByRole('button', { name: 'Forget everything' }).isVisible()).toBe(false)
    await page.context().close()
  })

  it('a card-to-card transfer is made with a form', async () => {
    const page = await open('phone', 'light', false)
    await page.goto(address('/_emulator'))
    await page.getByLabel('Method').selectOption('p2p')
    await page.getByLabel('New order_id').fill('transfer-1')
    await page.getByLabel('Amount').fill('12.50')
    await page.getByRole('button', { name: 'Make the payment' }).click()
    await page.getByRole('link', { name: 'transfer-1' }).click()
    await page.getByRole('heading', { name: 'transfer-1' }).waitFor()
    expect(ten.emulator.orders.get('transfer-1')?.payments[0]).toMatchObject({ method: 'p2p', amount: 12.5 })
    await page.context().close()
  })

  it('a webhook can be inspected and sent again', async () => {
    const page = await open('wide', 'light', false)
    await page.goto(address('/_emulator'))
    await page.locator('.notice.bad a', { hasText: 'webhook-refused' }).click()
    expect(await page.locator('main').textContent()).toMatch(/ECONNREFUSED 127\.0\.0\.1:\d+/)
    const before = await page.locator('main ol li').count()
    await page.getByRole('button', { name: 'Send again' }).click()
    await expect.poll(() => page.locator('main ol li').count()).toBe(before + 1)
    await page.context().close()
  })
})

describe('with the script', () => {
  it('the page shows what happens, and keeps what is typed, focused and unfolded', async () => {
    const page = await open('wide')
    await page.goto(address('/_emulator'))
    await page.getByLabel('New order_id').fill('half-typed')
    await page.getByLabel('Search orders').fill('mugs')
    const { control } = ten.emulator
    control.createPayment({ method: 'credit', order_id: 'appears-1', amount: 5, currency: 'UAH' })
    await page.getByRole('link', { name: 'appears-1' }).waitFor()
    expect(await page.getByLabel('New order_id').inputValue()).toBe('half-typed')
    expect(await page.getByLabel('Search orders').inputValue()).toBe('mugs')
    expect(await page.locator(':focus').getAttribute('name')).toBe('q')
    ten.emulator.faults.next({ kind: 'drop' })
    control.createPayment({ method: 'credit', order_id: 'appears-2', amount: 5, currency: 'UAH' })
    await page.getByRole('link', { name: 'appears-2' }).waitFor()
    expect(await page.getByText('1 fault armed').isVisible()).toBe(true)
    expect(await page.locator('main time[data-age]').count()).toBeGreaterThan(5)
    ten.emulator.faults.clear()
    await page.context().close()
  })

  it('what can be pasted has a button that copies it', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    await page.goto(address('/_emulator/connect'))
    await page.getByRole('button', { name: 'Copy' }).last().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^curl -H 'X-API-AUTH: /)
    await context.close()
  })
})
