import { describe, expect, it } from 'vitest'
import { COMMON, DOES, ERRORS, ROUTES as EVERY_ROUTE, errorsOf, FILTERS } from '../../scripts/openapi/guide.ts'
import { checkoutLinkId } from '../../src/checkout-link/index.ts'
import { createApp } from '../../src/shop/app.ts'
import type { Order } from '../../src/shop/lib/shown-order.ts'
import { API } from '../../src/shop/routes/api.ts'
import type { Route } from '../../src/shop/routes/route.ts'
import { payment } from '../worker/support/events.ts'
import { LINK_SECRET, ORDER, World, type WorldOptions } from '../worker/support/world.ts'
import { checkResponse } from './support/api-client.ts'

/** The request of a route, where its values are not `{}` and the plain path. */
interface Said {
  values?: Record<string, string>
  headers?: Record<string, string>
  body?: string
  query?: string
}

const KEY = { 'idempotency-key': 'k' }
const PERSON = 'a-token-of-32-characters-for-olena'
const DAYS = 'from=2026-03-01&to=2026-03-01'
const LINK = JSON.stringify({ order: { ...ORDER, order_id: 'A-1' } })
/** A request that is right, by how its route ends. */
const RIGHT: [ending: RegExp, said: Said][] = [
  [/days$|operations$/, { query: DAYS }],
  [/GET.*events$/, { query: 'failing=true' }],
  [/events\/replay$/, { body: '{"since":"2026-03-01"}' }],
  [/POST.*links$/, { body: LINK }],
  [/PATCH/, { body: '{"max_orders":5}' }],
  [/settle$/, { body: '{"executed":true}' }],
  [/resend$/, { body: '{"operation":"purchase"}' }],
  [/notes$/, { body: '{"text":"x"}' }],
  [/done$/, { body: '{"kind":"flag"}' }],
]

const ROUTES = Object.entries<Route>(API)
const HOSTS = ['worker', 'server'] as const

/** A route in a separate world. */
function at(route: string, options: WorldOptions = {}) {
  const [method = '', path = ''] = route.split(' ')
  const world = new World(options)
  const right = RIGHT.find(([ending]) => ending.test(route))?.[1]
  return {
    world,
    send(sent: Said = {}): Promise<Response> {
      const { values = {}, headers = KEY, query = '', body = '{}' } = { ...right, ...sent }
      const filled = path.replaceAll(
        /:(\w+)/g,
        (_, name: string) => values[name] ?? (name === 'order_id' ? 'A-1' : 'x'),
      )
      const url = query ? `${filled}?${query}` : filled
      return world.api(url, { method, headers, ...(/^P/.test(method) && { body }) })
    },
  }
}
type Call = ReturnType<typeof at>
/** A request in a world that something has happened to; or what is said in one to which nothing has. */
type Scenario = Said | ((call: Call) => Promise<Response>)
const play = (scenario: Scenario, call: Call) => (typeof scenario === 'function' ? scenario(call) : call.send(scenario))

const answering =
  (answer: () => Promise<Response>): Scenario =>
  ({ world, send }) => {
    world.intercept = answer
    return send()
  }
const refused = () => Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } }))
const within =
  (env: NonNullable<WorldOptions['env']>, sent: Said = {}): Scenario =>
  ({ world, send }) => {
    world.options.env = env
    return send(sent)
  }
const people = (role: unknown) => ({ PEOPLE: JSON.stringify({ olena: { token: PERSON, role } }) })
const OLENA = { headers: { ...KEY, authorization: `Bearer ${PERSON}` } }

/** Requests that every route gets: each leads to an error of those routes that it concerns. */
const EVERYWHERE: Scenario[] = [
  ...[{}, { headers: {} }, { body: '[' }, { body: '{"misspelt":1}' }, { query: '' }],
  ...['state=x', 'limit=x', 'cursor=x'].flatMap((wrong) =>
    ['', `${DAYS}&`, 'failing=true&'].map((rest) => ({ query: rest + wrong })),
  ),
  { values: { order_id: 'x'.repeat(300) } },
  answering(refused),
  answering(async () => new Response('{}', { status: 401 })),
  answering(async () => new Response('"x"')),
  within({ PUBLIC_ORIGIN: '' }),
  { headers: { ...KEY, authorization: 'Bearer x' } },
  within(people('view'), OLENA),
  async ({ send }) => {
    const headers = { ...KEY, authorization: 'Bearer x', 'cf-connecting-ip': '192.0.2.1' }
    for (let i = 0; i < 10; i++) expect((await send({ headers })).status).toBe(401)
    return send({ headers })
  },
  within({ ADMIN_TOKEN: '' }),
  async ({ world, send }) => {
    world.options.onEvent = () => {}
    world.begin()
    const id = await checkoutLinkId(await world.link({ order_id: 'A-1' }), LINK_SECRET)
    world.kv.before = world.object.before = () => {
      throw new Error('KV failed: 500')
    }
    return send({ values: { id } })
  },
]

