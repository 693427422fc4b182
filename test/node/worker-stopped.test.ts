import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type CheckoutOrder, createCheckoutLink } from '../../src/checkout-link/index.ts'
import type { OrderView } from '../../src/emulator/index.ts'
import { operationKey } from '../../src/index.ts'
import type { Order } from '../../src/shop/store/order.ts'
import { readEvent, signWebhook } from '../../src/webhooks/index.ts'
import { payment, secondary } from '../worker/support/events.ts'
import { createRandom, isLong, seedOfRun } from '../worker/support/random.ts'
import { ADMIN_TOKEN, LINK_SECRET, newOrderId, ORDER, payAt } from '../worker/support/world.ts'
import { StoppableWorkerd } from './support/stoppable-workerd.ts'

const ORIGIN = 'https://pay.shop.example.com'
/** An attempt whose worker died is settled by asking the service, once so much time has passed. */
const SETTLED_MS = 130_000
/** A failed event is tried again before that, and an unknown outcome asked about. */
const SCHEDULE_MS = 20 * 60_000
/** More than any scenario takes. The ordinary run stops at every seventh, beginning with one of the first seven. */
const MAX_STEPS = 100

let workerd: StoppableWorkerd
let shopIsDown = false
let endsFor: string | undefined

type Method = 'purchase' | 'auth'

async function api(path: string, init: RequestInit = {}): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { ...(init.headers as object), authorization: `Bearer ${ADMIN_TOKEN}` }
  const response = await workerd.fetch(`${ORIGIN}/api/${path}`, { ...init, headers })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const linkOf = (order_id: string, method: Method): Promise<string> =>
  createCheckoutLink({
    origin: ORIGIN,
    linkSecret: LINK_SECRET,
    order: { ...ORDER, order_id, method } as CheckoutOrder,
    now: () => workerd.now(),
  })

/** The service's view of an order and of its further attempts. */
const atService = (id: string): OrderView[] =>
  workerd.emulator.orders.list().filter(({ order_id }) => order_id.replace(/~\d+$/, '') === id)

/** Opens the link until it leads somewhere; a page that looks again is followed. */
async function open(link: string): Promise<string> {
  let url = link
  for (let visit = 0; visit < 15; visit++) {
    const response = await workerd.fetch(new URL(url, ORIGIN).href)
    if (response.status === 303) return response.headers.get('location') ?? ''
    url = /<a href="([^"]+)">/.exec(await response.text())?.[1]?.replaceAll('&amp;', '&') ?? link
    await workerd.advance(SETTLED_MS)
  }
  throw new Error('The link never led anywhere.')
}

async function paid(id: string, method: Method): Promise<void> {
  await payAt(workerd.emulator, await open(await linkOf(id, method)), 'success')
  await workerd.emulator.deliveries.idle()
  await handled(id)
}

const capture = (id: string, key: string) =>
  api(`orders/${id}/capture`, { method: 'POST', headers: { 'idempotency-key': key }, body: '{"charge_amount":10}' })

/** Sends it again, as a caller does who got no response, until the caller knows that it was made: once. */
async function untilCaptured(id: string): Promise<void> {
  for (let key = 0, call = 0; call < 6; call++) {
    const { status, body } = await capture(id, `key-${key}`)
    if (status === 200) {
      const made = atService(id).flatMap(({ operations }) => operations.filter(({ method }) => method === 'capture'))
      return expect(made).toHaveLength(1)
    }
    if (body.code === 'capture_not_executed') key += 1
    else await workerd.advance(SETTLED_MS)
  }
  throw new Error('The capture was never made.')
}

/** The events of an order that `onEvent` failed on. */
async function failing(id: string): Promise<unknown[]> {
  const { events } = (await api('events?failing=true')).body as { events: { order_id: string }[] }
  return events.filter(({ order_id }) => order_id === id)
}

