// A payment link in rare cases, in which a second payment could be made.
import { beforeEach, describe, expect, it } from 'vitest'
import { checkoutLinkId } from '../../src/checkout-link/index.ts'
import { seal } from '../../src/checkout-link/seal.ts'
import { payment } from './support/events.ts'
import { linesOf } from './support/log.ts'
import { LINK_SECRET, log, newOrderId, ORDER, ORIGIN, World } from './support/world.ts'

const DAY_MS = 86_400_000
const RESULT = (order_id: string) => `${ORIGIN}/return/${encodeURIComponent(order_id)}?t=`

beforeEach(() => {
  log.length = 0
})

interface Page {
  status: number
  /** Where it leads to, or what its title says. */
  text: string
}

async function visit(world: World, link: string): Promise<Page> {
  // The order of the writes before it does not matter: each key may be written once a second.
  await world.advance(2_000)
  const response = await world.get(link)
  const page = await response.text()
  const text = response.headers.get('location') ?? /<h1>([^<]*)<\/h1>/.exec(page)?.[1] ?? ''
  return { status: response.status, text }
}

const revoke = async (world: World, link: string) =>
  world.api(`/api/links/${await checkoutLinkId(link, LINK_SECRET)}`, { method: 'DELETE' })

const ordersOf = (world: World) => world.emulator.orders.list().map(({ order_id }) => order_id)
const statusOf = (world: World, order_id: string) => world.emulator.orders.get(order_id)?.payments[0]?.status

/** Responds in place of the service to calls whose address holds a text; fails after 20, so that no loop goes on for ever. */
function instead(
  world: World,
  part: string,
  respond: (url: string) => Response | Promise<Response>,
): { calls: number } {
  const counted = { calls: 0 }
  const before = world.intercept
  world.intercept = (url) => {
    if (!url.includes(part) || (part === LOOK_UP && url.endsWith('/cancel'))) return before?.(url)
    counted.calls++
    if (counted.calls > 20) throw new Error('The service is called again and again.')
    return Promise.resolve(respond(url))
  }
  return counted
}

const CREATE = '/api/v1/payment'
/** The list of an order's operations, and a re-sent webhook. */
const LOOK_UP = '/orders/'
const error = (status: number, code = 'X-1') => Response.json({ message: 'no', args: { code } }, { status })

/** The process that opened a payment died two minutes ago, before it could store the address. */
function dies(world: World): void {
  const set = "body = json_remove(body, '$.url'), written_at = written_at - 120000"
  world.object.storage().sql.exec(`UPDATE edgetill_log SET ${set} WHERE kind = 'payment'`)
}

/** A link whose payment was created, which the worker does not know. */
async function lost(world: World, order_id = 'A-1', expiresAt?: number): Promise<string> {
  world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'create-payment' })
  const link = await world.link({ order_id }, expiresAt)
  expect((await visit(world, link)).status).toBe(503)
  return link
}

