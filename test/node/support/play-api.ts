import { expect } from 'vitest'
import { signWebhook } from '../../../src/webhooks/index.ts'
import { payment } from '../../worker/support/events.ts'
import { ORDER, World } from '../../worker/support/world.ts'
import { createApiClient, type Send, type sendBy } from './api-client.ts'

/** Plays what a shop does, by every operation of `/api`, which `send` sends to a world's. @returns The requests. */
export async function playApi(sendTo: (fetch: Parameters<typeof sendBy>[0]) => Send) {
  let isDown = false
  const world = new World({
    onEvent: () => {
      if (isDown) throw new Error('the shop is down')
    },
  })
  const { call, unused, ...asked } = createApiClient(sendTo((path, init) => world.api(path, init)))
  const link = (order_id: string, more: object = {}) =>
    call<{ id: string; url: string }>('makeLink', { body: { order: { ...ORDER, order_id, ...more } } })
  const pay = async (order_id: string, more: object = {}) => {
    await world.pay(await world.open((await link(order_id, more)).url))
    await world.advance(11_000)
    return { order_id }
  }

  const paid = await pay('A-1', { method: 'auth' })
  const { version, events } = await call<{ version: string; events: { id: string }[] }>('getOrder', paid)
  await call('getOrderEvent', { ...paid, event_id: events[0]?.id })
  const key = (name: string) => ({ 'Idempotency-Key': name })
  await call('captureOrder', { ...paid, ...key('capture'), 'If-Match': version, body: { charge_amount: 60.5 } })
  await world.advance(11_000)
  world.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'refund-payment' })
  const refund = { ...paid, body: { refund_amount: 10 } }
  expect(await call('refundOrder', { ...refund, ...key('lost') })).toMatchObject({
    status: 502,
    code: 'outcome_unknown',
  })
  const { attempts } = await call<{ attempts: { id: string }[] }>('getOrder', paid)
  await call('settleAttempt', { ...paid, attempt_id: attempts[0]?.id, body: { executed: false } })
  expect(await call('refundOrder', { ...refund, ...key('refund') })).toMatchObject({ status: 200 })
  await call('voidOrder', { ...(await pay('A-2', { method: 'auth' })), ...key('void') })
  await world.open((await link('A-3')).url)
  expect(await call('cancelOrder', { order_id: 'A-3' })).toMatchObject({ status: 200 })
  await call('resendOrder', { ...paid, body: { operation: 'auth' } })
  await call('listBalances')

  await world.deliver(payment('unknown'))
  await world.advance(11_000)
  await call('addNote', { ...paid, body: { text: 'called the customer' } })
  const { items } = await call<{ items: { kind: string; order_id: string; flag?: string }[] }>('showAttention')
  const { order_id, kind, flag } = items.find((item) => item.order_id === 'unknown') ?? {}
  await call('finishAttention', { order_id, body: { kind, flag } })

  isDown = true
  await pay('A-4')
  const failing = await call<{ events: { id: string }[] }>('listFailingEvents', { failing: 'true', limit: 5 })
  const id = failing.events[0]?.id
  expect(await call('replayEvent', { id })).toMatchObject({ status: 502, handled: false })
  isDown = false
  expect(await call('replayEvents', { body: { since: '2026-03-01' } })).toMatchObject({ status: 202, queued: 1 })
  expect(await call('replayEvent', { id })).toMatchObject({ status: 200, handled: true })

  await world.post(signWebhook({ no: 'order' }, world.emulator.credentials.apiSecret).body)
  const { strays } = await call<{ strays: { id: string }[] }>('listStrays', { limit: 1 })
  await call('getStray', { id: strays[0]?.id })
  await call('finishStray', { id: strays[0]?.id })

  const page = await call<{ cursor: string }>('listOrders', { limit: 1, status: 'success' })
  await call('listOrders', { limit: 1, status: 'success', cursor: page.cursor })
  await call('listLinks', { state: 'paid' })
  await call('getLink', { id: (await link('A-5')).id })
  const terms = { mode: 'hosted', method: 'purchase', amount: 5, currency: 'UAH', order_3ds_bypass: 'supported' }
  const many = { order: { ...terms, order_id: 'cup', description: 'A cup' }, reusable: true }
  const { id: cup } = await call<{ id: string }>('makeLink', { body: many })
  await call('changeLink', { id: cup, body: { max_orders: 5 } })
  await call('revokeLink', { id: (await link('A-5')).id })
  const days = { from: '2026-03-01', to: '2026-03-02' }
  for (const list of ['listDays', 'listOperations']) await call(list, days)
  await call('listAudit')
  await call('erasePersonalData', paid)
  expect(unused).toEqual(new Set())
  return asked
}
