import { afterAll, describe, expect, it } from 'vitest'
import { operationKey } from '../../src/orders/index.ts'
import type { OnEvent } from '../../src/shop/options.ts'
import { payment } from './support/events.ts'
import { goOn, holdCall } from './support/held-call.ts'
import { createKill, howsOf, type Kill, killAtEach } from './support/kill.ts'
import { armed, expectEachHandled, killable } from './support/killable.ts'
import { expectNoSecretInLog } from './support/log.ts'
import { KINDS, newOrderId, World, type WorldOptions } from './support/world.ts'

afterAll(expectNoSecretInLog)

const MINUTE_MS = 60_000
const LIMIT = { timeout: MINUTE_MS }
const EACH = KINDS.flatMap((kind) => howsOf(kind).map((how) => ({ kind, how })))

/** An order at the service's checkout; its webhooks come ten minutes late. */
async function opened(options: WorldOptions) {
  const { world, handled } = killable(options)
  const id = newOrderId()
  const url = await world.open(await world.link({ order_id: id }))
  world.emulator.faults.next({ kind: 'delay', ms: 10 * MINUTE_MS, on: 'webhook' }, 9)
  const atService = () => world.emulator.orders.get(id)?.payments[0]
  return { world, handled, id, url, atService }
}

/** Whatever the service delivers; where KV failed until the service gave up, a re-send is requested. */
async function deliverAll(world: World, id: string): Promise<void> {
  for (let hour = 0; hour < 8; hour++) await world.advance(60 * MINUTE_MS)
  if (world.kind !== 'hostile' || (await world.order(id))?.status) return
  const init = { method: 'POST', body: '{"operation":"purchase"}' }
  expect((await world.settled(`/api/orders/${id}/resend`, init)).status).toBe(200)
}

describe.each(EACH)('over $kind KV, killed at each await ($how),', LIMIT, ({ kind, how }) => {
  it('a result page that asks for a re-send leaves the order right', async () => {
    await killAtEach(kind, 8, async (killAt) => {
      const { world, handled, id, url, atService } = await opened({ kind })
      await world.pay(url)
      const result = atService()?.result_url ?? ''
      const kill = createKill(killAt, how)
      const page = await armed(world, kill, () => world.get(`${result}&look=9`))
      const text = (await page?.text()) ?? ''
      if (page) expect([200, 503]).toContain(page.status)
      expect(text).not.toMatch(/KV (could|failed)|connection did/)
      if (!kill.struck && kind !== 'hostile') expect(text).toContain('Your payment was successful')
      await deliverAll(world, id)
      await world.untilHandled()
      const order = await world.order(id)
      expect([killAt, order?.status, order?.totals.captured_minor]).toEqual([killAt, 'success', 10050])
      expect(order?.operations).toMatchObject([{ status: 'success' }])
      await expectEachHandled(world, handled)
      expect(await lookUntilShown(world, result)).toContain('Your payment was successful')
      return kill.calls
    })
  })

  it('a capture is made once, when it is requested until it is answered', async () => {
    await killAtEach(kind, 6, async (killAt) => {
      const world = new World({ kind })
      const id = newOrderId('auth')
      await world.pay(await world.open(await world.link({ order_id: id, method: 'auth' })))
      // Delivered however KV behaves.
      for (let hour = 0; hour < 8; hour++) await world.advance(60 * MINUTE_MS)
      const kill = createKill(killAt, how)
      let key = 'one'
      const capture = () => world.send(`/api/orders/${id}/capture`, { charge_amount: 10 }, key)
      let answer = await armed(world, kill, capture)
      for (let i = 0; i < 50 && answer?.status !== 200; i++) {
        // A place that has not seen the attempt yet could not know of it: KV excludes no more than that.
        await world.advance(121_000)
        if (answer?.body.code === 'capture_not_executed') key = `again-${i}`
        answer = await capture()
      }
      const made = world.emulator.orders.get(id)?.operations.filter(({ status }) => status === 'success')
      expect([killAt, answer?.status, made?.length]).toEqual([killAt, 200, 1])
      return kill.calls
    })
  })

  it('an erasure has removed everything once it is requested again', async () => {
    await killAtEach(kind, 8, async (killAt) => {
      const { world, id, url } = await opened({ kind })
      await world.pay(url)
      await deliverAll(world, id)
      const kept = async () => JSON.stringify([...(await world.stored('')).values(), ...world.rows(id).values()])
      expect(await kept()).toContain('olena@example.com')
      const kill = createKill(killAt, how)
      const erase = () => world.api(`/api/orders/${id}/personal-data`, { method: 'DELETE' })
      let answer = await armed(world, kill, erase)
      for (let attempt = 0; attempt < 50 && answer?.status !== 200; attempt++) {
        await world.advance(2_000)
        answer = await erase()
      }
      expect([killAt, answer?.status, await kept()]).toEqual([killAt, 200, expect.not.stringContaining('olena@')])
      expect((await world.order(id))?.totals.captured_minor).toBe(10050)
      return kill.calls
    })
  })

  it('an alarm handles an event whose onEvent threw', async () => {
    await killAtEach(kind, 5, async (killAt) => {
      const handled = new Set<string>()
      let fails = true
      const onEvent: OnEvent = ({ event }) => {
        if (fails) throw new Error('the shop is down')
        handled.add(operationKey(event))
      }
      const world = new World({ kind, onEvent })
      await world.deliver(payment(newOrderId()))
      await world.advance(1)
      fails = false
      const kill = createKill(killAt, how)
      for (let run = 0; run < 20 && !kill.struck && handled.size === 0; run++)
        await armed(world, kill, () => world.advance(15 * MINUTE_MS))
      await world.untilHandled()
      await expectEachHandled(world, handled)
      return kill.calls
    })
  })
})

