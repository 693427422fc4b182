// How the outcome of a capture, refund or void that was lost is found out: by a webhook, or by asking the service.
import { expect, it } from 'vitest'
import { at, payment, secondary } from './support/events.ts'
import { authorized, delayWebhooks, instead, loseCapture, made, send, silent } from './support/money.ts'
import { World } from './support/world.ts'

const unknown = { status: 502, body: { code: 'outcome_unknown' } }
const notExecuted = { status: 409, body: { code: 'capture_not_executed' } }
const TEN = { charge_amount: 10 }

it.each<[string, (world: World) => Promise<unknown>]>([
  ['was answered', (world) => send(world, 'capture', 'one', TEN)],
  [
    'was found out by asking',
    async (world) => {
      delayWebhooks(world)
      loseCapture(world, 'after_commit')
      await send(world, 'capture', 'one', TEN)
    },
  ],
  [
    'is known from a webhook without an operation_id',
    (world) => {
      const { payment_id } = world.emulator.orders.get('A-1')?.payments[0] ?? {}
      const unnamed = { operation_id: undefined, transaction_id: undefined }
      return world.deliver(secondary('A-1', 'capture', { payment_id, ...unnamed, amount: 10 }))
    },
  ],
])('a capture that was never made is not taken for an earlier one that %s', async (_, before) => {
  const world = await authorized()
  await before(world)
  await world.emulator.deliveries.idle()
  await world.advance(2_000)
  const count = made(world, 'capture').length
  loseCapture(world, 'before_commit')
  expect(await send(world, 'capture', 'two', TEN)).toMatchObject(unknown)
  await world.advance(121_000)
  expect(await send(world, 'capture', 'two', TEN)).toMatchObject(notExecuted)
  expect(made(world, 'capture')).toHaveLength(count)
})

const auth = payment('A-1', { method: 'auth' })
const ofAuth = { payment_id: auth.payment_id, transaction_id: auth.transaction_id }
const LEFT = [
  auth,
  secondary('A-1', 'void', { ...ofAuth, amount: 20 }),
  secondary('A-1', 'capture', { ...ofAuth, amount: 30 }),
]

/** An order whose payment was made by its link: the till knows each operation that it has made. */
async function opened(events: object[]): Promise<World> {
  const world = new World()
  await world.open(await world.link({ order_id: 'A-1', method: 'auth' }))
  for (const event of events) await world.deliver(event)
  instead(world, silent)
  return world
}

it.each([
  ['capture', TEN, 10, [auth]],
  ['capture', {}, 50.5, LEFT],
  ['refund', {}, 90.5, [payment('A-1'), secondary('A-1', 'refund', { amount: 10 })]],
])('a lost %s of %j is found out by its webhook, which has that amount', async (path, fields, amount, before) => {
  const world = await opened(before)
  expect(await send(world, path, 'one', fields)).toMatchObject(unknown)
  // Nothing else is made while it is not known, and one of another amount is not this one.
  await world.deliver(secondary('A-1', path, { ...ofAuth, amount: amount + 1, created_at: at(70) }))
  expect(await send(world, path, 'two')).toMatchObject({ status: 409, body: { code: `${path}_unsettled` } })
  await world.deliver(secondary('A-1', path, { ...ofAuth, amount, created_at: at(70) }))
  expect(await send(world, path, 'one', fields)).toMatchObject({ status: 200, body: { amount, method: path } })
})

it('a lost void is found out by its webhook, whatever its amount', async () => {
  const world = await opened([auth])
  expect(await send(world, 'void', 'one')).toMatchObject(unknown)
  await world.deliver(secondary('A-1', 'void', { ...ofAuth, amount: 7 }))
  expect(await send(world, 'void', 'one')).toMatchObject({ status: 200, body: { amount: 7 } })
})

it('a 425 of a proxy says nothing of what the service has done: the capture is found out, not made twice', async () => {
  const world = await authorized()
  world.intercept = async (url, init) => {
    world.intercept = undefined
    await world.emulator.fetch(url, init)
    return new Response('{}', { status: 425 })
  }
  const lost = await send(world, 'capture', 'one')
  expect(lost).toMatchObject({ ...unknown, body: { detail: expect.stringMatching(/same Idempotency-Key/) } })
  expect(await send(world, 'capture', 'one')).toMatchObject({ status: 200, body: { amount: 100.5 } })
  expect(made(world, 'capture')).toHaveLength(1)
})

it('what the service lists is taken for what is known by payment and moment: each charge is told once, by whatever it is named', async () => {
  const calls: unknown[] = []
  const world = new World({ onEvent: ({ event }, { totals }) => void calls.push([event.kind, totals.captured_minor]) })
  const first = payment('A-1', { recurring: { id: 'r', status: 'active' } })
  await world.deliver({ ...first, transaction_id: undefined, created_at: at(0, '') })
  const second = { ...first, created_at: at(86_400), processed_at: at(86_405) }
  world.intercept = async (url) =>
    /\/orders\/A-1$/.test(url) ? Response.json([first, second]) : new Response('', { status: 404 })
  await world.advance(200_000)
  // The first money call of an order that the till did not create lists it.
  expect(await send(world, 'refund', 'one', { refund_amount: 1 })).toMatchObject({ body: { code: 'api' } })
  expect(await world.order('A-1')).toMatchObject({ totals: { captured_minor: 20_100 }, operations: [{}, {}] })
  await world.deliver(second)
  await world.advance(20_000)
  expect(await world.order('A-1')).toMatchObject({ totals: { captured_minor: 20_100 }, operations: [{}, {}] })
  expect(calls).toEqual([
    ['purchase', 10_050],
    ['purchase', 20_100],
  ])
})
