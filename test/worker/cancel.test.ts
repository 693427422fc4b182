import { describe, expect, it } from 'vitest'
import { checkoutLinkId } from '../../src/checkout-link/index.ts'
import { createClient } from '../../src/index.ts'
import { clientConfig } from '../../src/shop/env.ts'
import type { Order } from '../../src/shop/store/order.ts'
import { goOn } from './support/held-call.ts'
import { LINK_SECRET, log, newOrderId, ORDER, ORIGIN, World } from './support/world.ts'

describe('an order that the shop gives up', () => {
  async function declined(world: World, id: string): Promise<string> {
    const link = await world.link({ order_id: id })
    await world.pay(await world.open(link), 'declined')
    await world.advance(121_000)
    return link
  }

  it('cannot be paid by a further attempt that is open', async () => {
    const world = new World()
    const id = newOrderId()
    const link = await declined(world, id)
    const second = await world.open(link)
    await world.advance(121_000)
    const closed = { order_id: `${id}~2`, status: 'failure', status_code: '6007' }
    expect(await cancelled(world, id)).toMatchObject([200, closed])
    await world.pay(second)
    await world.advance(121_000)
    expect((await world.order(`${id}~2`))?.totals.captured).toBe(0)
    expect(await world.open(link)).toMatch(/\/return\//)
    expect(world.payable(id)).toEqual([])
  })

  it('cannot be paid by another try after a decline', async () => {
    const world = new World()
    const id = newOrderId()
    const link = await declined(world, id)
    for (let time = 0; time < 2; time++) {
      expect(await cancelled(world, id)).toEqual([200, { order_id: id, link: 'closed' }])
      await world.advance(121_000)
    }
    await world.advance(121_000)
    expect(await world.open(link)).toMatch(/\/return\//)
    expect(world.payable(id)).toEqual([])
  })

  it('cannot be paid after it was cancelled at the service, not here', async () => {
    const world = new World()
    const id = newOrderId()
    const link = await world.link({ order_id: id })
    await world.open(link)
    await createClient(clientConfig(world.env(), world.emulator.fetch)).cancelPayment({ order_id: id })
    // Its webhook is delivered however KV behaves.
    for (let hour = 0; hour < 8; hour++) await world.advance(3_600_000)
    expect(await world.open(link)).toMatch(/\/return\//)
    expect(world.payable(id)).toEqual([])
  })
})

describe('an order whose opening left no record', () => {
  it('leads to no payment once it is cancelled, though a further attempt was announced', async () => {
    const world = new World()
    const link = await world.link({ order_id: 'A-1' })
    const client = createClient(clientConfig(world.env(), world.emulator.fetch))
    await client.createPayment({ ...ORDER, order_id: 'A-1', result_url: ORIGIN, server_url: ORIGIN })
    world.intercept = (url) =>
      url.includes('/cancel') ? Promise.reject(new TypeError('The connection was reset.')) : undefined
    await expect(world.open(link)).rejects.toThrow('never led anywhere')
    world.intercept = undefined
    expect([(await cancelled(world))[0], world.payable('A-1')]).toEqual([200, []])
    await expectClosed(world, link)
  })
})

describe('a payment that is being created', () => {
  it.each(['cancels the order', 'revokes the link'])('leads nobody there when the shop %s', async (does) => {
    const world = new World()
    const link = await world.link({ order_id: 'A-1' })
    const id = await checkoutLinkId(link, LINK_SECRET)
    const act = () =>
      does === 'cancels the order'
        ? world.api('/api/orders/A-1/cancel', { method: 'POST' })
        : world.api(`/api/links/${id}`, { method: 'DELETE' })
    let said: Promise<Response> | undefined
    world.intercept = (url, init) => {
      world.intercept = undefined
      said = act()
      return goOn().then(() => world.emulator.fetch(url, init as RequestInit))
    }
    // What the shop does waits for its turn.
    expect((await world.get(link)).status).toBe(303)
    expect((await said)?.status).toBe(200)
    if (does === 'cancels the order') {
      expect(world.payable('A-1')).toEqual([])
      return expectClosed(world, link)
    }
    expect(await (await said)?.json()).toEqual({ id, order_id: 'A-1', revoked: true, opened: true })
    expect((await world.get(link)).status).toBe(410)
  })
})

describe('the latest attempt', () => {
  it('is cancelled before the visitors that wait while the service hangs; those of one link share one call', async () => {
    const world = new World({ failures: 0 })
    const [link, other] = [await world.link({ order_id: 'A-1' }), await world.link({ order_id: 'A-1' })]
    const calls: string[] = []
    let answer = (): void => {}
    const hangs = new Promise<void>((resolve) => {
      answer = resolve
    })
    world.intercept = (url, init) => {
      calls.push(new URL(url).pathname.split('/').pop() ?? '')
      return hangs.then(() => world.emulator.fetch(url, init as RequestInit))
    }
    const first = Array.from({ length: 20 }, () => world.get(link))
    await expect.poll(() => calls).toHaveLength(1)
    const late = world.get(other)
    const isCancelled = cancelled(world)
    // It is as far as it gets while the service hangs.
    await goOn()
    answer()
    expect((await isCancelled)[0]).toBe(200)
    expect(new Set((await Promise.all(first)).map(({ status }) => status))).toEqual(new Set([303]))
    expect((await late).headers.get('location') ?? '').toContain('/return/')
    expect(calls.slice(0, 2)).toEqual(['payment', 'cancel'])
    expect(world.payable('A-1')).toEqual([])
  })

  it('is cancelled, though the closing cannot be written', async () => {
    const world = new World()
    const link = await world.link({ order_id: 'A-1' })
    await world.pay(await world.open(link), 'declined')
    await world.advance(2_000)
    await world.open(link)
    world.gate.before = (action, key) => {
      if (action === 'put' && key.startsWith('fact/closed/')) throw new Error('The storage failed.')
    }
    expect([(await cancelled(world))[0], world.payable('A-1')]).toEqual([200, []])
  })

  it('stays as it is when it is paid, though it was declined before', async () => {
    const world = new World()
    const link = await world.link({ order_id: 'A-1' })
    await world.pay(await world.open(link), 'declined')
    const url = await world.open(link)
    await world.pay(url)
    const closings = [...world.gate.rows('A-1').keys()].filter((key) => key.startsWith('closed/'))
    expect([(await cancelled(world))[0], closings]).toEqual([422, []])
  })
})

describe('an order that the shop cancels', () => {
  it.each([
    ['and died before it created the next', {}, 200],
    ['and no webhook has said so yet', { fetch: async () => new Response(null, { status: 503 }) }, 422],
  ])('when a visit has cancelled its payment, %s', async (_, emulator, status) => {
    const world = new World({ emulator })
    const link = await lostCreation(world)
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'cancel-payment' })
    expect((await world.get(link)).status).toBe(503)
    await world.advance(121_000)
    expect((await cancelled(world))[0]).toBe(status)
    await expectClosed(world, link)
  })

  it('when its payment was cancelled because a shorter link had expired', async () => {
    const world = new World()
    const hour = 3_600_000
    const short = await world.link({ order_id: 'A-1' }, world.time + hour)
    const long = await world.link({ order_id: 'A-1' }, world.time + 24 * hour)
    await world.open(short)
    await world.advance(2 * hour)
    expect((await world.get(short)).status).toBe(410)
    await world.advance(121_000)
    expect((await cancelled(world))[0]).toBe(200)
    await expectClosed(world, long)
  })

  it('is not said to be cancelled when the closing cannot be written, and a further attempt was announced', async () => {
    const world = new World()
    const link = await lostCreation(world)
    // What a visit sends as a cancellation is lost on its way.
    world.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'cancel-payment' })
    expect((await world.get(link)).status).toBe(503)
    await world.advance(121_000)
    world.gate.before = (action, key) => {
      if (action === 'put' && key.startsWith('fact/closed/')) throw new Error('The storage failed.')
    }
    expect((await cancelled(world))[0]).toBe(503)
    world.gate.before = undefined
    await world.advance(121_000)
    expect((await cancelled(world))[0]).toBe(200)
    await expectClosed(world, link)
  })
})

