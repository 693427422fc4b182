// What stands beside the headline of an order is about the same payment: its card, receipt, time, reason and sums.
import { describe, expect, it } from 'vitest'
import { wordsIn } from '../../src/shop/console/words/words.ts'
import { resultLink } from '../../src/shop/lib/links.ts'
import { money } from '../../src/shop/pages/money.ts'
import { at, payment } from '../worker/support/events.ts'
import { LINK_SECRET, ORIGIN, World } from '../worker/support/world.ts'
import { Browser, formTo, mount } from './support/browser.ts'

const en = wordsIn('en')
const plain = (text: string): string => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
const uah = (amount: number): string => money(en, amount, 'UAH').replaceAll('\u00a0', ' ')

/** A link for 200 that is opened, and a shopkeeper. */
async function opened(method: 'purchase' | 'auth' = 'purchase') {
  const world = new World({ failures: 0 })
  await world.open(await world.link({ order_id: 'A-1', method, amount: 200 }))
  const browser = await new Browser(mount(world)).signIn()
  const look = async (path: string) => plain((await browser.open(`/console${path}`)).text)
  return { world, browser, look, order: () => look('/orders/A-1') }
}

describe('another amount than was asked for', () => {
  it.each([
    ['the payment has it as its own', 'purchase', { amount: 180 }, en.states.paid, 'Payment'],
    ['the payer has changed it', 'purchase', { amount: 200, processed_amount: 180 }, en.states.paid, 'Payment'],
    ['it is held', 'auth', { amount: 200, processed_amount: 180 }, en.states.reserved, 'Reservation'],
    ['the hold has it as its own', 'auth', { amount: 180 }, en.states.reserved, 'Reservation'],
  ] as const)('stands with both sums, before and after it is done: %s', async (_, method, amounts, state, step) => {
    const { world, browser, look, order } = await opened(method)
    await world.deliver(payment('A-1', { method, ...amounts }))
    await world.advance(20_000)
    const sums = `${en.flags.amount_mismatch} ${en.order.askedAndPaid(uah(200), uah(180))}`
    const before = await order()
    for (const part of [`${state} ${uah(180)}`, sums, `${step}: ${en.statuses.success} ${uah(180)}`])
      expect(before).toContain(part)
    expect(before).not.toContain(uah(0))
    await browser.submit(formTo(await browser.open('/console/attention'), '/console/orders/A-1/done'))
    expect(await look('/attention')).toContain(en.attention.well)
    expect(await order()).toContain(`${en.order.seen}: ${sums}`)
    const id = String((await world.order('A-1'))?.operations[0]?.id)
    expect(await look(`/orders/A-1/receipt/${id}`)).toContain(`${en.statuses.success} ${uah(180)}`)
  })
})

describe('of several payments of an order', () => {
  const card = (last: string) => ({ cc_mask: `411111******${last}`, receipt_url: `https://service.example/${last}` })
  const pages = async ({ world, browser, order }: Awaited<ReturnType<typeof opened>>) => {
    await world.advance(20_000)
    const customers = await browser.open(await resultLink(ORIGIN, 'A-1', LINK_SECRET))
    const file = await browser.open('/console/day.csv?from=2026-03-01&to=2026-03-02')
    const { text } = await browser.open('/console/orders/A-1')
    return { shown: await order(), text, customers: customers.text, file: file.text }
  }

  it('the card and the receipt are those of the one that the headline is about, whichever came last', async () => {
    const shop = await opened()
    await shop.world.deliver(payment('A-1', { amount: 200, ...card('4444'), created_at: at(10) }))
    const declined = { status: 'failure', status_code: '4009', ...card('9995') }
    await shop.world.deliver(payment('A-1', { amount: 200, ...declined, created_at: at(1) }))
    await shop.world.deliver(payment('A-1', { amount: 200, ...card('1111'), created_at: at(30) }))
    const { shown, text, customers, file } = await pages(shop)
    expect(shown).toContain(en.order.card('4444').replaceAll('\u00a0', ' '))
    expect(text).toContain('href="https://service.example/4444"')
    expect(customers).toContain('•••• 4444')
    expect(customers).toContain('https://service.example/4444')
    expect(file).toContain('"4444"')
    for (const page of [text.split('<details')[0], customers, file]) expect(page).not.toMatch(/9995|1111/)
  })

  it('a failure has the reason of the first, and the time when that was received', async () => {
    const shop = await opened()
    const failed = (code: string, seconds: number) =>
      payment('A-1', { amount: 200, status: 'failure', status_code: code, created_at: at(seconds) })
    await shop.world.deliver(failed('4009', 1))
    await shop.world.advance(600_000)
    await shop.world.deliver(failed('4001', 30))
    const { shown } = await pages(shop)
    const [head] = shown.split(en.order.story)
    expect(head).toMatch(/10:00/)
    expect([head?.includes(en.reasons['4009'] ?? '-'), head?.includes(en.reasons['4001'] ?? '-')]).toEqual([
      true,
      false,
    ])
  })
})

it('an order that the shop has closed is not paid, in the list and on its page, and none of it can be cancelled', async () => {
  const world = new World({ failures: 0 })
  const link = await world.link({ order_id: 'B-1' })
  world.intercept = () => Response.json({}, { status: 429 })
  expect((await world.get(link)).status).toBe(503)
  world.intercept = undefined
  const browser = await new Browser(mount(world)).signIn()
  const states = async () => {
    const [list, page] = await Promise.all(['', '/B-1'].map((path) => browser.open(`/console/orders${path}`)))
    const { orders } = (await (await world.api('/api/orders')).json()) as { orders: { state: string }[] }
    const { state } = (await (await world.api('/api/orders/B-1')).json()) as { state: string }
    const [, row] = list?.text.split('class="rows') ?? []
    const pills = [row, page?.text].map((text) => /class="pill \w+"><span[^>]*>.<\/span> ([^<]+)/.exec(text ?? '')?.[1])
    return [...pills, orders[0]?.state, state, page?.text.includes('/B-1/cancel"')]
  }
  expect(await states()).toEqual([en.states.waiting, en.states.waiting, 'waiting', 'waiting', true])
  expect((await world.send('/api/orders/B-1/cancel')).status).toBe(200)
  expect(await states()).toEqual([en.states.failed, en.states.failed, 'failed', 'failed', false])
})

it('a phone number is found however it was written, and is searched for', async () => {
  const world = new World({ failures: 0 })
  const written = { code: '+380501112233', zero: '0671234567', grouped: '+38 (044) 765-43-21' }
  for (const [order_id, customer_phone] of Object.entries(written))
    await world.open(await world.link({ order_id, customer_phone }))
  await world.advance(20_000)
  const browser = await new Browser(mount(world)).signIn()
  const found = async (q: string) => {
    const { text } = await browser.open(`/console/orders?${new URLSearchParams({ q })}`)
    return [...text.matchAll(/\/console\/orders\/(\w+)"/g)].map(([, id]) => id).join()
  }
  const searches = {
    code: '+380501112233, 380501112233, 0501112233, 050 111 22 33, (050) 111-22-33, 050.111.22.33, 111 22 33'.split(
      ', ',
    ),
    zero: ['0671234567', '+380671234567', '380 67 123 45 67', '+38 (067) 123–45–67', '67 123 45 67'],
    grouped: ['+380447654321', '0447654321', '044/765 43 21', '765-43-21'],
  }
  for (const [order_id, all] of Object.entries(searches))
    for (const search of all) expect([search, await found(search)]).toEqual([search, order_id])
  expect([await found('0671234568'), await found('1234567.89')]).toEqual(['', ''])
})
