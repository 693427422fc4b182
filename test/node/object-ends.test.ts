// The code of the shop ends the Durable Object that calls it, in workerd.
import { expect, it, onTestFinished, vi } from 'vitest'
import { operationKey } from '../../src/index.ts'
import { readEvent, signWebhook } from '../../src/webhooks/index.ts'
import { payment, secondary } from '../worker/support/events.ts'
import { newOrderId, ORIGIN } from '../worker/support/world.ts'
import { StoppableWorkerd } from './support/stoppable-workerd.ts'

it('hands the next event over, though the code for one ends the object each time, and gives that one up', async () => {
  let endsFor: string | undefined = 'purchase'
  const workerd = await StoppableWorkerd.start({ shopEnds: (method) => method === endsFor })
  onTestFinished(() => workerd.end())
  const deliver = async (event: Record<string, unknown>) => {
    const { body } = signWebhook(event, workerd.emulator.credentials.apiSecret)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const post = async () => (await workerd.fetch(`${ORIGIN}/webhooks`, { method: 'POST', headers, body })).status
    // The object may end while it stores the webhook: the service sends it again.
    await vi.waitFor(async () => expect(await post()).toBe(200), { timeout: 10_000, interval: 20 })
    return operationKey(readEvent(event))
  }
  const id = newOrderId('poison')
  const failing = async () =>
    (await workerd.api<{ events: { given_up: boolean }[] }>('/events?failing=true')).body.events[0]
  const poison = await deliver(payment(id))
  const healthy = await deliver(secondary(id, 'refund', { amount: 1 }))
  await vi.waitFor(() => expect(workerd.reported.get(healthy)).toBe(1), { timeout: 2_000, interval: 20 })
  await vi.waitFor(async () => expect(await failing()).toMatchObject({ given_up: false }), 20_000)
  for (let run = 0; run < 40 && !(await failing())?.given_up; run++) {
    await workerd.advance(6 * 3_600_000, [id]).catch(() => {})
  }
  expect(await failing()).toMatchObject({ attempts: 20, given_up: true })
  await vi.waitFor(() => expect(workerd.reported.get('on_event_given_up')).toBe(1), 10_000)
  // As if corrected code were deployed.
  endsFor = undefined
  const body = JSON.stringify({ since: new Date(0).toISOString() })
  expect(await workerd.api('/events/replay', { method: 'POST', body })).toMatchObject({ body: { queued: 1 } })
  // One that is queued again is not listed as failing, before it is reported too.
  await vi.waitFor(() => expect(workerd.reported.get(poison)).toBe(1), 10_000)
  await vi.waitFor(async () => expect(await failing()).toBeUndefined(), 10_000)
  expect(workerd.reported.get(healthy)).toBe(1)
}, 120_000)