async function cancelled(world: World, id = 'A-1'): Promise<[status: number, body: unknown]> {
  const response = await world.api(`/api/orders/${id}/cancel`, { method: 'POST' })
  return [response.status, await response.json()]
}

/** Once everything that was written can be seen, its link leads to no payment. */
async function expectClosed(world: World, link: string): Promise<void> {
  await world.advance(121_000)
  const response = await world.get(link)
  expect([response.headers.get('location') ?? '/return/', world.payable('A-1')]).toEqual([
    expect.stringContaining('/return/'),
    [],
  ])
}

/** An order whose creation has no response: the next visit replaces its payment. */
async function lostCreation(world: World): Promise<string> {
  const link = await world.link({ order_id: 'A-1' })
  world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'create-payment' })
  expect((await world.get(link)).status).toBe(503)
  await world.advance(2_000)
  return link
}

describe('what the service responds', () => {
  const resend = (world: World, id: string) =>
    world.api(`/api/orders/${id}/resend`, { method: 'POST', body: '{"operation":"purchase"}' })

  /** An order that was paid, and what its re-send is changed to. */
  async function paid(change: (record: Record<string, unknown>) => object): Promise<{ world: World; id: string }> {
    const world = new World()
    const id = newOrderId()
    await world.pay(await world.open(await world.link({ order_id: id })))
    await world.advance(121_000)
    world.intercept = (url, init) =>
      url.includes('callback=true')
        ? world.emulator
            .fetch(url, init)
            .then(async (response) => Response.json(change((await response.json()) as Record<string, unknown>)))
        : undefined
    return { world, id }
  }

  it('to a re-send is kept also where it does not name the order', async () => {
    const later = { fee: { amount: 7.77, currency: 'UAH' }, processed_at: '2026-03-09T10:00:00.000' }
    const { world, id } = await paid(({ order_id: _, ...record }) => ({ ...record, ...later }))
    expect((await resend(world, id)).status).toBe(200)
    expect((await world.order(id))?.totals.fee).toBe(777)
  })

  it('about another order is not stored as this one’s', async () => {
    const { world, id } = await paid((record) => ({ ...record, order_id: 'somebody-else' }))
    const before = (await world.keys('event/')).length
    expect((await resend(world, id)).status).toBe(502)
    expect((await world.keys('event/')).length).toBe(before)
    expect(((await world.order(id)) as Order).events.length).toBe(before)
  })

  it('is not repeated in the log where it repeats what the customer entered', async () => {
    const world = new World()
    const { customer_email, customer_phone } = ORDER
    const link = await world.link({ order_id: newOrderId() })
    const before = log.length
    for (const said of [customer_email, customer_phone, 'P-409 olena@example.com']) {
      for (const args of [
        { code: said },
        [
          { field_name: said, violation: said },
          { field_name: 'amount', violation: 'x' },
        ],
      ]) {
        world.intercept = async () => Response.json({ message: said, args }, { status: 400 })
        await world.get(link)
      }
    }
    const lines = JSON.stringify(log.slice(before))
    expect(lines).not.toMatch(/olena@|380441234567/)
    expect(lines).toContain('amount')
  })
})