describe('a link', () => {
  it('that was revoked shows who has paid the result: elsewhere, or with a further attempt', async () => {
    const world = new World()
    const elsewhere = await world.link({ order_id: 'A-1' })
    await world.deliver(payment('A-1'))
    const link = await world.link({ order_id: 'B-1' })
    await world.pay(await world.open(link), 'declined')
    await world.advance(2_000)
    await world.pay(await world.open(link))
    const declined = await world.link({ order_id: 'C-1' })
    await world.pay(await world.open(declined), 'declined')
    // Also where its opening could not be recorded, and an event alone tells of it.
    for (const one of [elsewhere, link, declined])
      expect(await (await revoke(world, one)).json()).toMatchObject({ revoked: true, opened: true })
    await world.advance(2_000)
    expect((await visit(world, elsewhere)).text).toContain(RESULT('A-1'))
    expect((await visit(world, link)).text).toContain(RESULT('B-1~2'))
    expect((await visit(world, declined)).status).toBe(410)
    expect(ordersOf(world).sort()).toEqual(['B-1', 'B-1~2', 'C-1'])
  })

  it('that was revoked leads nowhere, though its opening died before anybody had the address; another link goes on', async () => {
    const world = new World()
    const [link, other] = [await world.link({ order_id: 'A-1' }), await world.link({ order_id: 'A-1' })]
    await world.open(link)
    dies(world)
    expect((await revoke(world, link)).status).toBe(200)
    expect((await visit(world, link)).status).toBe(410)
    expect((await visit(world, other)).status).toBe(303)
    expect(statusOf(world, 'A-1')).toBe('failure')
    expect([statusOf(world, 'A-1~2'), (await visit(world, link)).status]).toEqual(['init', 410])
  })

  /** A link whose 98th attempt was declined. */
  async function declined98(world: World): Promise<string> {
    const link = await world.link({ order_id: 'A-1' })
    await world.open(link)
    world.object.storage().sql.exec("UPDATE edgetill_log SET attempt = 98 WHERE kind = 'payment'")
    await world.deliver({ ...payment('A-1~98'), status: 'failure' })
    return link
  }

  it.each(['created', 'declined'])('is closed when the response to the 99th attempt was lost, %s', async (then) => {
    const world = new World()
    const link = await declined98(world)
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'create-payment' })
    expect(await visit(world, link)).toMatchObject({ status: 503 })
    if (then === 'declined') await world.pay(world.emulator.orders.get('A-1~99')?.checkout_url ?? '', 'declined')
    expect(await visit(world, link)).toMatchObject({ status: 410 })
    expect(ordersOf(world).sort()).toEqual(['A-1', 'A-1~99'])
  })

  it('that expires is cancelled at the service, so that a customer does not pay for what the shop no longer holds', async () => {
    const world = new World()
    const link = await world.link({ order_id: 'A-1' }, world.time + 60_000)
    await visit(world, link)
    await world.advance(60_000)
    expect(await visit(world, link)).toMatchObject({ status: 410 })
    expect(statusOf(world, 'A-1')).toBe('failure')
    expect(await visit(world, link)).toMatchObject({ status: 410 })
    expect(ordersOf(world)).toEqual(['A-1'])
    const order = await world.order('A-1')
    expect([order?.status, order?.replaced_by]).toEqual(['failure', undefined])
    expect(await world.order('A-1~2')).toBeUndefined()
  })

  it('whose lost payment was declined leads to another try', async () => {
    const world = new World()
    const link = await lost(world)
    world.emulator.faults.next({ kind: 'delay', ms: DAY_MS, on: 'webhook' }, 9)
    await world.pay(world.emulator.orders.get('A-1')?.checkout_url ?? '', 'declined')
    expect((await visit(world, link)).text).toBe(world.emulator.orders.get('A-1~2')?.checkout_url)
    expect(ordersOf(world)).toEqual(['A-1', 'A-1~2'])
  })

  it.each<[string, Page, (url: string) => Response]>([
    ['does not show', { status: 503, text: expect.any(String) }, () => error(403)],
    [
      'shows without a status',
      { status: 303, text: expect.stringContaining(RESULT('A-1')) },
      (url) => {
        const record = { ...payment('A-1'), status: undefined }
        return Response.json(url.includes('callback=true') ? record : [record])
      },
    ],
  ])('whose payment the service %s makes no second one', async (_, page, respond) => {
    const world = new World()
    const link = await lost(world)
    const created = instead(world, CREATE, () => error(500))
    const asked = instead(world, LOOK_UP, respond)
    expect(await visit(world, link)).toEqual(page)
    expect([created.calls, asked.calls > 0, ordersOf(world)]).toEqual([0, true, ['A-1']])
  })

  it('whose payment cannot be cancelled, because it is paid at this moment, shows that', async () => {
    const world = new World()
    const link = await lost(world)
    instead(world, '/cancel', async () => {
      world.intercept = undefined
      await world.pay(world.emulator.orders.get('A-1')?.checkout_url ?? '')
      return error(409)
    })
    expect((await visit(world, link)).text).toContain(RESULT('A-1'))
    expect(ordersOf(world)).toEqual(['A-1'])
  })

  it('whose lost payment the service does not show, and rejects as used, is replaced', async () => {
    const world = new World()
    const link = await lost(world)
    const resent = instead(world, LOOK_UP, () => error(404))
    expect((await visit(world, link)).text).toBe(world.emulator.orders.get('A-1~2')?.checkout_url)
    expect([resent.calls > 0, world.payable('A-1')]).toEqual([true, ['A-1~2']])
  })

  it('that the shop closed, because the service does not know its order, leads to no payment', async () => {
    const world = new World()
    world.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'create-payment' })
    const link = await world.link({ order_id: 'A-1' })
    expect((await visit(world, link)).status).toBe(503)
    // The checkout's own record was written within this second.
    for (let time = 0; time < 2; time++) {
      const response = await world.api('/api/orders/A-1/cancel', { method: 'POST' })
      expect([response.status, await response.json()]).toEqual([200, { order_id: 'A-1', link: 'closed' }])
      await world.advance(2_000)
    }
    // Not the result page: it would say that the payment is under way.
    expect((await visit(world, link)).text).toBe('This order can no longer be paid')
    expect(ordersOf(world)).toEqual([])
  })

  it.each([
    [409, 'X-1', 1],
    [400, 'P-409', 1],
    // This is another rejection.
    [410, 'X-1', 0],
  ])(
    'whose order_id the service calls used (%i, %s) makes no payment of another order_id',
    async (status, code, asks) => {
      const world = new World()
      const created = instead(world, CREATE, () => error(status, code))
      // It says both: used, and not known.
      const asked = instead(world, LOOK_UP, () => error(404))
      const page = await visit(world, `${await world.link({ order_id: 'A-1' })}?waited=9`)
      expect([page.status, created.calls, asked.calls]).toEqual([503, 1 + asks, 3 * asks])
    },
  )

  it('leads to the result where the service authorizes without asking the customer for anything', async () => {
    const world = new World()
    const respond = (order_id: string) =>
      instead(world, CREATE, () =>
        Response.json({ ...payment(order_id, { method: 'auth', status: 'pending' }), user_action_url: null }),
      )
    respond('A-1')
    const link = await world.link({ order_id: 'A-1', method: 'auth' })
    expect((await visit(world, link)).text).toContain(RESULT('A-1'))
    respond('B-1')
    const own = await world.link({ order_id: 'B-1', method: 'auth', result_url: 'https://shop.example.com/thanks' })
    expect((await visit(world, own)).text).toBe('https://shop.example.com/thanks')
  })
})

