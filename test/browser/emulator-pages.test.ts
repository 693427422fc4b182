import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { checkWithAxe, LOOKS, look, newContext, SIZES, useBrowser } from './browser.ts'
import { startTenOrders, type TenOrders } from './ten-orders.ts'

useBrowser()
let ten: TenOrders

beforeAll(async () => {
  ten = await startTenOrders()
  return () => ten.close()
})

async function open(size: keyof typeof SIZES, colorScheme: 'light' | 'dark' = 'light', script = true): Promise<Page> {
  const viewport = SIZES[size]
  return (await newContext({ viewport, colorScheme, javaScriptEnabled: script, bypassCSP: script })).newPage()
}

const address = (path: string) => ten.emulator.credentials.baseUrl + path
const order = (order_id: string) => address(`/_emulator/orders?order_id=${order_id}`)

/** Every page that a person sees, with orders of ten kinds. */
function pages(): Record<string, string> {
  const failed = ten.emulator.deliveries.find(({ order_id }) => order_id === 'webhook-failed')
  const rejected = ten.emulator.requests().at(-1)
  return {
    overview: address('/_emulator'),
    'order-paid': order('paid'),
    'order-captured': order('captured-in-part'),
    'order-refunded': order('refunded-in-part'),
    'order-recurring': order('recurring'),
    'order-webhook-failed': order('webhook-failed'),
    'order-init': order('init-long-description'),
    checkout: ten.checkout('init-long-description'),
    'checkout-ukrainian': ten.checkout('init-ukrainian'),
    'three-d-secure': ten.checkout('three-d-secure').replace(/form$/, '3ds'),
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

describe.each(LOOKS)('at $size width, $colorScheme', ({ size, colorScheme: scheme }) => {
  it('no page scrolls sideways, and axe finds nothing, with and without the script', { timeout: 240_000 }, async () => {
    const page = await open(size, scheme)
    for (const [name, url] of Object.entries(pages())) {
      // The script only updates a page: without it, one look is enough.
      for (const script of size === 'phone' && scheme === 'light' ? [true, false] : [true]) {
        if (!script) await page.route('**/live.js', (route) => route.abort())
        await page.goto(url)
        await look(page, `${name}-${size}-${scheme}${script ? '' : '-plain'}`)
        await checkWithAxe(page, name, true)
        await page.unroute('**/live.js')
      }
    }
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
  })
})

describe('without script, under the strict policy', () => {
  it('a button fills in a test card, and the payment goes through', async () => {
    const page = await open('phone', 'light', false)
    await page.goto(ten.checkout('init-ukrainian'))
    await page.getByRole('button', { name: 'Заповнити 4111 1111 1111 1111' }).click()
    expect(await page.getByLabel('Номер картки').inputValue()).toBe('4111 1111 1111 1111')
    expect(await page.locator(':focus').textContent()).toContain('Сплатити')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Оплачено' }).waitFor()
    await look(page, 'outcome-ukrainian-phone')
    await page.getByRole('link', { name: 'Це замовлення в емуляторі' }).click()
    expect(await page.locator('.story').textContent()).toContain('checkout page opened')
  })

  it('a mistake has the title, the focus and an error that the field refers to', async () => {
    const page = await open('phone', 'light', false)
    await page.goto(ten.checkout('init-long-description'))
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
  })
})

describe('with the script', () => {
  it('the page shows what happens, and keeps what is typed, focused and unfolded', async () => {
    const page = await open('wide')
    await page.goto(address('/_emulator'))
    await page.getByLabel('Search orders').fill('mugs')
    const { control } = ten.emulator
    control.createPayment({ method: 'credit', order_id: 'appears-1', amount: 5, currency: 'UAH' })
    await page.getByRole('link', { name: 'appears-1' }).waitFor()
    expect(await page.getByLabel('Search orders').inputValue()).toBe('mugs')
    expect(await page.locator(':focus').getAttribute('name')).toBe('q')
    ten.emulator.faults.next({ kind: 'drop' })
    control.createPayment({ method: 'credit', order_id: 'appears-2', amount: 5, currency: 'UAH' })
    await page.getByRole('link', { name: 'appears-2' }).waitFor()
    expect(await page.getByText('1 fault armed').isVisible()).toBe(true)
    expect(await page.locator('main time[data-age]').count()).toBeGreaterThan(5)
    ten.emulator.faults.clear()
  })

  it('what can be pasted has a button that copies it', async () => {
    const context = await newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    await page.goto(address('/_emulator/connect'))
    await page.getByRole('button', { name: 'Copy' }).last().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^curl -H 'X-API-AUTH: /)
  })
})
