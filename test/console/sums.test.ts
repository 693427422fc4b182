// The sums that a person reads on the first page: each rule by its name.
import { describe, expect, it } from 'vitest'
import { wordsIn } from '../../src/shop/console/words/words.ts'
import { payment, secondary } from '../worker/support/events.ts'
import { World } from '../worker/support/world.ts'
import { Browser, mount } from './support/browser.ts'

const en = wordsIn('en')
const DAY = 86_400_000

/** A shop, its first page as text, and a payment of now. */
function open() {
  const world = new World({ env: { SHOP_TZ: 'UTC' } })
  const iso = () => new Date(world.time).toISOString().replace('Z', '')
  let count = 0
  const pay = async (amount: number, currency = 'UAH') => {
    const order_id = `S-${count++}`
    await world.deliver(payment(order_id, { amount, currency, created_at: iso(), processed_at: iso() }))
    return order_id
  }
  const refund = (order_id: string, amount: number) =>
    world.deliver(secondary(order_id, 'refund', { amount, created_at: iso(), processed_at: iso() }))
  const today = async () => {
    await world.advance(20_000)
    const { text } = await (await new Browser(mount(world)).signIn()).open('/console')
    const head = text.slice(text.indexOf(en.today.taken), text.indexOf('<ul class="tiles">'))
    const plain = (html: string) =>
      html
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim()
    const sums = [...head.matchAll(/<p class="sum">(.*?)<\/p>/g)].map(([, sum = '']) => plain(sum))
    return { sums, head: plain(head), page: plain(text) }
  }
  return { world, pay, refund, today }
}

describe('taken today', () => {
  it('is of this day alone, less what was given back, each currency by itself', async () => {
    const { world, pay, refund, today } = open()
    await pay(1000)
    await world.advance(DAY)
    expect((await today()).sums).toEqual([])
    const order = await pay(20)
    await pay(5)
    await pay(3, 'EUR')
    await refund(order, 1.5)
    expect((await today()).sums).toEqual(['UAH 23.50', '€3.00'])
  })

  it('is compared with a seventh of the seven days before, without this day', async () => {
    const { world, pay, today } = open()
    await pay(9000)
    await world.advance(DAY)
    await pay(70)
    await world.advance(7 * DAY)
    await pay(8)
    const { head } = await today()
    expect(head).toContain(en.today.average('UAH 10.00'))
  })
})

it('the table of the chart has each day with takings, also one on which more went back than came', async () => {
  const { world, pay, refund, today } = open()
  const order = await pay(20)
  await world.advance(DAY)
  await refund(order, 7)
  const { page } = await today()
  expect(page).toContain('2 Mar 2026 -UAH 7.00 1 Mar 2026 UAH 20.00')
})

it('more than twenty waiting orders are counted as 20+', async () => {
  const { world, today } = open()
  const wait = (n: number) => world.deliver(payment(`W-${n}`, { status: 'pending' }))
  for (let n = 0; n < 20; n++) await wait(n)
  expect((await today()).page).toContain(en.today.waiting('20'))
  await wait(20)
  expect((await today()).page).toContain(en.today.waiting('20+'))
})
