import { expect } from 'vitest'
import { createBench, hosted, openCheckout, plain, post, SPLIT } from '../call.ts'
import { answersOnly, ENDPOINTS, endpoint, type Headers, send } from './caller.ts'
import { type Row, row, rows, type Section } from './row.ts'
import { cancel, payDirect, sendCancel } from './samples.ts'
import { OPTIONAL, RECURRING } from './targets.ts'

/** Paths, verbs and content types of each endpoint. */

/** The sentences that give an address and a verb, and the endpoint that each is about. */
const ADDRESSES: [Section, beginning: string, endpoint: string][] = [
  ['split', '`POST', 'split purchase'],
  ['create-payment', '`POST', 'payment creation'],
  ['capture', '`POST', 'capture'],
  ['cancel', '`POST', 'cancel'],
  ['resend', '`GET', 'webhook re-send'],
  ['balances', '| All accounts', 'all accounts'],
  ['balances', '| One account', 'one account'],
  ['beyond', '| void', 'void'],
  ['beyond', '| refund', 'refund'],
  ['beyond', '| split capture', 'split capture'],
  ['beyond', '| split refund', 'split refund'],
  ['beyond', "| order's operations", "order's operations"],
  ['beyond', '| recurring cancel', 'recurring cancel'],
]

export const endpointRows: Row[] = [
  ...ADDRESSES.map(([section, beginning, name]) =>
    row(section, beginning, (_, create) => answersOnly(create, endpoint(name))),
  ),
  row('cancel', '`POST', async (_, create) => {
    const mixedCase = ({ 'X-API-AUTH': auth = '', 'X-API-KEY': key = '' }: Headers): Headers => ({
      'X-API-Auth': auth,
      'X-API-Key': key,
    })
    expect((await send(create, endpoint('cancel'), { headers: mixedCase })).status).toBe(200)
  }),
  row('cancel', 'Path parameters: `pos_id`', async (bench) => {
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
  }),
  row('endpoints', 'All bodies are JSON unless', async ({ emulator }) => {
    for (const path of ['/api/v1/payment', '/api/v1/split/purchase', '/api/v1/capture']) {
      for (const body of ['', '{', '[]', 'null', '"text"', 'a=1']) {
        const response = await post(emulator, path, body)
        expect([path, body, response.status]).toEqual([path, body, 400])
        expect(await response.json()).toEqual({ message: expect.any(String), args: [] })
      }
    }
  }),
  row('versioning', 'The version is part of', async (_, create) => {
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
  row('intro', 'Addresses: `{base_url}`', async (_, create) => {
    const origin = 'http://127.0.0.1:4010'
    const { baseUrl, apiUrl } = create({ origin }).credentials
    expect([baseUrl, apiUrl]).toEqual([origin, `${origin}/balances-api`])
  }),
  ...rows(
    [
      'split-hosted: Successful response: HTTP',
      'recurring: Hosted: `POST',
      'errors: Hosted creation success',
      'service: Split payments divide one',
    ],
    async (_, create) => {
      const { emulator } = createBench({ origin: 'http://127.0.0.1:4010' }, create)
      for (const [order_id, more, path = '/api/v1/payment'] of [
        ['split', { split: SPLIT }, '/api/v1/split/purchase'],
        ['usual', OPTIONAL],
        ['auth', { method: 'auth' }],
        ['recurring', { init_recurring: RECURRING }],
      ] as const) {
        const response = await post(emulator, path, hosted(emulator, { ...more, order_id }))
        const location = response.headers.get('location') ?? ''
        expect([order_id, response.status, await response.text()]).toEqual([order_id, 303, ''])
        expect(location).toMatch(/^http:\/\/127\.0\.0\.1:4010\/api\/v1\/checkout\/[\w-]+\/form$/)
        const form = await emulator.fetch(location)
        expect([form.status, form.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
        expect(emulator.orders.get(order_id)?.split).toBe(order_id === 'split')
      }
    },
  ),
  row('versioning', 'Response and webhook parameter', async (bench) => {
    bench.emulator.faults.next({ kind: 'unknown_fields', on: 'create-payment' })
    bench.emulator.faults.next({ kind: 'unknown_fields' })
    expect(await payDirect(bench)).toHaveProperty('emulator_extra')
    await bench.emulator.deliveries.idle()
    expect(bench.received[0]?.event).toHaveProperty('emulator_extra')
  }),
]
