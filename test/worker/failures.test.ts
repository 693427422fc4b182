// A response of 500 and above is one line in the log, whatever was asked for and whatever went wrong.
import { expect, it } from 'vitest'
import { checkoutLinkId } from '../../src/checkout-link/index.ts'
import type { ShopEnv } from '../../src/shop/env.ts'
import { payment } from './support/events.ts'
import { LINK_SECRET, newOrderId, ORDER, ownLog, World } from './support/world.ts'

const [ID, OPENED] = [newOrderId('failing'), newOrderId('failing')]

/** An order that is authorized, whose first event `onEvent` has failed on; and a link that nobody has opened. */
async function prepared() {
  const world: World = new World({
    onEvent: () => {
      throw new Error('the shop is down')
    },
  })
  const body = JSON.stringify({ order: { ...ORDER, order_id: OPENED } })
  const made = await world.api('/api/links', { method: 'POST', body })
  const { url: link, short_url: short } = (await made.json()) as { url: string; short_url: string }
  await world.pay(await world.open(await world.link({ order_id: ID, method: 'auth' })))
  await world.advance(2_000)
  await world.idle()
  // A webhook that the request below leads to would log a line too.
  world.emulator.faults.next({ kind: 'delay', ms: 86_400_000, on: 'webhook' }, 9)
  const failing = world.object.rows("SELECT id FROM edgetill_log WHERE kind = 'event' AND error IS NOT NULL")
  return { world, link, short, event: String(failing[0]?.id) }
}

const service = (intercept: World['intercept']) => (world: World) => {
  world.intercept = intercept
}
const settings = (env: Partial<ShopEnv>) => (world: World) => {
  world.options.env = env
}
const objectOf = (fetch: () => Promise<Response>): ShopEnv['TILL'] => ({
  idFromName: (name) => name,
  get: () => ({ fetch }),
})
const fails = () => {
  throw new Error('failed: 500')
}

const CALLS = ['checkout', 'capture', 'cancel', 'resend', 'balances']
const STORED = ['webhook', 'checkout', 'result', 'order', 'capture', 'settle', 'erase', 'replay', 'revoke']
const LISTED = ['orders', 'events', 'replay', 'short']
/** Failures, and the requests below that lead to such a response, at least. */
const TROUBLES: Record<string, [happens: (world: World) => void, requests: string[]]> = {
  'the service responds 500': [service(async () => new Response('{}', { status: 500 })), CALLS],
  'the service responds in an unknown form': [service(async () => new Response('"x"')), CALLS],
  'the service cannot be reached': [
    service(() => Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } }))),
    CALLS,
  ],
  'KV fails': [({ kv }) => void Object.assign(kv, { before: fails }), ['webhook', 'stray', 'erase', 'strays']],
  'a credential is missing': [settings({ API_SECRET: '' }), [...CALLS, 'webhook']],
  'the admin token is missing': [settings({ ADMIN_TOKEN: '' }), ['order', 'capture', 'erase', 'events', 'strays']],
  'onEvent fails': [() => {}, ['replay']],
  'the storage of the shop’s object fails': [
    ({ object }) => void Object.assign(object, { before: fails }),
    [...STORED, ...LISTED],
  ],
  'the shop’s object fails': [
    settings({ TILL: objectOf(() => Promise.reject(new Error('reset'))) }),
    [...STORED, ...LISTED],
  ],
  'TILL is missing': [settings({ TILL: undefined as never }), [...STORED, ...LISTED]],
}

const ORDER_ROUTE = `/api/orders/${ID}`
const API: Record<string, (event: string, link: string) => string | Promise<string>> = {
  health: () => 'GET /health',
  orders: () => 'GET /api/orders',
  order: () => `GET ${ORDER_ROUTE}`,
  event: () => `GET ${ORDER_ROUTE}/events/x`,
  capture: () => `POST ${ORDER_ROUTE}/capture {"charge_amount":1}`,
  settle: () => `POST ${ORDER_ROUTE}/attempts/x/settle {"executed":true}`,
  cancel: () => `POST ${ORDER_ROUTE}/cancel {}`,
  resend: () => `POST ${ORDER_ROUTE}/resend {"operation":"auth"}`,
  erase: () => `DELETE ${ORDER_ROUTE}/personal-data`,
  events: () => 'GET /api/events?failing=true',
  replay: (event) => `POST /api/events/${event}/replay {}`,
  revoke: async (_, link) => `DELETE /api/links/${await checkoutLinkId(link, LINK_SECRET)}`,
  balances: () => 'GET /api/balances',
  strays: () => 'GET /api/strays',
}
const genuine = (world: World, payload: object | string) => world.post(world.signed(payload))
/** Every route that does something. */
const REQUESTS: Record<string, (one: Awaited<ReturnType<typeof prepared>>) => Promise<Response>> = {
  webhook: ({ world }) => genuine(world, payment(ID)),
  stray: ({ world }) => genuine(world, '[]'),
  checkout: ({ world, link }) => world.get(link),
  short: ({ world, short }) => world.get(short),
  result: ({ world }) => world.get(String(world.emulator.orders.get(ID)?.payments[0]?.result_url)),
  ...Object.fromEntries(
    Object.entries(API).map(([name, callOf]) => [
      name,
      async ({ world, link, event }) => {
        const [method = '', path = '', body] = (await callOf(event, link)).split(' ')
        return world.api(path, { method, headers: { 'idempotency-key': 'k' }, ...(body && { body }) })
      },
    ]),
  ),
}

const read = (lines: unknown[][]) => lines.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>)
/** The requests whose address names the order. */
const NAMED = /^(result|order|event|capture|settle|cancel|resend|erase)$/

it.each(Object.keys(TROUBLES))('is one line: %s', async (name) => {
  const [happens, requests] = TROUBLES[name] ?? [() => {}, []]
  const lines: [request: string, status: number, kinds: unknown[]][] = []
  for (const [request, send] of Object.entries(REQUESTS)) {
    const written: unknown[][] = []
    const status = await ownLog.run(written, async () => {
      const one = await prepared()
      happens(one.world)
      written.length = 0
      const { status } = await send(one)
      await one.world.idle()
      return status
    })
    // An alert is about the order, whatever failed.
    const own = read(written).filter(({ kind }) => kind !== 'flag')
    if (status < 500) continue
    lines.push([request, status, own.map(({ kind }) => kind)])
    for (const { kind, order_id, operation, error, attempt_id } of own) {
      if (kind === 'configuration' || kind === 'on_event_failed') continue
      const named = request === 'checkout' ? OPENED : NAMED.test(request) ? ID : undefined
      expect([request, order_id, error ?? attempt_id]).toEqual([request, named, expect.any(String)])
      if (kind === 'outcome_unknown') expect(operation).toBe(request)
    }
    expect(written.join()).not.toMatch(/customer|olena/)
  }
  expect(lines.filter(([, , kinds]) => kinds.length !== 1)).toEqual([])
  expect(lines.map(([request]) => request)).toEqual(expect.arrayContaining(requests))
})
