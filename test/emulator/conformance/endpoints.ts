import { expect } from 'vitest'
import { createBench, hosted, openCheckout, plain, post, SPLIT } from '../call.ts'
import { answersOnly, ENDPOINTS, endpoint, type Headers, needsAuth, needsKey, send } from './caller.ts'
import { OPTIONAL, RECURRING } from './probe.ts'
import { type Row, row } from './row.ts'
import { cancel, payDirect, sendCancel } from './samples.ts'

/** Paths, verbs and content types of each endpoint. */

export const endpointRows: Row[] = [
  row(
    'split',
    '`POST {base_url}/api/v1/split/purchase`, headers `Content-Type: application/json`, `X-API-AUTH`, `X-API-KEY`.',
    async (create) => {
      await answersOnly(create, endpoint('split purchase'))
      await needsAuth(create, endpoint('split purchase'))
      await needsKey(create, endpoint('split purchase'))
    },
  ),
  row('create-payment', '`POST {base_url}/api/v1/payment`, same headers as above.', async (create) => {
    await answersOnly(create, endpoint('payment creation'))
    await needsAuth(create, endpoint('payment creation'))
    await needsKey(create, endpoint('payment creation'))
  }),
  row('capture', '`POST {base_url}/api/v1/capture`.', (create) => answersOnly(create, endpoint('capture'))),
  row(
    'cancel',
    '`POST {base_url}/api/v1/pos/{pos_id}/order/{order_id}/cancel`, no body; headers `X-API-Key` and `X-API-Auth`.',
    async (create) => {
      await answersOnly(create, endpoint('cancel'))
      await needsAuth(create, endpoint('cancel'))
      await needsKey(create, endpoint('cancel'))
      const mixedCase = ({ 'X-API-AUTH': auth = '', 'X-API-KEY': key = '' }: Headers): Headers => ({
        'X-API-Auth': auth,
        'X-API-Key': key,
      })
      expect((await send(create, endpoint('cancel'), { headers: mixedCase })).status).toBe(200)
    },
  ),
  row(
    'cancel',
    'Path parameters: `pos_id` (UUID, required), `order_id` (String, merchant order identifier, required).',
    async (create) => {
      const bench = createBench({}, create)
      const { baseUrl, posId } = bench.emulator.credentials
      for (const orderId of ['a/b', 'a?b#c', 'ключ 1', '100%25', 'A-1']) {
        await openCheckout(bench.emulator, { order_id: orderId })
        expect((await cancel(bench, orderId)).order_id).toBe(orderId)
      }
      expect((await sendCancel(bench, 'unknown')).status).toBe(404)
      const at = (pos: string, order: string) =>
        bench.emulator.fetch(`${baseUrl}/api/v1/pos/${pos}/order/${order}/cancel`, {
          method: 'POST',
          headers: plain(bench.emulator),
        })
      expect((await at('not-a-uuid', 'A-1')).status).toBe(400)
      expect((await at(posId.replace(/1$/, '2'), 'A-1')).status).toBe(401)
      expect((await at(posId, '')).status).toBe(404)
    },
  ),
  row('endpoints', 'All bodies are JSON unless stated.', async (create) => {
    const { emulator } = createBench({}, create)
    for (const path of ['/api/v1/payment', '/api/v1/split/purchase', '/api/v1/capture']) {
      for (const body of ['', '{', '[]', 'null', '"text"', 'a=1']) {
        const response = await post(emulator, path, body)
        expect([path, body, response.status]).toEqual([path, body, 400])
        expect(await response.json()).toEqual({ message: expect.any(String), args: [] })
      }
    }
  }),
  row('versioning', 'The version is part of the path: all paths start with `/api/v1`.', async (create) => {
    for (const target of ENDPOINTS) {
      const bench = createBench({}, create)
      const { url, body } = await target.prepare(bench)
      expect(new URL(url).pathname).toContain('/api/v1/')
      const other = await bench.emulator.fetch(url.replace('/api/v1/', '/api/v2/'), {
        method: target.verb,
        headers: { 'content-type': 'application/json', ...plain(bench.emulator) },
        ...(body === undefined ? {} : { body }),
      })
      expect(other.status).toBe(404)
    }
  }),
  row(
    'intro',
    'Addresses: `{base_url}` for the payment interface and `{api_url}` for the balances interface.',
    async (create) => {
      const { credentials } = create({ origin: 'http://127.0.0.1:4010' })
      expect([credentials.baseUrl, credentials.apiUrl]).toEqual([
        'http://127.0.0.1:4010',
        'http://127.0.0.1:4010/balances-api',
      ])
    },
  ),
  row('service', 'A created but unpaid hosted payment can be cancelled.', async (create) => {
    const bench = createBench({}, create)
    await openCheckout(bench.emulator)
    expect((await cancel(bench)).status).toBe('failure')
  }),
  row(
    'recurring',
    'Hosted: `POST {base_url}/api/v1/payment` with `mode` `hosted`, `method` `purchase`, `order_3ds_bypass`; successful response is HTTP 303 with `Location` holding the checkout address.',
    async (create) => {
      const { emulator } = createBench({}, create)
      const response = await post(emulator, '/api/v1/payment', hosted(emulator, { init_recurring: RECURRING }))
      expect(response.status).toBe(303)
      expect(response.headers.get('Location')).toMatch(
        /^http:\/\/emulator\.localhost\/api\/v1\/checkout\/[\w-]+\/form$/,
      )
    },
  ),
  row(
    'split-hosted',
    'Successful response: HTTP 303 with header `location` holding the checkout form address `{base_url}/api/v1/checkout/<checkout_id>/form`; the customer is redirected there.',
    async (create) => {
      const { emulator } = createBench({ origin: 'http://127.0.0.1:4010' }, create)
      for (const [path, body] of [
        ['/api/v1/split/purchase', hosted(emulator, { split: SPLIT })],
        ['/api/v1/payment', hosted(emulator, { order_id: 'A-2' })],
      ] as const) {
        const response = await post(emulator, path, body)
        const location = response.headers.get('location') ?? ''
        expect([response.status, await response.text()]).toEqual([303, ''])
        expect(location).toMatch(/^http:\/\/127\.0\.0\.1:4010\/api\/v1\/checkout\/[\w-]+\/form$/)
        const form = await emulator.fetch(location)
        expect([form.status, form.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      }
    },
  ),
  row('errors', 'Hosted creation success: HTTP 303.', async (create) => {
    const { emulator } = createBench({}, create)
    expect((await post(emulator, '/api/v1/payment', hosted(emulator, OPTIONAL))).status).toBe(303)
    expect((await post(emulator, '/api/v1/payment', hosted(emulator, { order_id: 'B', method: 'auth' }))).status).toBe(
      303,
    )
  }),
  row(
    'versioning',
    'Response and webhook parameter lists may be extended at any time; clients must ignore unknown fields.',
    async (create) => {
      const bench = createBench({}, create)
      bench.emulator.faults.next({ kind: 'unknown_fields', on: 'create-payment' })
      bench.emulator.faults.next({ kind: 'unknown_fields' })
      expect(await payDirect(bench)).toHaveProperty('emulator_extra')
      await bench.emulator.deliveries.idle()
      expect(bench.received[0]?.event).toHaveProperty('emulator_extra')
    },
  ),
]