it('an expired link whose opening could not be written ends the payment, and a new link leads to a further attempt', async () => {
  const world = new World()
  const link = await world.link({ order_id: 'A-1' }, world.time + 60_000)
  // The row is written before the call, and its address is not written after it.
  world.object.before = (action, key) => {
    if (action === 'put' && key.startsWith('edgetill_log/') && !key.split('/').includes('payment'))
      throw new Error('The storage failed.')
  }
  await visit(world, link)
  world.object.before = undefined
  await world.advance(60_000)
  expect([(await visit(world, link)).status, statusOf(world, 'A-1')]).toEqual([410, 'failure'])
  const { text } = await visit(world, await world.link({ order_id: 'A-1' }))
  expect(text).toBe(world.emulator.orders.get('A-1~2')?.checkout_url)
})

it('a link that is opened as it is closed as abandoned is watched anew', async () => {
  const world: World = new World({
    kind: 'strict',
    emulator: { fetch: async () => new Response('lost', { status: 503 }), retryDelaysMs: [] },
  })
  const link = await world.link({ order_id: 'A-1' }, world.time + 9 * DAY_MS)
  const url = await world.open(link)
  // The alarm of this moment ends the watch.
  await world.advance(DAY_MS)
  expect((await world.get(link)).headers.get('location')).toBe(url)
  await world.pay(url)
  await world.advance(15 * 60_000)
  expect(await world.order('A-1')).toMatchObject({ status: 'success', flags: [] })
})

it('the log names the fields that the service or the SDK rejects', async () => {
  const world = new World()
  const id = newOrderId('blocked')
  // One that createCheckoutLink would not make.
  const order = { ...ORDER, order_id: id, amount: 10.005 }
  const made = await seal(LINK_SECRET, 'checkout link', { order, origin: ORIGIN, expiresAt: Number.MAX_SAFE_INTEGER })
  const page = await (await world.get(`${ORIGIN}/checkout/${made}`)).text()
  expect([page.includes('This order cannot be paid'), page.includes('Try again')]).toEqual([true, false])
  const args = [{ field_name: 'customer_phone', violation: 'is blocked' }]
  instead(world, CREATE, () => Response.json({ message: 'no', args }, { status: 400 }))
  await visit(world, await world.link({ order_id: id }))
  expect(ordersOf(world)).toEqual([])
  expect(linesOf(id)).toMatchObject([
    { kind: 'checkout_not_opened', order_id: id, fields: ['amount'] },
    { kind: 'checkout_rejected', order_id: id, fields: ['amount'] },
    { kind: 'checkout_not_opened', order_id: id, fields: ['customer_phone'] },
    { kind: 'checkout_rejected', order_id: id, fields: ['customer_phone'] },
  ])
})

it('a rejected payment is a matter for a person until it could be opened, and an opened link says nothing of it', async () => {
  const world = new World({ env: { RETENTION_DAYS: '10' } })
  const link = await world.link({ order_id: 'A-1' }, world.time + 30 * DAY_MS)
  const matters = async () =>
    ((await (await world.api('/api/attention')).json()) as { items: { kind: string; at: string; text: string }[] })
      .items
  instead(world, CREATE, () => error(400))
  await visit(world, link)
  const first = await matters()
  expect(first).toMatchObject([{ kind: 'checkout_rejected', at: new Date(world.time).toISOString() }])
  expect(first[0]?.text).toContain('the service rejects its payment, so nobody can pay it.')
  // It holds no personal data, and outlives it; another visit makes it no newer.
  await world.advance(12 * DAY_MS)
  expect(await matters()).toEqual(first)
  await visit(world, link)
  expect(await matters()).toEqual(first)
  world.intercept = undefined
  const url = await world.open(link)
  expect(await matters()).toEqual([])
  const before = world.object.calls.object
  expect((await visit(world, link)).text).toBe(url)
  // Whether it was revoked, and the order.
  expect(world.object.calls.object - before).toBe(2)
})
