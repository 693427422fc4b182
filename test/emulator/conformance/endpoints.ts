import { expect } from 'vitest'
import { testCard } from '../../../src/emulator/index.ts'
import {
  type Bench,
  createBench,
  direct,
  get,
  hosted,
  type Json,
  openCheckout,
  plain,
  post,
  SPLIT,
  signed,
} from '../call.ts'
import { OPTIONAL, RECURRING } from './requests.ts'
import { type Create, type Row, row } from './row.ts'
import {
  available,
  cancel,
  capture,
  listAccounts,
  payDirect,
  payHosted,
  sendCancel,
  sendCapture,
  sendResend,
} from './samples.ts'

/** Paths, verbs, headers and credentials of each endpoint. */

type Headers = Record<string, string>

/** An endpoint with a request that it answers, given the right headers. */
interface Endpoint {
  name: string
  verb: 'GET' | 'POST'
  scheme: 'hmac' | 'plain'
  key: boolean
  json: boolean
  ok: number
  /** What has to be there first; answers the address and the body. */
  prepare(bench: Bench): Promise<{ url: string; body?: string }> | { url: string; body?: string }
}

const ENDPOINTS: Endpoint[] = [
  {
    name: 'split purchase',
    verb: 'POST',
    scheme: 'hmac',
    key: true,
    json: true,
    ok: 200,
    prepare: ({ emulator }) => ({
      url: `${emulator.credentials.baseUrl}/api/v1/split/purchase`,
      body: JSON.stringify(direct(emulator, { split: SPLIT, description: 'Книга' })),
    }),
  },
  {
    name: 'payment creation',
    verb: 'POST',
    scheme: 'hmac',
    key: true,
    json: true,
    ok: 303,
    prepare: ({ emulator }) => ({
      url: `${emulator.credentials.baseUrl}/api/v1/payment`,
      body: JSON.stringify(hosted(emulator, { description: 'Книга' })),
    }),
  },
  {
    name: 'capture',
    verb: 'POST',
    scheme: 'plain',
    key: true,
    json: true,
    ok: 200,
    async prepare(bench) {
      await payDirect(bench, { method: 'auth' })
      const { baseUrl, posId } = bench.emulator.credentials
      const body = JSON.stringify({ pos_id: posId, order_id: 'A-1', order_currency: 'UAH' })
      return { url: `${baseUrl}/api/v1/capture`, body }
    },
  },
  {
    name: 'cancel',
    verb: 'POST',
    scheme: 'plain',
    key: true,
    json: false,
    ok: 200,
    async prepare({ emulator }) {
      await openCheckout(emulator)
      const { baseUrl, posId } = emulator.credentials
      return { url: `${baseUrl}/api/v1/pos/${posId}/order/A-1/cancel` }
    },
  },
  {
    name: 'all accounts',
    verb: 'GET',
    scheme: 'plain',
    key: false,
    json: false,
    ok: 200,
    prepare: ({ emulator: { credentials } }) => ({
      url: `${credentials.apiUrl}/api/v1/balances/pos/${credentials.posId}/accounts`,
    }),
  },
  {
    name: 'one account',
    verb: 'GET',
    scheme: 'plain',
    key: false,
    json: false,
    ok: 200,
    async prepare(bench) {
      const { apiUrl, posId } = bench.emulator.credentials
      const [account] = await listAccounts(bench)
      return { url: `${apiUrl}/api/v1/balances/pos/${posId}/accounts/${String(account?.id)}` }
    },
  },
  {
    name: 'webhook re-send',
    verb: 'GET',
    scheme: 'hmac',
    key: true,
    json: false,
    ok: 200,
    async prepare(bench) {
      await payDirect(bench)
      const { baseUrl, posId } = bench.emulator.credentials
      return { url: `${baseUrl}/api/v1/pos/${posId}/orders/A-1/purchase?callback=true` }
    },
  },
]

function endpoint(name: string): Endpoint {
  const found = ENDPOINTS.find((candidate) => candidate.name === name)
  if (found === undefined) throw new Error(`No endpoint ${name}`)
  return found
}

interface Change {
  verb?: string
  type?: string | null
  headers?: (headers: Headers, bench: Bench) => Headers
}

