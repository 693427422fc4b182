// `npm test`: the whole worker in this process, over a KV as strict as the real one, against an emulator of the service.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCheckoutLink } from 'edgetill/checkout-link'
import { createEmulator, testCard } from 'edgetill/emulator'
import { createKvDouble } from 'edgetill/testing'
import { createApp } from '../worker/app.ts'
import type { Env } from '../worker/env.ts'
import { onEvent } from '../worker/on-event.ts'

const ORIGIN = 'https://pay.shop.example.com'
const LINK_SECRET = 'link-secret-of-the-tests-32-characters'
const ADMIN_TOKEN = 'admin-token-of-the-tests-32-characters'

/** Your shop's side: the worker on its own clock, and a customer who pays. */
function openShop() {
  let time = Date.parse('2026-03-01T10:00:00Z')
  const now = () => time
  const kv = createKvDouble({ now })
  const emulator = createEmulator({
    clock: { now },
    // The service's webhooks go to the worker.
    fetch: (input, init) => request(new Request(input, init)),
  })
  const { baseUrl, apiUrl, posId, scheme, apiKey, apiSecret, endpointsKey } = emulator.credentials
  const env = {
    STATE: kv.at<Env['STATE']>(),
    MODE: 'test',
    BASE_URL: baseUrl,
    API_URL: apiUrl,
    POS_ID: posId,
    SCHEME: scheme,
    API_KEY: apiKey,
    API_SECRET: apiSecret,
    ENDPOINTS_KEY: endpointsKey,
    LINK_SECRET,
    ADMIN_TOKEN,
  } as Env
  const app = createApp({ fetch: emulator.fetch as typeof fetch, now, onEvent })
  // KV takes one write a second for a key.
  const request = async (request: Request): Promise<Response> => {
    time += 2_000
    return app.fetch(request, env)
  }
  const get = (address: string) =>
    request(new Request(address, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` }, redirect: 'manual' }))

  return {
    get,
    linkFor: (order_id: string) =>
      createCheckoutLink({
        origin: ORIGIN,
        linkSecret: LINK_SECRET,
        now,
        order: {
          mode: 'hosted',
          method: 'purchase',
          amount: 100.5,
          currency: 'UAH',
          description: 'Two mugs',
          order_id,
          order_3ds_bypass: 'supported',
          customer_patronym: 'Ivanivna',
          customer_email: 'olena@example.com',
          customer_phone: '+380441234567',
        },
      }),
    /** Opens a link and pays on the service's page. */
    async pay(link: string, card: 'success' | 'declined'): Promise<void> {
      const opened = await get(link)
      assert.equal(opened.status, 303, await opened.text())
      const form = { cc_number: testCard(card), exp_month: '12', exp_year: '30', card_cvv: '123' }
      const init = { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' } as const
      await emulator.fetch(`${opened.headers.get('location')}`, init)
      await emulator.deliveries.idle()
    },
    async order(order_id: string) {
      const response = await get(`${ORIGIN}/api/orders/${order_id}`)
      return (await response.json()) as { status: string; totals: { captured: number }; flags: string[] }
    },
  }
}

test('the configuration is complete', async () => {
  assert.equal((await openShop().get(`${ORIGIN}/health`)).status, 200)
})

test('an order is paid', async () => {
  const shop = openShop()
  await shop.pay(await shop.linkFor('mugs-1001'), 'success')
  const { status, totals, flags } = await shop.order('mugs-1001')
  assert.deepEqual([status, totals.captured, flags], ['success', 10050, []])
})

test('a declined card charges nothing', async () => {
  const shop = openShop()
  await shop.pay(await shop.linkFor('mugs-1002'), 'declined')
  const { status, totals } = await shop.order('mugs-1002')
  assert.deepEqual([status, totals.captured], ['failure', 0])
})
