// `npm test`: your shop in this process, with an emulator of the service and doubles of KV and Durable Objects.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestShop, type TestShop } from 'edgetill/testing'
import type { Env } from '../worker/env.ts'
import { onAlert } from '../worker/on-alert.ts'
import { onEvent } from '../worker/on-event.ts'

/** `env` adds bindings of your own to the engine's: SHOP_TOKEN, `DB: createD1Double(schema)` of edgetill/testing. */
const openShop = () => createTestShop<Env>({ onEvent, onAlert, env: {} })

/** Fails with the text of each error that onEvent threw. */
async function assertHandled(shop: TestShop<Env>): Promise<void> {
  const failing = await shop.failing()
  const errors = failing.map(({ order_id, error }) => `onEvent failed for ${order_id}: ${error}`)
  assert.deepEqual(errors, [])
}

test('an order is paid', async () => {
  const shop = await openShop()
  const order = await shop.sell({ amount: 100.5 })
  await shop.pay(order)
  await assertHandled(shop)
  const { status, totals, flags } = await shop.order(order)
  assert.deepEqual([status, totals.captured_minor, flags], ['success', 10050, []])
})

test('a declined card charges nothing', async () => {
  const shop = await openShop()
  const order = await shop.sell({ amount: 100.5 })
  await shop.pay(order, { card: 'declined' })
  await assertHandled(shop)
  const { status, totals } = await shop.order(order)
  assert.deepEqual([status, totals.captured_minor], ['failure', 0])
})

test('what your shop does when an order is paid', async () => {
  const shop = await openShop()
  const order = await shop.sell({ amount: 100.5 })
  await shop.pay(order)
  await assertHandled(shop)
  // Assert here the effects of worker/on-event.ts: a row in your database, a call of your shop's server.
})
