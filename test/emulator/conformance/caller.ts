import { expect } from 'vitest'
import { type Bench, createBench, type Json, openCheckout, plain, signed } from '../call.ts'
import type { Create } from './row.ts'
import { accountsUrl, DAILY, listAccounts, payDirect } from './samples.ts'
import * as targets from './targets.ts'

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
  /** Prepares the call; returns its address and body. */
  prepare(bench: Bench): Promise<{ url: string; body?: string }> | { url: string; body?: string }
}

const USUAL = { verb: 'POST', scheme: 'plain', key: true, json: true, ok: 200 } as const
const READING = { ...USUAL, verb: 'GET', json: false } as const
/** An address of the payment interface, with its body. */
const at = ({ emulator }: Bench, path: string, body?: Json) => ({
  url: emulator.credentials.baseUrl + path,
  ...(body && { body: JSON.stringify(body) }),
})

export const ENDPOINTS: Endpoint[] = [
  { ...full('split purchase', targets.splitDirect), scheme: 'hmac' },
  { ...full('payment creation', targets.hostedPayment), scheme: 'hmac' },
  {
    ...USUAL,
    name: 'cancel',
    json: false,
    async prepare(bench) {
      await openCheckout(bench.emulator)
      return at(bench, `/api/v1/pos/${bench.emulator.credentials.posId}/order/A-1/cancel`)
    },
  },
  { ...READING, name: 'all accounts', key: false, prepare: (bench) => ({ url: accountsUrl(bench) }) },
  {
    ...READING,
    name: 'one account',
    key: false,
    async prepare(bench) {
      const [account] = await listAccounts(bench)
      return { url: `${accountsUrl(bench)}/${String(account?.id)}` }
    },
  },
  { ...paidReading('webhook re-send', '/purchase?callback=true'), scheme: 'hmac' },
  paidReading("order's operations", ''),
  full('capture', targets.capture),
  full('refund', targets.refund),
  full('void', targets.voiding),
  full('split capture', targets.splitCapture),
  full('split refund', targets.splitRefund),
  {
    ...READING,
    name: 'recurring cancel',
    verb: 'PUT',
    async prepare(bench) {
      const { recurring } = await payDirect(bench, { init_recurring: DAILY })
      return { url: `${bench.emulator.credentials.apiUrl}/api/v1/recurring/${(recurring as Json).id}/cancel` }
    },
  },
]

/** Reads an order that is paid first. */
function paidReading(name: string, rest: string): Endpoint {
  return {
    ...READING,
    name,
    async prepare(bench) {
      await payDirect(bench)
      return at(bench, `/api/v1/pos/${bench.emulator.credentials.posId}/orders/A-1${rest}`)
    },
  }
}

function full(name: string, target: targets.Target): Endpoint {
  const prepare = async (bench: Bench) => at(bench, target.path, await target.full(bench, 1))
  return { ...USUAL, name, ok: target.ok, prepare }
}

export const endpoint = (name: string) => ENDPOINTS.find((one) => one.name === name) as Endpoint

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
  const prepared = createBench({}, create)
  const { url, body } = await prepare(prepared)
  const bench = createBench(strict ? { authentication: 'per-endpoint' } : {}, create)
  bench.emulator.restore(prepared.emulator.snapshot())
  const auth = row.scheme === 'hmac' ? await signed(bench.emulator, body ?? '') : plain(bench.emulator)
  const { 'X-API-KEY': key = '', ...authAlone } = auth
  const headers: Headers = row.key ? { ...authAlone, 'X-API-KEY': key } : authAlone
  const type = change.type === undefined ? (row.json ? 'application/json' : null) : change.type
  const verb = change.verb ?? row.verb
  return bench.emulator.fetch(url, {
    method: verb,
    headers: { ...(type === null ? {} : { 'content-type': type }), ...(change.headers?.(headers, bench) ?? headers) },
    ...(body === undefined || verb === 'GET' ? {} : { body }),
    redirect: 'manual',
  })
}

export async function answersOnly(create: Create, target: Endpoint): Promise<void> {
  expect((await send(create, target)).status).toBe(target.ok)
  const wrong = await send(create, target, { verb: target.verb === 'POST' ? 'PUT' : 'POST' })
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, target.verb])
  for (const type of ['text/plain', null]) {
    const { status } = await send(create, target, { type })
    expect(status).toBe(target.json ? 406 : target.ok)
  }
  const { status } = await send(create, target, { type: target.json ? 'Application/JSON; charset=utf-8' : null })
  expect(status).toBe(target.ok)
}

export async function refused(
  create: Create,
  target: Endpoint,
  headers: NonNullable<Change['headers']>,
  strict = true,
) {
  const response = await send(create, target, { headers }, strict)
  expect([target.name, response.status]).toEqual([target.name, 401])
  expect(await response.json()).toEqual({ message: expect.any(String), args: { code: 'S-404' } })
}

export function without(name: string): (headers: Headers) => Headers {
  return ({ [name]: _, ...rest }) => rest
}

/** Changes that make a header wrong in one place. */
const WRONG: Record<'X-API-AUTH' | 'X-API-KEY', ((value: string) => string)[]> = {
  'X-API-AUTH': [
    (value) => `X${value}`,
    (value) => value.replace('emulator-api-key', 'emulator-api-kez'),
    (value) => value.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    (value) => value.toLowerCase(),
  ],
  'X-API-KEY': [(value) => `${value}x`],
}

/** An endpoint needs a header, and needs it right. */
export async function needs(create: Create, target: Endpoint, name: keyof typeof WRONG): Promise<void> {
  await refused(create, target, without(name))
  for (const change of WRONG[name]) {
    await refused(create, target, (headers) => ({ ...headers, [name]: change(headers[name] ?? '') }))
  }
}