/** What was sent so far is acknowledged, and the shop has got it. */
async function handled(id: string): Promise<void> {
  const sent = workerd.emulator.deliveries.filter(({ order_id, attempts }) => order_id === id && attempts.length > 0)
  await vi.waitFor(
    async () => {
      if (workerd.wasStopped) return
      for (const { event, attempts } of sent) {
        expect(attempts.map(({ status }) => status)).toContain(200)
        expect(workerd.told.has(operationKey(readEvent(event)))).toBe(true)
      }
      expect(await failing(id)).toEqual([])
    },
    { timeout: 10_000, interval: 20 },
  )
}

/** The retries of the webhooks that failed, and what the worker does by its alarms. */
async function deliverAgain(id: string): Promise<void> {
  await workerd.advance(61_000, [id])
  await workerd.emulator.deliveries.idle()
  expect(
    workerd.emulator.deliveries.filter(({ order_id, attempts }) => order_id === id && attempts.length === 0),
  ).toEqual([])
  await handled(id)
}

interface Scenario {
  name: string
  prepare(id: string): Promise<void>
  /** What is stopped. */
  act(id: string): Promise<unknown>
  /** What the people do who got no response, and what has to be true in the end. */
  finish(id: string): Promise<void>
}

async function expectTotals(id: string, totals: Partial<Order['totals']>): Promise<void> {
  const order = (await api(`orders/${id}`)).body as unknown as Order
  expect(order).toMatchObject({ status: 'success', totals, flags: [], attempts: [] })
}

const links = new Map<string, string>()

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'the opening of a checkout',
    async prepare(id) {
      links.set(id, await linkOf(id, 'purchase'))
    },
    act: (id) => workerd.fetch(links.get(id) ?? ''),
    async finish(id) {
      const url = await open(links.get(id) ?? '')
      const payable = atService(id).filter(({ status }) => status !== 'failure')
      expect(payable.map(({ checkout_url }) => checkout_url)).toEqual([url])
      await payAt(workerd.emulator, url, 'success')
      await workerd.emulator.deliveries.idle()
      for (const { order_id } of atService(id)) await deliverAgain(order_id)
      await expectTotals(payable[0]?.order_id ?? '', { captured: 10_050 })
    },
  },
  {
    name: 'a capture',
    prepare: (id) => paid(id, 'auth'),
    act: (id) => capture(id, 'key-0'),
    async finish(id) {
      await untilCaptured(id)
      await deliverAgain(id)
      await expectTotals(id, { captured: 1000 })
    },
  },
  {
    name: 'the settling of a capture whose response was lost',
    async prepare(id) {
      await paid(id, 'auth')
      workerd.emulator.faults.next({ kind: 'reset', on: 'capture-payment' })
      workerd.emulator.faults.next({ kind: 'delay', ms: 2 * SCHEDULE_MS })
      expect((await capture(id, 'key-0')).status).toBe(502)
      await workerd.advance(SETTLED_MS, [id])
    },
    // By the schedule, and at once by the shop, who calls again.
    act: (id) => workerd.advance(SCHEDULE_MS, [id]).then(() => capture(id, 'key-0')),
    async finish(id) {
      await untilCaptured(id)
      await workerd.advance(2 * SCHEDULE_MS, [id])
      await deliverAgain(id)
      await expectTotals(id, { captured: 1000 })
    },
  },
  {
    name: 'a webhook and its outbox',
    async prepare(id) {
      links.set(id, await open(await linkOf(id, 'purchase')))
    },
    async act(id) {
      await payAt(workerd.emulator, links.get(id) ?? '', 'success')
    },
    async finish(id) {
      await deliverAgain(id)
      await expectTotals(id, { captured: 10_050 })
      for (const { event } of workerd.emulator.deliveries.filter(({ order_id }) => order_id === id)) {
        expect(workerd.told.get(operationKey(readEvent(event)))).toBeLessThanOrEqual(2)
      }
    },
  },
  {
    name: 'an effect that failed before',
    async prepare(id) {
      const url = await open(await linkOf(id, 'purchase'))
      shopIsDown = true
      try {
        await payAt(workerd.emulator, url, 'success')
        // The list learns of it once in ten seconds.
        const listed = async () => {
          await workerd.advance(11_000, [id])
          expect(await failing(id)).toHaveLength(1)
        }
        await vi.waitFor(listed, { timeout: 10_000, interval: 500 })
        await workerd.emulator.deliveries.idle()
      } finally {
        shopIsDown = false
      }
    },
    act: (id) => workerd.advance(SCHEDULE_MS, [id]),
    async finish(id) {
      await workerd.advance(SCHEDULE_MS, [id])
      await deliverAgain(id)
      await expectTotals(id, { captured: 10_050 })
    },
  },
]

