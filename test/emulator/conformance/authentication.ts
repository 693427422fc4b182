import { expect } from 'vitest'
import { createBench, hosted, plain, post, SPLIT, signed } from '../call.ts'
import { type Change, ENDPOINTS, needs, refused, send, without } from './caller.ts'
import { type Row, row, rows } from './row.ts'
import { RECURRING } from './targets.ts'

/** Which headers each endpoint wants. */

export const authenticationRows: Row[] = [
  ...rows(['authentication: Invalid credentials on', 'balances: Header: `X-API-AUTH` only.'], async (_, create) => {
    for (const target of ENDPOINTS.filter(({ key }) => !key)) {
      await needs(create, target, 'X-API-AUTH')
      expect((await send(create, target, { headers: without('X-API-KEY') })).status).toBe(200)
    }
  }),
  row('authentication', '| X-API-AUTH | `SVC-HMAC-SHA1', async (_, create) => {
    for (const target of ENDPOINTS.filter(({ scheme }) => scheme === 'hmac')) {
      expect((await send(create, target)).status).toBe(target.ok)
      await needs(create, target, 'X-API-AUTH')
      const plainly: Change['headers'] = (headers, { emulator }) => ({
        ...headers,
        'X-API-AUTH': plain(emulator)['X-API-AUTH'] ?? '',
      })
      await refused(create, target, plainly)
      // Assumption: public material shows the plain scheme everywhere, so it is taken unless `per-endpoint` is asked for.
      expect((await send(create, target, { headers: plainly }, false)).status).toBe(target.ok)
      expect((await send(create, target, {}, false)).status).toBe(target.ok)
    }
    const { emulator } = createBench({ authentication: 'plain' }, create)
    const body = hosted(emulator, { init_recurring: RECURRING })
    expect((await post(emulator, '/api/v1/payment', body)).status).toBe(303)
    const hmac = await signed(emulator, JSON.stringify(body))
    expect((await post(emulator, '/api/v1/payment', body, hmac)).status).toBe(401)
  }),
  row('authentication', '| X-API-AUTH | `SVC <API_KEY>:<API_SECRET>`', async (_, create) => {
    for (const target of ENDPOINTS.filter(({ scheme }) => scheme === 'plain')) {
      expect((await send(create, target)).status).toBe(target.ok)
      await needs(create, target, 'X-API-AUTH')
      const bench = createBench({}, create)
      const { body } = await target.prepare(bench)
      const hmac = await signed(bench.emulator, body ?? '')
      await refused(create, target, (headers) => ({ ...headers, 'X-API-AUTH': hmac['X-API-AUTH'] ?? '' }), false)
    }
  }),
  ...rows(['authentication: | X-API-KEY', 'endpoints: Headers for'], async (_, create) => {
    for (const target of ENDPOINTS) await refused(create, target, () => ({}))
    for (const target of ENDPOINTS.filter(({ key }) => key)) await needs(create, target, 'X-API-KEY')
  }),
  row('authentication', "(`SVC` stands for the service's", async (_, create) => {
    const credentials = { scheme: 'OTHER', apiSecret: 'another secret' }
    const { emulator } = createBench({ authentication: 'per-endpoint', credentials }, create)
    const body = JSON.stringify(hosted(emulator))
    expect((await post(emulator, '/api/v1/payment', body, await signed(emulator, body))).status).toBe(303)
    const custom = createBench(
      { authentication: 'per-endpoint', signature: (bytes, secret) => `${bytes.length}.${secret}` },
      create,
    )
    const { apiKey, apiSecret, endpointsKey } = custom.emulator.credentials
    const mine = { 'x-api-auth': `SVC-HMAC-SHA1 ${apiKey}:${body.length}.${apiSecret}`, 'x-api-key': endpointsKey }
    expect((await post(custom.emulator, '/api/v1/payment', body, mine)).status).toBe(303)
  }),
  row('service', 'A merchant is identified', async ({ emulator }) => {
    for (const [path, body] of [
      ['/api/v1/payment', hosted(emulator)],
      ['/api/v1/split/purchase', hosted(emulator, { split: SPLIT })],
      ['/api/v1/capture', { order_id: 'A-1', order_currency: 'UAH' }],
    ] as const) {
      const pos_id = '11111111-1111-4111-8111-111111111111'
      expect((await post(emulator, path, { ...body, pos_id })).status).toBe(401)
      expect((await post(emulator, path, { ...body, pos_id: '1' })).status).toBe(400)
    }
  }),
]