const KINDS = ['capture', 'refund', 'void'] as const
type Kind = (typeof KINDS)[number]

async function paid({ world }: Call, kind: Kind): Promise<void> {
  const method = kind === 'refund' ? 'purchase' : 'auth'
  await world.pay(await world.open(await world.link({ order_id: 'A-1', method })))
  await world.advance(2_000)
}
const first = ({ world }: Call, kind: Kind) =>
  world.api(`/api/orders/A-1/${kind}`, { method: 'POST', headers: { 'idempotency-key': 'first' } })
const attemptOf = async ({ world }: Call) =>
  ((await (await world.api('/api/orders/A-1')).json()) as Order).attempts[0]?.id ?? ''

/** An attempt whose outcome is lost: it was not executed. */
async function lost(call: Call, kind: Kind): Promise<void> {
  await paid(call, kind)
  call.world.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: `${kind}-payment` })
  expect((await first(call, kind)).status).toBe(502)
}

/** An attempt that never ends: its worker has died. */
async function died(call: Call, kind: Kind): Promise<void> {
  await paid(call, kind)
  const { world } = call
  const { promise: sent, resolve } = Promise.withResolvers<void>()
  world.intercept = (url) => {
    if (!url.endsWith(`/${kind}`)) return undefined
    resolve()
    return new Promise<Response>(() => {})
  }
  void first(call, kind)
  await sent
  world.object.restart()
}

async function attempts({ world }: Call, status: string): Promise<void> {
  for (const id of ['A-1', 'A-1~2']) await world.deliver(payment(id, { status }))
}

const CAPTURE = 'POST /api/orders/:order_id/capture'
const SETTLE = 'POST /api/orders/:order_id/attempts/:attempt_id/settle'

const after =
  (happen: (call: Call) => Promise<unknown>, then: Scenario = {}): Scenario =>
  async (call) => {
    await happen(call)
    return play(then, call)
  }
const settleIt: Scenario = async (call) => call.send({ values: { attempt_id: await attemptOf(call) } })

/** Cases that need a history: the three operations lead to the same, under their names. */
const HISTORIES: [route: string, scenario: Scenario][] = [
  [CAPTURE, after((call) => attempts(call, 'failure'))],
  [CAPTURE, after((call) => attempts(call, 'success'))],
  [CAPTURE, within({ PUBLIC_ORIGIN: '' }, { body: '{"order_currency":"UAH"}' })],
  ...(
    [
      { headers: { ...KEY, 'if-match': '1-0-0-0' } },
      ({ world, send }) => {
        // A backup was restored a moment ago.
        const set = 'UPDATE edgetill_version SET recovered_at = ?, backup_at = ?'
        world.object.storage().sql.exec(set, world.time, world.time - 1)
        return send()
      },
      async ({ send }) => {
        expect((await send()).status).toBe(200)
        return send({ body: '{"comment":"x"}' })
      },
      ({ world, send }) => {
        world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
        return send()
      },
      ({ world, send }) => {
        world.emulator.faults.next({ kind: 'status_code', status_code: '4153', on: 'capture-payment' })
        return send()
      },
      answering(async () => new Response('{}', { status: 422 })),
    ] as Scenario[]
  ).map((then): [string, Scenario] => [CAPTURE, after((call) => paid(call, 'capture'), then)]),
  // Any open one of the order is in the way of a new one.
  ...KINDS.flatMap((open): [string, Scenario][] => {
    const ofLost = (then: Scenario) => after((call) => lost(call, open), then)
    const again: Scenario = async (call) => {
      await call.world.advance(900_000)
      return first(call, open)
    }
    return [
      [CAPTURE, after((call) => died(call, open))],
      [CAPTURE, ofLost(answering(async () => new Response('{}', { status: 500 })))],
      [`POST /api/orders/:order_id/${open}`, ofLost(again)],
      [SETTLE, after((call) => died(call, open), settleIt)],
    ]
  }),
  [
    SETTLE,
    async (call) => {
      await lost(call, 'capture')
      const values = { attempt_id: await attemptOf(call) }
      expect((await call.send({ values, body: '{"executed":false}' })).status).toBe(200)
      return call.send({ values, body: '{"executed":false}' })
    },
  ],
  ['POST /api/orders/:order_id/refund', after((call) => paid(call, 'refund'), within(people({ refund: 5 }), OLENA))],
  [
    'POST /api/events/replay',
    ({ world, send }) => {
      world.options.onEvent = () => {}
      world.begin()
      return send({ body: '{"since":"2026-03-01","cursor":"x"}' })
    },
  ],
  [
    'POST /api/events/:id/replay',
    async ({ world, send }) => {
      world.options.onEvent = () => {
        throw new Error('the shop is down')
      }
      world.begin()
      await world.deliver(payment('A-1'))
      await world.advance(0)
      const { events } = (await (await world.api('/api/events?failing=true')).json()) as { events: { id: string }[] }
      delete world.options.onEvent
      world.begin()
      return send({ values: { id: events[0]?.id ?? '' } })
    },
  ],
  [
    'PATCH /api/links/:id',
    async ({ world, send }) => {
      // Of no certain customer.
      const { customer_email: _, customer_phone: __, customer_patronym: ___, ...order } = JSON.parse(LINK).order
      const body = JSON.stringify({ order, reusable: true })
      const { id } = (await (await world.api('/api/links', { method: 'POST', body })).json()) as { id: string }
      world.object.before = () => {
        throw new Error('the storage failed')
      }
      return send({ values: { id } })
    },
  ],
  ...['GET /api/links', 'GET /api/links/:id'].flatMap((list): [string, Scenario][] =>
    ['', 'cursor=x'].map((query) => [
      list,
      async ({ world, send }) => {
        const made = await world.api('/api/links', { method: 'POST', body: LINK })
        const { id } = (await made.json()) as { id: string }
        world.options.env = { PUBLIC_ORIGIN: '' }
        return send({ query, values: { id } })
      },
    ]),
  ),
]