async function lookUntilShown(world: World, url: string): Promise<string> {
  for (let look = 0; look < 50; look++) {
    const response = await world.get(url)
    if (response.status === 200) return response.text()
    await world.advance(2_000)
  }
  throw new Error('The result page was never shown.')
}

/** Opens a link as a patient customer does, with the kill about until it has struck. */
async function openThrough(world: World, link: string, kill: Kill): Promise<string> {
  let url = link
  for (let attempt = 0; attempt < 60; attempt++) {
    const look = () => world.get(url)
    const response = kill.struck ? await look() : await armed(world, kill, look)
    if (response?.status === 303) return response.headers.get('location') ?? ''
    const text = (await response?.text()) ?? ''
    if (response) expect(response.status).toBe(503)
    url = /<a href="([^"]+)">/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? url
    await world.advance(11_000)
  }
  throw new Error('The link never led anywhere.')
}

const LOST = KINDS.flatMap((kind) => [false, true].map((lost) => ({ kind, lost })))

describe.each(LOST)(
  'killed at each storage and service call over $kind KV (answer lost: $lost)',
  LIMIT,
  ({ kind, lost }) => {
    it.each(howsOf(kind))('leaves one payment that can be paid (%s)', async (how) => {
      await killAtEach(kind, lost ? 10 : 3, async (killAt) => {
        const world = new World({ kind })
        const id = newOrderId()
        if (lost) world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'create-payment' })
        const kill = createKill(killAt, how)
        const link = await world.link({ order_id: id })
        let url = await openThrough(world, link, kill)
        // A place that sees the cancellation and not yet what replaces it shows the result; a minute later the link leads on.
        for (let look = 0; kind === 'hostile' && look < 20 && url.includes('/return/'); look++) {
          await world.advance(121_000)
          url = await world.open(link)
        }
        const [left = '', ...more] = world.payable(id)
        expect([killAt, more, world.emulator.orders.get(left)?.checkout_url]).toEqual([killAt, [], url])
        return kill.calls
      })
    })
  },
)

it('a worker that died makes no further call', async () => {
  const play = async (killAt: number) => {
    const world = new World()
    const [held, other] = [await world.link({ order_id: 'held' }), await world.link({ order_id: 'other' })]
    const kill = createKill(killAt, 'dies before')
    const { isMade, respond } = holdCall(world)
    let sent = 0
    const answer = await armed(world, kill, async () => {
      world.get(held).catch(() => {})
      await isMade
      sent = kill.calls
      return world.get(other)
    })
    respond()
    await goOn()
    const isKept = [...world.rows('held').values()].some(({ body }) => String(body).includes('"url":'))
    return { sent, status: answer?.status, isKept }
  }
  const undisturbed = await play(Number.POSITIVE_INFINITY)
  expect(undisturbed).toMatchObject({ status: 303, isKept: true })
  expect(await play(undisturbed.sent + 1)).toMatchObject({ status: undefined, isKept: false })
})