/** One request on a new emulator, right but for the change. */
async function send(
  create: Create,
  { prepare, ...row }: Endpoint,
  change: Change = {},
  strict = true,
): Promise<Response> {
  const bench = createBench(strict ? { authentication: 'documented' } : {}, create)
  const relaxed = createBench({}, create)
  // Preparing takes requests of its own, which sign plainly; the emulator under test is the strict one.
  const { url, body } = await prepareOn(bench, relaxed, prepare)
  const auth = row.scheme === 'hmac' ? await signed(bench.emulator, body ?? '') : plain(bench.emulator)
  const { 'X-API-KEY': key = '', ...authAlone } = auth
  const headers: Headers = row.key ? { ...authAlone, 'X-API-KEY': key } : authAlone
  const type = change.type === undefined ? (row.json ? 'application/json' : null) : change.type
  const verb = change.verb ?? row.verb
  return bench.emulator.fetch(url, {
    method: verb,
    headers: {
      ...(type === null ? {} : { 'content-type': type }),
      ...(change.headers?.(headers, bench) ?? headers),
    },
    ...(body === undefined || verb === 'GET' ? {} : { body }),
    redirect: 'manual',
  })
}

/** Strict emulators refuse plain credentials on HMAC endpoints, so the preparing calls are signed for them. */
async function prepareOn(bench: Bench, _relaxed: Bench, prepare: Endpoint['prepare']) {
  const { emulator } = bench
  const signing: Bench = {
    ...bench,
    emulator: {
      ...emulator,
      fetch: async (input, init) => {
        const body = typeof init?.body === 'string' ? init.body : ''
        const first = await emulator.fetch(input, init)
        if (first.status !== 401) return first
        const headers = { ...(init?.headers as Headers), ...(await signed(emulator, body)) }
        return emulator.fetch(input, { ...init, headers })
      },
    },
  }
  return prepare(signing)
}

async function answersOnly(create: Create, target: Endpoint): Promise<void> {
  expect((await send(create, target)).status).toBe(target.ok)
  const wrong = await send(create, target, { verb: target.verb === 'GET' ? 'POST' : 'PUT' })
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, target.verb])
  for (const type of ['text/plain', null]) {
    const { status } = await send(create, target, { type })
    expect(status).toBe(target.json ? 406 : target.ok)
  }
  expect((await send(create, target, { type: target.json ? 'Application/JSON; charset=utf-8' : null })).status).toBe(
    target.ok,
  )
}

async function refused(create: Create, target: Endpoint, headers: Change['headers'], strict = true): Promise<void> {
  const response = await send(create, target, headers === undefined ? {} : { headers }, strict)
  expect([target.name, response.status]).toEqual([target.name, 401])
  const body = (await response.json()) as Json
  expect(body).toEqual({ message: expect.any(String), args: { code: 'S-404' } })
}

/** A header that is wrong in one place. */
const spoil =
  (name: string, change: (value: string) => string) =>
  (headers: Headers): Headers => ({
    ...headers,
    [name]: change(headers[name] ?? ''),
  })

const without =
  (name: string) =>
  ({ [name]: _, ...rest }: Headers): Headers =>
    rest

const AUTH_CHANGES: ((value: string) => string)[] = [
  (value) => `X${value}`,
  (value) => value.replace('emulator-api-key', 'emulator-api-kez'),
  (value) => value.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
  (value) => value.toLowerCase(),
]

async function needsAuth(create: Create, target: Endpoint): Promise<void> {
  await refused(create, target, without('X-API-AUTH'))
  for (const change of AUTH_CHANGES) await refused(create, target, spoil('X-API-AUTH', change))
}

async function needsKey(create: Create, target: Endpoint): Promise<void> {
  await refused(create, target, without('X-API-KEY'))
  await refused(
    create,
    target,
    spoil('X-API-KEY', (value) => `${value}x`),
  )
}