describe('the table of routes in guides/shop-reference.md', () => {
  it('has the routes of the app, with every filter of a list', () => {
    const served = createApp({ now: Date.now }).routes.filter(
      ({ path, method }) => path.startsWith('/api/') && method !== 'ALL' && !path.endsWith('/'),
    )
    expect(served.map(({ method, path }) => `${method} ${path}`)).toEqual(Object.keys(API))
    expect([...FILTERS.keys()]).toEqual(Object.keys(API['GET /api/orders'].query ?? {}))
    expect([...DOES.values()].filter((does) => does === '')).toEqual([])
  })

  it('explains every code, and no other', () => {
    const codes = new Set([...COMMON, 'forbidden', 'closed', ...Object.values(EVERY_ROUTE).flatMap(errorsOf)])
    expect([...codes].sort()).toEqual([...ERRORS.keys()].sort())
  })

  it.each(HOSTS.flatMap((host) => ROUTES.map(([route, row]) => [host, route, row] as const)))(
    'on a %s, %s has its errors',
    async (host, route, row) => {
      const errors = errorsOf(row)
      const [method = '', path = ''] = route.split(' ')
      const seen = new Set<string>()
      const histories = HISTORIES.filter(([one]) => one === route).map(([, scenario]) => scenario)
      for (const scenario of [...EVERYWHERE, ...histories]) {
        const response = await play(scenario, at(route, { host }))
        if (response.ok) continue
        const template = path.replaceAll(/:(\w+)/g, '{$1}')
        const { code } = (await checkResponse(template, method.toLowerCase(), response)) as { code: string }
        expect([code, ERRORS.get(code)?.statuses.includes(response.status)]).toEqual([code, true])
        seen.add(code)
      }
      // These ask only the service.
      const asksService = /POST.*links$|balances/.test(route)
      const common = [...COMMON, ...(row.may === 'view' ? [] : ['forbidden'])].filter(
        (code) => code !== 'internal' && !(asksService && code === 'state'),
      )
      const twin = errors.filter((code) => /refund$|void$/.test(route) && !seen.has(code))
      expect([...seen, ...twin].sort()).toEqual([...common, ...errors].sort())
      expect(twin.filter((code) => code.endsWith('_not_executed'))).toEqual([])
    },
  )

  it('returns "internal" for what is not expected, without a word of it', async () => {
    const world = new World()
    const now = () => {
      throw new RangeError('a secret')
    }
    const headers = { authorization: `Bearer ${world.env().ADMIN_TOKEN}` }
    const response = await createApp({ now }).request(
      '/api/links',
      { method: 'POST', headers, body: LINK },
      world.env(),
    )
    const text = await response.text()
    expect([response.status, JSON.parse(text).code, text.includes('secret')]).toEqual([500, 'internal', false])
  })
})
