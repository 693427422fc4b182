// `npm test`: your shop in this process, over SQLite in memory, with an emulator of the service.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createEmulator } from 'edgetill/emulator'
import { createShop } from 'edgetill/server'
import { type PayOptions, pay } from 'edgetill/testing'
import { sqlite } from 'edgetill/till'
import { onEvent } from './on-event.ts'

const ORIGIN = 'https://pay.shop.example.com'
const secrets = {
  LINK_SECRET: 'link-secret-of-the-test-32-characters',
  ADMIN_TOKEN: 'admin-token-of-the-test-32-characters',
}

/** Sells two mugs for 100.50, which a customer pays with a card. */
async function sell({ card = 'success' }: PayOptions = {}) {
  const emulator = createEmulator({ fetch: (input, init) => shop.fetch(new Request(input, init)) })
  const { baseUrl, apiUrl, posId, scheme, apiKey, apiSecret, endpointsKey } = emulator.credentials
  const service = { BASE_URL: baseUrl, API_URL: apiUrl, POS_ID: posId, SCHEME: scheme }
  const keys = { API_KEY: apiKey, API_SECRET: apiSecret, ENDPOINTS_KEY: endpointsKey }
  const config = { MODE: 'test', PUBLIC_ORIGIN: ORIGIN, ...service, ...keys, ...secrets }
  const failures: unknown[] = []
  const shop = createShop({
    database: sqlite(new DatabaseSync(':memory:')),
    config,
    fetch: emulator.fetch as typeof fetch,
    onEvent: async (...event) => {
      await Promise.resolve(onEvent(...event)).catch((error) => failures.push(error))
    },
  })
  const order = {
    ...{ mode: 'hosted', method: 'purchase', order_id: 'A-1', amount: 100.5, currency: 'UAH' },
    ...{ description: 'Two mugs', order_3ds_bypass: 'supported' },
  }
  const asked = new Request(`${ORIGIN}/api/links`, { method: 'POST', body: JSON.stringify({ order }) })
  const { url } = (await (await shop.api(asked, 'the test', 'all')).json()) as { url: string }
  const opened = await shop.fetch(new Request(url))
  await pay(opened.headers.get('location') ?? '', { card, fetch: emulator.fetch as typeof fetch }).catch(() => {})
  await emulator.deliveries.idle()
  // Waits for onEvent.
  await shop.stop()
  assert.deepEqual(failures, [])
  return shop.till
}

test('an order is paid, and refunded once for a key', async () => {
  const till = await sell()
  const { status, totals, flags } = (await till.order('A-1')) ?? assert.fail('no order')
  assert.deepEqual([status, totals.captured_minor, flags], ['success', 10050, []])
  const press = () => till.refund({ order_id: 'A-1', refund_amount: 30, order_currency: 'UAH' }, { key: 'a form' })
  const [one, two] = [await press(), await press()]
  assert.equal(one.outcome, 'done')
  assert.deepEqual(two, one)
  assert.equal((await till.order('A-1'))?.totals.refunded_minor, 3000)
})

test('a declined card charges nothing', async () => {
  const till = await sell({ card: 'declined' })
  const { status, totals } = (await till.order('A-1')) ?? assert.fail('no order')
  assert.deepEqual([status, totals.captured_minor], ['failure', 0])
})

// Assert here the effects of on-event.ts: a row in your database, a call of your program.
