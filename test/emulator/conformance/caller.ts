import { expect } from 'vitest'
import { type Bench, createBench, direct, hosted, type Json, openCheckout, plain, SPLIT, signed } from '../call.ts'
import type { Create } from './row.ts'
import { listAccounts, payDirect } from './samples.ts'

/** One right request for each endpoint, and what becomes of it when it is changed in one place. */

export type Headers = Record<string, string>

/** An endpoint with a request that it answers, given the right headers. */
export interface Endpoint {
  name: string
  verb: 'GET' | 'POST' | 'PUT'
  scheme: 'hmac' | 'plain'
  key: boolean
  json: boolean
  ok: number
  /** What has to be there first; answers the address and the body. */
  prepare(bench: Bench): Promise<{ url: string; body?: string }> | { url: string; body?: string }
}

const PLAIN = { scheme: 'plain', key: true, ok: 200 } as const

export const ENDPOINTS: Endpoint[] = [
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
  beyond('refund', '/api/v1/refund', {}),
  beyond('void', '/api/v1/void', { method: 'auth' }),
  beyond('split capture', '/api/v1/split/capture', { method: 'auth' }, { charge_amount: 100.5, split: SPLIT }),
  beyond(
    'split refund',
    '/api/v1/split/refund',
    { split: SPLIT },
    { refund_amount: 100.5, split: SPLIT, currency: 'UAH' },
  ),
  {
    ...PLAIN,
    name: "order's operations",
    verb: 'GET',
    json: false,
    async prepare(bench) {
      await payDirect(bench)
      const { baseUrl, posId } = bench.emulator.credentials
      return { url: `${baseUrl}/api/v1/pos/${posId}/orders/A-1` }
    },
  },
  {
    ...PLAIN,
    name: 'recurring cancel',
    verb: 'PUT',
    json: false,
    async prepare(bench) {
      const { recurring } = await payDirect(bench, { init_recurring: { interval_unit: 'day', interval_count: 1 } })
      const { apiUrl } = bench.emulator.credentials
      return { url: `${apiUrl}/api/v1/recurring/${(recurring as { id: string }).id}/cancel` }
    },
  },
]

/** A secondary operation on an order that is paid first. */
function beyond(name: string, path: string, paid: Json, more: Json = {}): Endpoint {
  return {
    ...PLAIN,
    name,
    verb: 'POST',
    json: true,
    async prepare(bench) {
      await payDirect(bench, paid, paid.split === undefined ? '/api/v1/payment' : '/api/v1/split/purchase')
      const { baseUrl, posId } = bench.emulator.credentials
      const body = { pos_id: posId, order_id: 'A-1', order_currency: 'UAH', comment: 'Книга', ...more }
      return { url: baseUrl + path, body: JSON.stringify(body) }
    },
  }
}

export function endpoint(name: string): Endpoint {
  const found = ENDPOINTS.find((candidate) => candidate.name === name)
  if (found === undefined) throw new Error(`No endpoint ${name}`)
  return found
}

export interface Change {
  verb?: string
  type?: string | null
  headers?: (headers: Headers, bench: Bench) => Headers
}

/** One request on a new emulator, right but for the change. */
export async function send(
  create: Create,
  { prepare, ...row }: Endpoint,
  change: Change = {},
  strict = true,
): Promise<Response> {
  const bench = createBench(strict ? { authentication: 'per-endpoint' } : {}, create)
  const { url, body } = await prepareOn(bench, prepare)
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
async function prepareOn(bench: Bench, prepare: Endpoint['prepare']): Promise<{ url: string; body?: string }> {
  const { emulator } = bench
  const fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const body = typeof init.body === 'string' ? init.body : ''
    const first = await emulator.fetch(url, init)
    if (first.status !== 401) return first
    const headers = { ...(init.headers as Headers), ...(await signed(emulator, body)) }
    return emulator.fetch(url, { ...init, headers })
  }
  return prepare({ ...bench, emulator: { ...emulator, fetch: fetch as typeof emulator.fetch } })
}

export async function answersOnly(create: Create, target: Endpoint): Promise<void> {
  expect((await send(create, target)).status).toBe(target.ok)
  const wrong = await send(create, target, { verb: target.verb === 'POST' ? 'PUT' : 'POST' })
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, target.verb])
  for (const type of ['text/plain', null]) {
    const { status } = await send(create, target, { type })
    expect(status).toBe(target.json ? 406 : target.ok)
  }
  expect((await send(create, target, { type: target.json ? 'Application/JSON; charset=utf-8' : null })).status).toBe(
    target.ok,
  )
}

export async function refused(
  create: Create,
  target: Endpoint,
  headers: Change['headers'],
  strict = true,
): Promise<void> {
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

export const without =
  (name: string) =>
  ({ [name]: _, ...rest }: Headers): Headers =>
    rest

const AUTH_CHANGES: ((value: string) => string)[] = [
  (value) => `X${value}`,
  (value) => value.replace('emulator-api-key', 'emulator-api-kez'),
  (value) => value.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
  (value) => value.toLowerCase(),
]

export async function needsAuth(create: Create, target: Endpoint): Promise<void> {
  await refused(create, target, without('X-API-AUTH'))
  for (const change of AUTH_CHANGES) await refused(create, target, spoil('X-API-AUTH', change))
}

export async function needsKey(create: Create, target: Endpoint): Promise<void> {
  await refused(create, target, without('X-API-KEY'))
  await refused(
    create,
    target,
    spoil('X-API-KEY', (value) => `${value}x`),
  )
}
