import type { KVNamespace, KVNamespaceListOptions } from '@cloudflare/workers-types'
import { expect, it } from 'vitest'
import app from '../../examples/receivers/worker-kv.ts'
import { eventKey, type Order } from '../../src/orders/index.ts'
import { prove } from '../../src/testing/index.ts'
import { readEvent, signWebhook } from '../../src/webhooks/index.ts'
import ids from '../corpus/order-ids.json' with { type: 'json' }
import { isLong, onNode } from '../support/environment.ts'
import { SEED } from '../support/property.ts'
import { payment } from '../worker/support/events.ts'
import { World } from '../worker/support/world.ts'

const SECRET = 'emulator-api-secret'
const bodyOf = (event: object | string) => signWebhook(event, SECRET).body

function create() {
  const world = new World()
  const kv = world.env().STATE as KVNamespace
  // More than one page for every order.
  const list = (asked: KVNamespaceListOptions) => kv.list({ ...asked, limit: 1 })
  const env = { STATE: { get: kv.get, put: kv.put, list }, API_SECRET: SECRET }
  const post = async (body: string) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return (await app.request('/webhooks', { method: 'POST', headers, body }, env)).status
  }
  const order = async (order_id: string) => {
    const response = await app.request(`/orders/${encodeURIComponent(order_id)}`, {}, env)
    return response.status === 200 ? response.json() : response.status
  }
  return { world, env, post, order }
}

it('stores each webhook under its key before the 200, and folds an order from them, whatever its id', async () => {
  const { world, post, order } = create()
  const paid = payment('A-1')
  for (const event of [paid, { ...paid, status: 'pending', processed_at: paid.created_at }, payment('A-1/2')]) {
    expect(await post(bodyOf(event))).toBe(200)
  }
  const stored = await world.stored('')
  expect(stored.size).toBe(3)
  for (const [key, record] of stored) {
    expect(key).toMatch(/^event\/[0-9a-f]{64}\/[\w-]{43}$/)
    expect(key.split('/')[2]).toBe(eventKey(readEvent(record as Record<string, unknown>)))
  }
  expect(await order('A-1')).toMatchObject({ status: 'success', totals: { captured_minor: 10_050 }, events: [{}, {}] })
  expect(await order('A')).toBe(404)
  for (const order_id of ids.awkward) {
    expect(await post(bodyOf(payment(order_id)))).toBe(200)
    expect(await order(order_id)).toMatchObject({ order_id, status: 'success' })
  }
})

it('keeps what is genuine and cannot be read, or names no order', async () => {
  const { world, post } = create()
  const { order_id: _, ...nameless } = payment('A-1')
  expect([await post(bodyOf('not JSON')), await post(bodyOf(nameless))]).toEqual([200, 200])
  const keys = await world.keys('stray/')
  expect(keys).toHaveLength(2)
  expect(await world.keys('')).toEqual(keys)
})

it('responds 503 while KV fails, and stores the webhook when it comes again', async () => {
  const { world, post, order } = create()
  world.kv.before = (action) => {
    if (action === 'put') throw new Error('KV PUT failed: 500')
  }
  expect([await post(bodyOf(payment('A-1'))), await post(bodyOf('not JSON'))]).toEqual([503, 503])
  expect(await world.keys('')).toEqual([])
  world.kv.before = undefined
  expect(await post(bodyOf(payment('A-1')))).toBe(200)
  expect(await order('A-1')).toMatchObject({ status: 'success' })
})

it('bears every attack of edgetill prove', { timeout: isLong ? 3_600_000 : 60_000 }, async () => {
  const { env, order, world } = create()
  const { findings } = await prove({
    url: 'https://shop.example.com/webhooks',
    fetch: async (input, init) => {
      // KV takes one write a second for a key.
      world.time += 1_000
      return app.request(new Request(input, init), undefined, env)
    },
    async state(order_id) {
      const found = await order(order_id)
      if (found === 404) return undefined
      const { totals } = found as Order
      return { paid: totals.captured_minor / 100, refunded: totals.refunded_minor / 100 }
    },
    orders: isLong && onNode ? 1_000 : 20,
    seed: SEED,
  })
  expect([SEED, findings]).toEqual([SEED, []])
})
