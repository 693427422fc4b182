import { describe, expect, it } from 'vitest'
import { World } from './support/world.ts'

/** The title and the text of the page that a customer is led to. */
async function pageAt(world: World, url: string): Promise<string> {
  return (await world.get(url)).text()
}

const titleOf = (page: string): string => /<h1>([^<]*)<\/h1>/.exec(page)?.[1] ?? ''

async function operate(world: World, id: string, path: string, fields: object = {}, key = path): Promise<void> {
  // KV takes one write a second to a key: without a pause the page may be a webhook's retry behind.
  await world.advance(2_000)
  const init = { method: 'POST', headers: { 'idempotency-key': key }, body: JSON.stringify(fields) }
  expect((await world.api(`/api/orders/${id}/${path}`, init)).status).toBe(200)
  await world.advance(2_000)
}

describe('a customer', () => {
  it('with a dear link is never led to the cheap checkout of the same order', async () => {
    const world = new World()
    const [cheap, dear] = await Promise.all([1, 1000].map((amount) => world.link({ order_id: 'A-1', amount })))
    const answers = await Promise.all([world.get(cheap ?? ''), world.get(dear ?? '')])
    expect(answers.map(({ status }) => status).filter((status) => status === 303)).toHaveLength(1)
    const [first, second] = answers[0]?.status === 303 ? [cheap, dear] : [dear, cheap]
    expect((await world.get(first ?? '')).status).toBe(303)
    expect((await world.get(second ?? '')).status).toBe(409)
  })

  it('who pays a further attempt reads the shop’s own order_id, and so does the shop', async () => {
    const told: unknown[] = []
    const world = new World({
      onEvent: ({ event }, order) =>
        void (order.status === 'success' && told.push(order.replaces ?? order.order_id, event.kind)),
    })
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'create-payment' })
    const link = await world.link({ order_id: 'mugs-2' })
    await world.pay(await world.open(link))
    await world.advance(2_000)
    expect(world.emulator.orders.get('mugs-2~2')?.payments[0]?.status).toBe('success')
    const page = await pageAt(world, (await world.get(link)).headers.get('location') ?? '')
    expect(titleOf(page)).toBe('Your payment was successful')
    expect(page).toContain('<dd>mugs-2</dd>')
    expect(told).toEqual(['mugs-2', 'purchase'])
    expect(await world.order('mugs-2')).toMatchObject({ order_id: 'mugs-2~2', replaces: 'mugs-2' })
  })

  it('reads what became of the money: reserved, paid, refunded in part, refunded; or released', async () => {
    const world = new World()
    const titles: string[] = []
    const link = await world.link({ order_id: 'A-1', method: 'auth' })
    await world.pay(await world.open(link))
    await world.advance(2_000)
    const look = async (from: string) => {
      const page = await pageAt(world, (await world.get(from)).headers.get('location') ?? '')
      expect(page).not.toMatch(/shop has been told/)
      titles.push(titleOf(page))
    }
    await look(link)
    await operate(world, 'A-1', 'capture')
    await look(link)
    await operate(world, 'A-1', 'refund', { refund_amount: 0.5 })
    await look(link)
    await operate(world, 'A-1', 'refund', {}, 'rest')
    await look(link)
    const released = await world.link({ order_id: 'A-2', method: 'auth' })
    await world.pay(await world.open(released))
    await operate(world, 'A-2', 'void')
    await look(released)
    expect(titles).toEqual([
      'Your payment is reserved',
      'Your payment was successful',
      'Your payment was partly refunded',
      'Your payment was refunded',
      'The reservation of your payment was released',
    ])
  })
})