describe('workerd, stopped between two steps and started again over the same files,', () => {
  let random: () => number
  beforeAll(async () => {
    random = createRandom(seedOfRun())
    workerd = await StoppableWorkerd.start({
      shopFails: () => shopIsDown,
      shopEnds: (method) => method !== undefined && method === endsFor,
    })
  }, 60_000)
  afterAll(() => workerd?.end())

  it.each(SCENARIOS)(
    'finishes $name: nothing is done twice, nothing is lost',
    async ({ prepare, act, finish }) => {
      const stride = isLong() ? 1 : 7
      let stop = 1 + Math.floor(random() * stride)
      for (; stop < MAX_STEPS; stop += stride) {
        const id = newOrderId('stopped')
        await prepare(id)
        await workerd.countSteps(stop)
        await act(id)
          .then(() => workerd.emulator.deliveries.idle())
          .then(() => handled(id))
          // From here on it is stopped no more.
          .then(() => workerd.countSteps())
          .catch((error: unknown) => {
            if (!workerd.wasStopped) throw error
          })
        const { wasStopped } = workerd
        if (wasStopped) await workerd.restart()
        try {
          await finish(id)
        } catch (error) {
          throw new Error(`Stopped at step ${stop}`, { cause: error })
        }
        if (!wasStopped) break
      }
      expect(stop).toBeGreaterThan(5)
      expect(stop).toBeLessThan(MAX_STEPS)
    },
    600_000,
  )

  it('hands the next event over, though the code for one ends the object each time, and gives that one up', async () => {
    const id = newOrderId('poison')
    const deliver = async (event: Record<string, unknown>) => {
      const { body } = signWebhook(event, workerd.emulator.credentials.apiSecret)
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      expect((await workerd.fetch(`${ORIGIN}/webhooks`, { method: 'POST', headers, body })).status).toBe(200)
      return operationKey(readEvent(event))
    }
    endsFor = 'purchase'
    const poison = await deliver(payment(id))
    const healthy = await deliver(secondary(id, 'refund', { amount: 1 }))
    await vi.waitFor(() => expect(workerd.told.get(healthy)).toBe(1), { timeout: 2_000, interval: 20 })
    const listed = async () => (await failing(id))[0] as { attempts: number; given_up: boolean } | undefined
    await vi.waitFor(async () => expect(await listed()).toMatchObject({ given_up: false }), 20_000)
    for (let run = 0; run < 40 && !(await listed())?.given_up; run++) {
      await workerd.advance(6 * 3_600_000, [id]).catch(() => {})
    }
    expect(await listed()).toMatchObject({ attempts: 20, given_up: true })
    await vi.waitFor(() => expect(workerd.told.get('on_event_given_up')).toBe(1), 10_000)
    endsFor = undefined
    const body = JSON.stringify({ since: new Date(0).toISOString() })
    expect(await api('events/replay', { method: 'POST', body })).toMatchObject({ status: 202, body: { queued: 1 } })
    await vi.waitFor(async () => expect(await listed()).toBeUndefined(), 10_000)
    expect([workerd.told.get(poison), workerd.told.get(healthy)]).toEqual([1, 1])
  }, 120_000)
})