const rest = (name: string): string => `/api/v1/${name}`

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
  row('balances', 'Header: `X-API-AUTH` only.', async (create) => {
    for (const name of ['all accounts', 'one account']) {
      await needsAuth(create, endpoint(name))
      expect((await send(create, endpoint(name), { headers: without('X-API-KEY') })).status).toBe(200)
    }
  }),
  row('balances', 'Address base: `{api_url}`.', async (create) => {
    const { emulator } = createBench({}, create)
    const { baseUrl, apiUrl, posId } = emulator.credentials
    expect((await get(emulator, `${apiUrl}${rest(`balances/pos/${posId}/accounts`)}`)).status).toBe(200)
    expect((await get(emulator, `${baseUrl}${rest(`balances/pos/${posId}/accounts`)}`)).status).toBe(404)
    for (const path of ['payment', 'split/purchase', 'capture']) {
      const wrong = await emulator.fetch(`${apiUrl}${rest(path)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...plain(emulator) },
        body: '{}',
      })
      expect(wrong.status).toBe(404)
    }
  }),
  row(
    'balances',
    '| All accounts of a POS | `GET {api_url}/api/v1/balances/pos/{pos_id}/accounts` | Object with `accounts`: array of Account |',
    async (create) => {
      await answersOnly(create, endpoint('all accounts'))
      const accounts = await listAccounts(createBench({}, create))
      expect(accounts.map(({ currency }) => currency)).toEqual(['UAH', 'USD', 'EUR', 'XTS'])
      for (const account of accounts) {
        expect(Object.keys(account).sort()).toEqual(['balances', 'currency', 'id', 'name'])
        expect(Object.keys(account.balances as Json).sort()).toEqual(['available', 'rolling_reserve'])
      }
    },
  ),
  row(
    'balances',
    '| One account | `GET {api_url}/api/v1/balances/pos/{pos_id}/accounts/{account_id}` | One Account |',
    async (create) => {
      await answersOnly(create, endpoint('one account'))
      const bench = createBench({}, create)
      const { apiUrl, posId } = bench.emulator.credentials
      for (const account of await listAccounts(bench)) {
        const { balances, ...rest } = account as { balances: Json }
        const one = await get(bench.emulator, `${apiUrl}/api/v1/balances/pos/${posId}/accounts/${String(account.id)}`)
        expect(await one.json()).toEqual({
          ...rest,
          balances: { available: balances.available, rollingReserve: balances.rolling_reserve },
        })
      }
    },
  ),
  row('balances', 'Path parameters `pos_id` and `account_id` are UUIDs and required.', async (create) => {
    const bench = createBench({}, create)
    const { apiUrl, posId } = bench.emulator.credentials
    const [account] = await listAccounts(bench)
    const read = async (pos: string, more = '') =>
      (await get(bench.emulator, `${apiUrl}/api/v1/balances/pos/${pos}/accounts${more}`)).status
    expect(await read('not-a-uuid')).toBe(400)
    expect(await read('not-a-uuid', `/${String(account?.id)}`)).toBe(400)
    expect(await read(posId, '/not-a-uuid')).toBe(400)
    expect(await read(posId.replace(/1$/, '2'))).toBe(401)
    expect(await read(posId, '/11111111-1111-4111-8111-111111111111')).toBe(404)
  }),
  row('balances', 'HTTP codes: 200, 400, 401, 500 (see Errors).', async (create) => {
    const bench = createBench({}, create)
    bench.emulator.faults.next({ kind: 'server_error', status: 500, on: 'list-accounts' })
    const { apiUrl, posId } = bench.emulator.credentials
    const read = async (pos = posId, headers = plain(bench.emulator)) =>
      (await get(bench.emulator, `${apiUrl}/api/v1/balances/pos/${pos}/accounts`, headers)).status
    expect([await read(), await read(), await read('x'), await read(posId, {})]).toEqual([500, 200, 400, 401])
  }),
  row(
    'errors',
    'Balances endpoints: HTTP 200 success; 400 invalid data; 401 invalid credentials; 500 unexpected error.',
    async (create) => {
      for (const name of ['all accounts', 'one account']) {
        expect((await send(create, endpoint(name))).status).toBe(200)
        await refused(create, endpoint(name), without('X-API-AUTH'))
      }
      const bench = createBench({}, create)
      const { apiUrl } = bench.emulator.credentials
      const invalid = await get(bench.emulator, `${apiUrl}/api/v1/balances/pos/1/accounts/2`)
      expect(invalid.status).toBe(400)
      const names = ((await invalid.json()) as { args: Json[] }).args.map(({ field_name }) => field_name)
      expect(names).toEqual(['pos_id', 'account_id'])
    },
  ),
  row('authentication', 'Invalid credentials on balances yield HTTP 401.', async (create) => {
    for (const name of ['all accounts', 'one account']) await needsAuth(create, endpoint(name))
  }),
  row(
    'authentication',
    '| X-API-AUTH | `SVC-HMAC-SHA1 <API_KEY>:<SIGNATURE>` | split purchase, payment creation, recurring creation, webhook re-send |',
    async (create) => {
      for (const target of ENDPOINTS.filter(({ scheme }) => scheme === 'hmac')) {
        expect((await send(create, target)).status).toBe(target.ok)
        await needsAuth(create, target)
        const plainly: Change['headers'] = (headers, { emulator }) => ({
          ...headers,
          'X-API-AUTH': plain(emulator)['X-API-AUTH'] ?? '',
        })
        await refused(create, target, plainly)
        // Assumption: public material shows the plain scheme everywhere, so it is taken unless `documented` is asked for.
        expect((await send(create, target, { headers: plainly }, false)).status).toBe(target.ok)
        expect((await send(create, target, {}, false)).status).toBe(target.ok)
      }
      const { emulator } = createBench({ authentication: 'plain' }, create)
      const body = hosted(emulator, { init_recurring: RECURRING })
      expect((await post(emulator, '/api/v1/payment', body)).status).toBe(303)
      expect((await post(emulator, '/api/v1/payment', body, await signed(emulator, JSON.stringify(body)))).status).toBe(
        401,
      )
    },
  ),
  row('authentication', '| X-API-AUTH | `SVC <API_KEY>:<API_SECRET>` | capture, cancel, balances |', async (create) => {
    for (const target of ENDPOINTS.filter(({ scheme }) => scheme === 'plain')) {
      expect((await send(create, target)).status).toBe(target.ok)
      await needsAuth(create, target)
      const bench = createBench({}, create)
      const { body } = await target.prepare(bench)
      const hmac = await signed(bench.emulator, body ?? '')
      await refused(create, target, (headers) => ({ ...headers, 'X-API-AUTH': hmac['X-API-AUTH'] ?? '' }), false)
    }
  }),
  row(
    'authentication',
    '| X-API-KEY | `<ENDPOINTS_KEY>` | split purchase, payment creation, capture, webhook re-send (the cancel request uses the name `X-API-Key`; balances do not send it) |',
    async (create) => {
      for (const target of ENDPOINTS) {
        if (target.key) await needsKey(create, target)
        else expect((await send(create, target, { headers: without('X-API-KEY') })).status).toBe(200)
      }
    },
  ),
  row(
    'authentication',
    "(`SVC` stands for the service's own scheme name.) Computation of `<SIGNATURE>` for the HMAC scheme: not shown.",
    async (create) => {
      const credentials = { scheme: 'OTHER', apiSecret: 'another secret' }
      const { emulator } = createBench({ authentication: 'documented', credentials }, create)
      const body = JSON.stringify(hosted(emulator))
      expect((await post(emulator, '/api/v1/payment', body, await signed(emulator, body))).status).toBe(303)
      const custom = createBench(
        { authentication: 'documented', signature: (bytes, secret) => `${bytes.length}.${secret}` },
        create,
      )
      const { apiKey, apiSecret, endpointsKey } = custom.emulator.credentials
      const mine = { 'x-api-auth': `SVC-HMAC-SHA1 ${apiKey}:${body.length}.${apiSecret}`, 'x-api-key': endpointsKey }
      expect((await post(custom.emulator, '/api/v1/payment', body, mine)).status).toBe(303)
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
  row('endpoints', 'Headers for authentication are in the Authentication part.', async (create) => {
    for (const target of ENDPOINTS) await refused(create, target, () => ({}))
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
  row('service', 'A merchant is identified by a POS (`pos_id`, UUID).', async (create) => {
    const { emulator } = createBench({}, create)
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
  row('service', 'Account balances can be read.', async (create) => {
    const bench = createBench({}, create)
    expect(await available(bench)).toBe(1000)
    // 100.50 less 1.5 per cent and 0.10 (assumption: the document shows the parts of a fee, not its size).
    await payDirect(bench)
    expect(await available(bench)).toBe(1098.89)
    await payDirect(bench, { order_id: 'B', method: 'auth' })
    expect(await available(bench)).toBe(1098.89)
    await capture(bench, { order_id: 'B', charge_amount: 40 })
    expect(await available(bench)).toBe(1138.19)
    bench.emulator.control.refundPayment('B', 10)
    expect(await available(bench)).toBe(1128.19)
    await payDirect(bench, { order_id: 'C', currency: 'GBP', cc_number: testCard('fee_null') })
    expect(await available(bench, 'GBP')).toBe(100.5)
  }),
  row('service', 'A created but unpaid hosted payment can be cancelled.', async (create) => {
    const bench = createBench({}, create)
    await openCheckout(bench.emulator)
    expect((await cancel(bench)).status).toBe('failure')
  }),
  row(
    'resend',
    '`GET {base_url}/api/v1/pos/{pos_id}/orders/{order_id}/{operation}?callback=true`, headers `X-API-AUTH` and `X-API-KEY`.',
    async (create) => {
      await answersOnly(create, endpoint('webhook re-send'))
      await needsAuth(create, endpoint('webhook re-send'))
      await needsKey(create, endpoint('webhook re-send'))
    },
  ),
  row('resend', '| pos_id | UUID | yes | path |', async (create) => {
    const bench = createBench({}, create)
    await payDirect(bench)
    const { baseUrl, posId } = bench.emulator.credentials
    const read = async (pos: string) =>
      (await get(bench.emulator, `${baseUrl}/api/v1/pos/${pos}/orders/A-1/purchase?callback=true`)).status
    expect([await read(posId), await read('1'), await read(posId.replace(/1$/, '2'))]).toEqual([200, 400, 401])
  }),
  row('resend', '| order_id | String | yes | path, merchant order identifier |', async (create) => {
    const bench = createBench({}, create)
    for (const orderId of ['a/b', 'ключ', '50%']) {
      await payDirect(bench, { order_id: orderId })
      const answer = await sendResend(bench, 'purchase', 'callback=true', orderId)
      expect(((await answer.json()) as Json).order_id).toBe(orderId)
    }
    expect((await sendResend(bench, 'purchase', 'callback=true', 'unknown')).status).toBe(404)
  }),
  row('resend', '| operation | String | yes | path, operation name such as `purchase`, `void` |', async (create) => {
    const bench = createBench({}, create)
    await payDirect(bench, { method: 'auth' })
    bench.emulator.control.voidPayment('A-1')
    for (const [operation, status] of [
      ['auth', 200],
      ['void', 200],
      ['purchase', 404],
      ['capture', 404],
      ['steal', 400],
    ] as const) {
      const answer = await sendResend(bench, operation)
      expect([operation, answer.status]).toEqual([operation, status])
      if (status === 200) expect(((await answer.json()) as Json).method).toBe(operation)
    }
  }),
  row('resend', '| callback | Boolean | yes | query, must be `true` |', async (create) => {
    const bench = createBench({}, create)
    await payDirect(bench)
    await bench.emulator.deliveries.idle()
    for (const query of ['', 'callback=false', 'callback=1', 'callback=TRUE', 'callback=']) {
      expect([query, (await sendResend(bench, 'purchase', query)).status]).toEqual([query, 400])
    }
    expect((await sendResend(bench, 'purchase', 'callback=true')).status).toBe(200)
    await bench.emulator.deliveries.idle()
    expect(bench.received).toHaveLength(2)
  }),
  row(
    'resend',
    '| transactionId | String | no | query, recurring payments only, with operation `purchase`: one transaction of the recurring payment |',
    async (create) => {
      const bench = createBench({}, create)
      const { emulator } = bench
      await payHosted(bench, { init_recurring: { interval_unit: 'month', interval_count: 1 } })
      await emulator.clock.advance({ months: 2 })
      const transactions = emulator.orders.get('A-1')?.payments.map(({ transaction_id }) => transaction_id) ?? []
      expect(transactions).toHaveLength(3)
      for (const id of transactions) {
        const answer = (await (await sendResend(bench, 'purchase', `callback=true&transactionId=${id}`)).json()) as Json
        expect(answer.transaction_id).toBe(id)
      }
      expect((await sendResend(bench, 'purchase', 'callback=true&transactionId=unknown')).status).toBe(404)
      await payDirect(bench, { order_id: 'once' })
      const once = `callback=true&transactionId=${transactions[0]}`
      expect((await sendResend(bench, 'purchase', once, 'once')).status).toBe(400)
      expect((await sendResend(bench, 'refund', once)).status).toBe(400)
    },
  ),
  row(
    'resend',
    'Without `transactionId` the data of the latest transaction of the subscription is returned.',
    async (create) => {
      const bench = createBench({}, create)
      await payHosted(bench, { init_recurring: { interval_unit: 'day', interval_count: 1 } })
      await bench.emulator.clock.advance({ days: 3 })
      const latest = bench.emulator.orders.get('A-1')?.payments.at(-1)
      const answer = (await (await sendResend(bench, 'purchase')).json()) as Json
      expect([answer.transaction_id, answer.created_at]).toEqual([latest?.transaction_id, '2026-02-03T10:00:00.000'])
    },
  ),
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
  row('create-payment', 'Hosted with `auth`: response shape: not shown.', async (create) => {
    const { emulator } = createBench({ hostedAuthAnswer: 'record' }, create)
    const response = await post(emulator, '/api/v1/payment', hosted(emulator, { method: 'auth' }))
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ method: 'auth', mode: 'hosted', status: 'init' })
  }),
  row('limits', 'Relation between the sum of split amounts and the payment `amount`: not shown.', async (create) => {
    for (const [splitSum, status] of [
      ['any', 303],
      ['exact', 400],
    ] as const) {
      const { emulator } = createBench({ splitSum }, create)
      const short = hosted(emulator, { split: [{ ...SPLIT[0], amount: 1 }] })
      expect((await post(emulator, '/api/v1/split/purchase', short)).status).toBe(status)
      const exact = hosted(emulator, { split: SPLIT, order_id: 'B' })
      expect((await post(emulator, '/api/v1/split/purchase', exact)).status).toBe(303)
    }
  }),
  row('limits', 'Rate limits: not shown.', async (create) => {
    const { emulator } = createBench({}, create)
    emulator.faults.next({ kind: 'too_many_requests', retryAfter: 7 })
    const limited = await post(emulator, '/api/v1/payment', hosted(emulator))
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7'])
    expect((await post(emulator, '/api/v1/payment', hosted(emulator))).status).toBe(303)
  }),
  row(
    'errors',
    'Response to a cancel request for a payment that does not meet the conditions: not shown.',
    async (create) => {
      const bench = createBench({}, create)
      await payDirect(bench)
      const refusal = await sendCancel(bench)
      expect(refusal.status).toBe(400)
      const { args } = (await refusal.json()) as { args: Json[] }
      expect(args.map(({ field_name }) => field_name)).toEqual(['status', 'mode'])
    },
  ),
  row('errors', 'Response to a capture request whose precondition is unmet: not shown.', async (create) => {
    const bench = createBench({}, create)
    expect((await sendCapture(bench)).status).toBe(404)
    await payDirect(bench)
    const refusal = await sendCapture(bench)
    expect(refusal.status).toBe(400)
    expect(((await refusal.json()) as { args: Json[] }).args[0]).toMatchObject({ field_name: 'order_id' })
  }),
  row('errors', 'Error body format for failed requests: not shown.', async (create) => {
    const { emulator } = createBench({}, create)
    const invalid = await post(emulator, '/api/v1/payment', hosted(emulator, { amount: 0 }))
    expect(await invalid.json()).toEqual({
      message: 'Invalid parameters',
      args: [{ field_name: 'amount', violation: 'must be a positive number with at most 2 decimal digits' }],
    })
    await post(emulator, '/api/v1/payment', hosted(emulator))
    const taken = await post(emulator, '/api/v1/payment', hosted(emulator))
    expect([taken.status, await taken.json()]).toEqual([400, { message: expect.any(String), args: { code: 'P-409' } }])
  }),
  row('errors', 'HTTP status codes of the payment endpoints other than 303: not shown.', async (create) => {
    const bench = createBench({}, create)
    expect((await post(bench.emulator, '/api/v1/payment', direct(bench.emulator))).status).toBe(200)
    const unknown = await bench.emulator.fetch(`${bench.emulator.credentials.baseUrl}/api/v1/refund`, {
      method: 'POST',
    })
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { message: 'No such path', args: { code: 'EMULATOR-404' } },
    ])
  }),
  row('split-direct', 'HTTP status code of this response: not shown.', async (create) => {
    const { emulator } = createBench({}, create)
    expect((await post(emulator, '/api/v1/split/purchase', direct(emulator, { split: SPLIT }))).status).toBe(200)
  }),
  row('recurring', 'Path for the direct recurring request: not shown.', async (create) => {
    const bench = createBench({}, create)
    expect((await payDirect(bench, { init_recurring: RECURRING })).recurring).toBeDefined()
    const split = { init_recurring: RECURRING, split: SPLIT, order_id: 'B' }
    expect((await payDirect(bench, split, '/api/v1/split/purchase')).recurring).toBeDefined()
  }),
  row('create-payment', 'Whether `split` applies to `auth`: not shown.', async (create) => {
    const { emulator } = createBench({}, create)
    expect((await post(emulator, '/api/v1/payment', hosted(emulator, { method: 'auth', split: SPLIT }))).status).toBe(
      303,
    )
    const wrong = hosted(emulator, { method: 'auth', split: 'half', order_id: 'B' })
    expect((await post(emulator, '/api/v1/payment', wrong)).status).toBe(400)
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
