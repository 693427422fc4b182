// An order that the shop cancels. The simulator does it at any moment.
import { describe, expect, it } from 'vitest'
import type { Order } from '../../src/shop/lib/shown-order.ts'
import { payment } from './support/events.ts'
import { goOn } from './support/held-call.ts'
import { log, newOrderId, ORDER, World } from './support/world.ts'

async function cancelled(world: World): Promise<[status: number, body: unknown]> {
  const response = await world.api('/api/orders/A-1/cancel', { method: 'POST' })
  return [response.status, await response.json()]
}

const closingFails: World['object']['before'] = (action, key) => {
  if (action === 'put' && key.split('/').includes('close')) throw new Error('The storage failed.')
}

describe('an order that the shop cancels', () => {
  it('cannot be paid by a further attempt that is open, also where the closing cannot be written', async () => {
    const world = new World()
    const link = await world.link({ order_id: 'A-1' })
    await world.pay(await world.open(link), 'declined')
    await world.advance(121_000)
    const second = await world.open(link)
    await world.advance(121_000)
    world.object.before = closingFails
    expect(await cancelled(world)).toMatchObject([200, { order_id: 'A-1~2', status: 'failure', status_code: '6007' }])
    await world.pay(second)
    await world.advance(121_000)
    expect((await world.order('A-1~2'))?.totals.captured_minor).toBe(0)
    expect(await world.open(link)).toMatch(/\/return\//)
    expect(world.payable('A-1')).toEqual([])
  })

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
    await goOn()
    const isCancelled = cancelled(world)
    // It waits, for at most forty looks.
    await goOn(5)
    answer()
    expect((await isCancelled)[0]).toBe(200)
    // A visitor who has waited for long is told to look again, and is led on then: nobody can pay there.
    const statuses = (await Promise.all([...first, late])).map(({ status }) => status)
    expect(statuses.filter((status) => status !== 303 && status !== 503)).toEqual([])
    expect(statuses).toContain(303)
    for (const each of [link, other]) expect((await world.get(each)).headers.get('location')).toContain('/return/')
    expect(calls.slice(0, 2)).toEqual(['payment', 'cancel'])
    expect(world.payable('A-1')).toEqual([])
  })

  it('is listed as failed, not as waiting, also where the service has never heard of it', async () => {
    const world = new World({ failures: 0 })
    const link = await world.link({ order_id: 'A-1' })
    world.intercept = () => Response.json({}, { status: 404 })
    await world.get(link)
    expect(await cancelled(world)).toEqual([200, { order_id: 'A-1', link: 'closed' }])
    const listed = await (await world.api('/api/orders?state=failed')).json()
    expect(listed).toMatchObject({ orders: [{ order_id: 'A-1', state: 'failed', status: null }] })
  })

  it('stays as it is where it was paid without a link', async () => {
    const world = new World()
    await world.deliver(payment('A-1'))
    expect((await cancelled(world))[0]).toBe(404)
  })

  it('leads to no payment, though nobody had opened its link', async () => {
    const world = new World()
    const link = await world.link({ order_id: 'A-1' })
    expect(await cancelled(world)).toEqual([200, { order_id: 'A-1', link: 'closed' }])
    await world.advance(121_000)
    expect([(await world.get(link)).headers.get('location'), world.payable('A-1')]).toEqual([null, []])
  })

  it('leads to no payment, though what was open was cancelled before because a shorter link had expired', async () => {
    const world = new World()
    const [short, long] = [1, 24].map((hours) => world.link({ order_id: 'A-1' }, world.time + hours * 3_600_000))
    await world.open(await (short as Promise<string>))
    await world.advance(2 * 3_600_000)
    expect((await world.get(await (short as Promise<string>))).status).toBe(410)
    await world.advance(121_000)
    expect((await cancelled(world))[0]).toBe(200)
    expect(await world.open(await (long as Promise<string>))).toMatch(/\/return\//)
    expect(world.payable('A-1')).toEqual([])
  })

  /** An order whose payment a visit would replace, because its creation had no response; neither has its cancellation. */
  async function halfReplaced(world: World, when: 'before_commit' | 'after_commit'): Promise<string> {
    const link = await world.link({ order_id: 'A-1' })
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'create-payment' })
    expect((await world.get(link)).status).toBe(503)
    await world.advance(2_000)
    world.emulator.faults.next({ kind: 'reset', when, on: 'cancel-payment' })
    expect((await world.get(link)).status).toBe(503)
    await world.advance(121_000)
    return link
  }

  async function expectClosed(world: World, link: string): Promise<void> {
    await world.advance(121_000)
    const location = (await world.get(link)).headers.get('location') ?? '/return/'
    expect([location, world.payable('A-1')]).toEqual([expect.stringContaining('/return/'), []])
  }

  it('leads to no payment, though a visit has cancelled what was open, and no webhook has said so', async () => {
    const world = new World({ emulator: { fetch: async () => new Response(null, { status: 503 }) } })
    const link = await halfReplaced(world, 'after_commit')
    expect((await cancelled(world))[0]).toBe(422)
    await expectClosed(world, link)
  })

  it('leads to no payment, though its opening died unrecorded, and a visit had begun to replace it', async () => {
    const world = new World()
    const link = await world.link({ order_id: 'A-1' })
    await world.open(link)
    const set = "body = json_remove(body, '$.url'), written_at = written_at - 120000"
    world.object.storage().sql.exec(`UPDATE edgetill_log SET ${set} WHERE kind = 'payment'`)
    await world.advance(2_000)
    world.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'cancel-payment' })
    expect((await world.get(link)).status).toBe(503)
    expect((await cancelled(world))[0]).toBe(200)
    await expectClosed(world, link)
  })

  it('is not said to be cancelled when the closing cannot be written, and a further attempt was announced', async () => {
    const world = new World()
    const link = await halfReplaced(world, 'before_commit')
    world.object.before = closingFails
    expect((await cancelled(world))[0]).toBe(503)
    world.object.before = undefined
    await world.advance(121_000)
    expect((await cancelled(world))[0]).toBe(200)
    await expectClosed(world, link)
  })
})

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
    expect((await world.order(id))?.totals.fee_minor).toBe(777)
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
    for (const text of [customer_email, customer_phone, 'P-409 olena@example.com']) {
      for (const args of [
        { code: text },
        [
          { field_name: text, violation: text },
          { field_name: 'amount', violation: 'x' },
        ],
      ]) {
        world.intercept = async () => Response.json({ message: text, args }, { status: 400 })
        await world.get(link)
      }
    }
    const lines = JSON.stringify(log.slice(before))
    expect(lines).not.toMatch(/olena@|380441234567/)
    expect(lines).toContain('amount')
  })
})
