import { describe, expect, it } from 'vitest'
import { COMMON, ERRORS, FILTERS, ROUTES } from '../../scripts/openapi/guide.ts'
import { checkoutLinkId } from '../../src/checkout-link/index.ts'
import { createApp } from '../../src/shop/app.ts'
import { API_ROUTES } from '../../src/shop/routes/api.ts'
import type { Order } from '../../src/shop/store/order.ts'
import { payment } from '../worker/support/events.ts'
import { LINK_SECRET, ORDER, ORIGIN, World, type WorldOptions } from '../worker/support/world.ts'
import { checkResponse } from './support/api-client.ts'

interface Call {
  world: World
  /** Sends the route's request with these values in its path. */
  send(values?: Record<string, string>, init?: RequestInit, query?: string): Promise<Response>
}
type Scenario = (call: Call) => Promise<Response>

const KEY = { 'idempotency-key': 'k' }
const REFUSED = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })

/** An order that is authorized or paid. */
async function paid({ world }: Call, kind: string): Promise<void> {
  const method = kind === 'refund' ? 'purchase' : 'auth'
  await world.pay(await world.open(await world.link({ order_id: 'A-1', method })))
  await world.advance(2_000)
}

const operations = { capture: 'capture-payment', refund: 'refund-payment', void: 'void-payment' } as const
type Operation = keyof typeof operations

/** An attempt whose outcome is lost, and its id. */
async function lost(call: Call, kind: Operation, when: 'before_commit' | 'after_commit'): Promise<string> {
  const { world } = call
  await paid(call, kind)
  world.emulator.faults.next({ kind: 'reset', when, on: operations[kind] })
  const init = { method: 'POST', headers: { 'idempotency-key': 'first' } }
  expect((await world.api(`/api/orders/A-1/${kind}`, init)).status).toBe(502)
  const { attempts } = (await (await world.api('/api/orders/A-1')).json()) as Order
  return attempts[0]?.id ?? ''
}

const connection: Scenario = ({ world, send }) => {
  world.intercept = () => Promise.reject(REFUSED)
  return send({}, { headers: KEY })
}

function operation(kind: Operation): Record<string, Scenario> {
  const again = (send: Call['send'], key: string, body = '{}') =>
    send({}, { headers: { 'idempotency-key': key }, body })
  return {
    idempotency_key_missing: ({ send }) => send(),
    invalid_json: ({ send }) => send({}, { headers: KEY, body: '[' }),
    not_found: ({ send }) => send({ order_id: 'nobody' }, { headers: KEY }),
    not_paid: async (call) => {
      for (const id of ['A-1', 'A-1~2']) await call.world.deliver(payment(id, { status: 'failure' }))
      return again(call.send, 'k')
    },
    paid_twice: async (call) => {
      for (const id of ['A-1', 'A-1~2']) await call.world.deliver(payment(id))
      return again(call.send, 'k')
    },
    order_changed: async (call) => {
      await paid(call, kind)
      return call.send({}, { headers: { ...KEY, 'if-match': '1-0-0-0' } })
    },
    order_rebuilt: async (call) => {
      await paid(call, kind)
      const { sql } = call.world.gate.storage('A-1')
      for (const table of ['event', 'fact']) sql.exec(`DELETE FROM ${table}`)
      return again(call.send, 'k')
    },
    no_server_url: ({ send }) => send({ order_id: 'nobody' }, { headers: KEY, body: '{"order_currency":"UAH"}' }),
    invalid_input: async (call) => {
      await paid(call, kind)
      return again(call.send, 'k', '{"misspelt":1}')
    },
    idempotency_key_reused: async (call) => {
      await paid(call, kind)
      expect((await again(call.send, 'k')).status).toBe(200)
      return again(call.send, 'k', '{"description":"x"}')
    },
    connection: async (call) => {
      await paid(call, kind)
      return connection(call)
    },
    // Of an order that its gate does not know, the service is asked first.
    unexpected_response: ({ world, send }) => {
      world.intercept = () => Promise.resolve(new Response('"x"'))
      return send({ order_id: 'nobody' }, { headers: KEY })
    },
    api: async (call) => {
      await paid(call, kind)
      call.world.emulator.faults.next({ kind: 'too_many_requests', retryAfter: 60, on: operations[kind] })
      return again(call.send, 'k')
    },
    outcome_unknown: async (call) => {
      await paid(call, kind)
      call.world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: operations[kind] })
      return again(call.send, 'k')
    },
    // Any open one of the order is in the way of a new one.
    ...Object.fromEntries(
      (Object.keys(operations) as Operation[]).flatMap((open): [string, Scenario][] => [
        [
          `${open}_in_progress`,
          async (call) => {
            await died(call, open)
            return again(call.send, 'second')
          },
        ],
        [
          `${open}_unsettled`,
          async (call) => {
            await lost(call, open, 'before_commit')
            call.world.intercept = () => Promise.resolve(new Response('{}', { status: 500 }))
            return again(call.send, 'second')
          },
        ],
      ]),
    ),
    [`${kind}_not_executed`]: async (call) => {
      await lost(call, kind, 'before_commit')
      await call.world.advance(900_000)
      return again(call.send, 'first')
    },
  }
}

/** A call of this operation that never ends: its worker has died. */
async function died(call: Call, kind: Operation): Promise<void> {
  const { world } = call
  await paid(call, kind)
  const sent = new Promise<void>((resolve) => {
    world.intercept = (url) => {
      if (!url.endsWith(`/${kind}`)) return undefined
      resolve()
      return new Promise<Response>(() => {})
    }
  })
  void world.api(`/api/orders/A-1/${kind}`, { method: 'POST', headers: { 'idempotency-key': 'first' } })
  await sent
  world.gate.restart()
}

const inProgress =
  (kind: Operation): Scenario =>
  async (call) => {
    await died(call, kind)
    const { attempts } = (await (await call.world.api('/api/orders/A-1')).json()) as Order
    return call.send({ attempt_id: attempts[0]?.id ?? '' }, { body: '{"executed":true}' })
  }

/** What a body can be that is none, or says nothing. */
const bodies: Record<string, Scenario> = {
  invalid_json: ({ send }) => send({}, { body: '[' }),
  invalid_input: ({ send }) => send({}, { body: '{}' }),
}
const list: Record<string, Scenario> = {
  invalid_limit: ({ send }) => send({}, {}, 'failing=true&limit=0'),
  invalid_cursor: ({ send }) => send({}, {}, 'failing=true&cursor=x'),
}
const ofStrays: Record<string, Scenario> = {
  invalid_limit: ({ send }) => send({}, {}, 'limit=0'),
  invalid_cursor: ({ send }) => send({}, {}, 'cursor=x'),
}
const unknown: Record<string, Scenario> = { not_found: ({ send }) => send() }

/** How each error of each route comes about. */
const SCENARIOS: Record<string, Record<string, Scenario>> = {
  'GET /api/orders': { ...ofStrays, invalid_parameter: ({ send }) => send({}, {}, 'flag=x') },
  'GET /api/attention': {},
  'GET /api/orders/:order_id': unknown,
  'GET /api/orders/:order_id/events/:event_id': unknown,
  'POST /api/orders/:order_id/capture': operation('capture'),
  'POST /api/orders/:order_id/refund': operation('refund'),
  'POST /api/orders/:order_id/void': operation('void'),
  'POST /api/orders/:order_id/attempts/:attempt_id/settle': {
    ...bodies,
    not_found: ({ send }) => send({}, { body: '{"executed":true}' }),
    already_settled: async (call) => {
      const attempt_id = await lost(call, 'capture', 'before_commit')
      const init = { body: '{"executed":false}' }
      expect((await call.send({ attempt_id }, init)).status).toBe(200)
      return call.send({ attempt_id }, init)
    },
    capture_in_progress: inProgress('capture'),
    refund_in_progress: inProgress('refund'),
    void_in_progress: inProgress('void'),
  },
  'POST /api/orders/:order_id/cancel': {
    connection,
    invalid_input: ({ send }) => send({ order_id: 'x'.repeat(300) }),
    // Paid already.
    api: async ({ world, send }) => {
      await world.pay(await world.open(await world.link({ order_id: 'A-1' })))
      return send()
    },
    outcome_unknown: async ({ world, send }) => {
      await world.open(await world.link({ order_id: 'A-1' }))
      world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'cancel-payment' })
      return send()
    },
  },
  'POST /api/orders/:order_id/resend': {
    ...bodies,
    connection: ({ world, send }) => {
      world.intercept = () => Promise.reject(REFUSED)
      return send({}, { body: '{"operation":"purchase"}' })
    },
    api: ({ send }) => send({}, { body: '{"operation":"purchase"}' }),
    unexpected_response: ({ world, send }) => {
      world.intercept = () => Promise.resolve(new Response('[]'))
      return send({}, { body: '{"operation":"purchase"}' })
    },
  },
  'DELETE /api/orders/:order_id/personal-data': {},
  'POST /api/orders/:order_id/notes': {
    ...bodies,
    not_found: ({ send }) => send({}, { body: '{"text":"x"}' }),
  },
  'POST /api/orders/:order_id/attention/done': {
    ...bodies,
    not_found: ({ send }) => send({}, { body: '{"kind":"flag"}' }),
  },
  'GET /api/days': { invalid_parameter: ({ send }) => send() },
  'GET /api/operations': {
    invalid_parameter: ({ send }) => send(),
    invalid_limit: ({ send }) => send({}, {}, 'from=2026-03-01&to=2026-03-01&limit=0'),
    invalid_cursor: ({ send }) => send({}, {}, 'from=2026-03-01&to=2026-03-01&cursor=x'),
  },
  'GET /api/audit': ofStrays,
  'GET /api/events': { ...list, invalid_parameter: ({ send }) => send() },
  'POST /api/events/replay': {
    ...bodies,
    no_on_event: ({ send }) => send({}, { body: '{"since":"2026-03-01"}' }),
    invalid_cursor: ({ world, send }) => {
      world.options.onEvent = () => {}
      world.begin()
      return send({}, { body: '{"since":"2026-03-01","cursor":"x"}' })
    },
  },
  'POST /api/events/:id/replay': {
    ...unknown,
    no_on_event: async ({ world, send }) => {
      world.options.onEvent = () => {
        throw new Error('the shop is down')
      }
      world.begin()
      await world.deliver(payment('A-1'))
      await world.advance(0)
      const { events } = (await (await world.api('/api/events?failing=true')).json()) as { events: { id: string }[] }
      delete world.options.onEvent
      world.begin()
      return send({ id: events[0]?.id ?? '' })
    },
  },
  'POST /api/links': {
    ...bodies,
    no_origin: ({ send }) => send({}, { body: JSON.stringify({ order: { ...ORDER, order_id: 'A-1' } }) }),
  },
  'GET /api/links': {
    ...ofStrays,
    invalid_parameter: ({ send }) => send({}, {}, 'state=x'),
    no_origin: async ({ world, send }) => {
      world.options.env = { PUBLIC_ORIGIN: ORIGIN }
      await world.api('/api/links', { method: 'POST', body: JSON.stringify({ order: { ...ORDER, order_id: 'A-1' } }) })
      world.options.env = { PUBLIC_ORIGIN: '' }
      return send()
    },
  },
  'DELETE /api/links/:id': unknown,
  'GET /api/balances': {
    connection,
    api: ({ world, send }) => {
      world.intercept = () => Promise.resolve(new Response('{}', { status: 401 }))
      return send()
    },
    unexpected_response: ({ world, send }) => {
      world.intercept = () => Promise.resolve(new Response('"x"'))
      return send()
    },
  },
  'GET /api/strays': ofStrays,
  'GET /api/strays/:id': unknown,
}

/** A route's request in a world of its own. */
function callOf(route: string, options: WorldOptions = {}, token?: string): Call {
  const [method = '', path = ''] = route.split(' ')
  const world = new World({ kind: 'strict', ...options })
  const send: Call['send'] = (values = {}, init = {}, query = '') => {
    const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? (name === 'order_id' ? 'A-1' : 'x'))
    const headers = { ...(token !== undefined && { authorization: token }), ...(init.headers as object) }
    return world.api(filled + (query && `?${query}`), { method, ...init, headers })
  }
  return { world, send }
}

/** The code and the status of an error, which is as guides/shop-openapi.json describes it. */
async function codeOf(route: string, response: Response): Promise<[string, number]> {
  const [method = '', path = ''] = route.split(' ')
  const template = path.replaceAll(/:(\w+)/g, '{$1}')
  const { code } = (await checkResponse(template, method.toLowerCase(), response)) as { code: string }
  return [code, response.status]
}

const scenarioOf = (route: string, code: string) => SCENARIOS[route]?.[code] as Scenario
const ROWS = ROUTES.flatMap(({ route, errors }) => errors.map((code) => ({ route, code })))
const optionsOf = (code: string): WorldOptions =>
  code === 'no_origin' || code === 'no_server_url' ? { env: { PUBLIC_ORIGIN: '' } } : {}

/** What leads to each code at the first route that has it. The three operations lead to the same, under their names. */
const LEADING = Object.entries<Scenario>(
  Object.assign(
    { 'a long order_id': ({ send }: Call) => send({ order_id: 'x'.repeat(300) }) },
    ...Object.values(SCENARIOS).toReversed(),
  ),
).filter(([code]) => !/^(refund|void)_/.test(code))

/** What a route's request says where nothing else is said. */
function bodyOf(route: string): RequestInit {
  if (route.endsWith('resend')) return { body: '{"operation":"purchase"}' }
  if (route.endsWith('settle')) return { body: '{"executed":true}' }
  return {}
}

describe('the table of routes in guides/shop-reference.md', () => {
  it('has the routes of the app and their query parameters, and no other', () => {
    const routes = API_ROUTES.map(([route, , , query = []]) => ({ route: route as string, query: [...query].sort() }))
    expect(ROUTES.map(({ route, query }) => ({ route, query: [...query].sort() }))).toEqual(routes)
    const served = createApp({ now: Date.now }).routes.filter(
      ({ path, method }) => path.startsWith('/api/') && method !== 'ALL' && !path.endsWith('/'),
    )
    expect(served.map(({ method, path }) => `${method} ${path}`)).toEqual(routes.map(({ route }) => route))
  })

  it('has each route’s errors as they come about here', () => {
    expect(ROUTES.map(({ route, errors }) => [route, [...errors].sort()])).toEqual(
      Object.entries(SCENARIOS).map(([route, scenarios]) => [route, Object.keys(scenarios).sort()]),
    )
  })

  it.each(ROUTES)(
    'has every error of $route: what leads to one elsewhere leads to no other',
    async ({ route, errors }) => {
      for (const [code, scenario] of LEADING) {
        const { world, send } = callOf(route, optionsOf(code))
        // What that route's own request would not say.
        const own: Call['send'] = (values, { body, ...init } = {}, query) => {
          const said = body === undefined || body === '{}' ? bodyOf(route) : { body }
          return send(values, { headers: KEY, ...init, ...(!route.startsWith('GET') && said) }, query)
        }
        const response = await scenario({ world, send: own }).catch(() => undefined)
        if (response?.headers.get('content-type') !== 'application/problem+json') continue
        const { code: got } = (await response.json()) as { code: string }
        expect([...errors, ...COMMON], `by ${code}`).toContain(got)
      }
    },
  )

  it('explains every code, and no other', () => {
    const codes = new Set([...COMMON, ...ROWS.map(({ code }) => code)])
    expect([...codes].sort()).toEqual([...ERRORS.keys()].sort())
  })

  it.each(ROWS)('$route: $code', async ({ route, code }) => {
    const call = callOf(route, optionsOf(code))
    const [got, status] = await codeOf(route, await scenarioOf(route, code)(call))
    expect([got, ERRORS.get(code)?.statuses.includes(status)]).toEqual([code, true])
  })

  it.each(ROUTES)('$route returns each error that every route can return', async ({ route }) => {
    const seen = [
      await callOf(route, {}, 'Bearer x').send(),
      await callOf(route).send({}, {}, 'no_such_parameter=1'),
      await callOf(route, { env: { ADMIN_TOKEN: '' } }).send(),
    ]
    const codes = await Promise.all(seen.map((response) => codeOf(route, response)))
    expect(codes).toEqual(COMMON.slice(0, 3).map((code) => [code, ERRORS.get(code)?.statuses[0]]))
    // These ask the service alone.
    if (/POST.*links$|balances|cancel$|resend$/.test(route)) return
    const { world, send } = callOf(route, { onEvent: () => {} })
    const id = await checkoutLinkId(await world.link({ order_id: 'A-1' }), LINK_SECRET)
    world.kv.before = world.gate.before = () => {
      throw new Error('KV failed: 500')
    }
    const body = '{"executed":true,"since":"2026-03-01","text":"x","kind":"flag"}'
    const days = /(days|operations)$/.test(route) ? 'from=2026-03-01&to=2026-03-01' : ''
    const query = route.endsWith('events') ? 'failing=true' : days
    const response = await send({ id }, { headers: KEY, ...(!route.startsWith('GET') && { body }) }, query)
    expect(await codeOf(route, response)).toEqual(['state', 503])
  })

  it('returns "internal" for what is not expected, without a word of it', async () => {
    const { world, send } = callOf('GET /api/balances')
    world.intercept = () => {
      throw new RangeError('a secret')
    }
    const app = createApp({
      now: () => {
        throw new RangeError('a secret')
      },
    })
    expect((await send()).status).toBeGreaterThanOrEqual(500)
    const headers = { authorization: `Bearer ${world.env().ADMIN_TOKEN}` }
    const body = JSON.stringify({ order: { ...ORDER, order_id: 'A-1' } })
    const response = await app.request('/api/links', { method: 'POST', headers, body }, world.env())
    const text = await response.text()
    expect([response.status, JSON.parse(text).code, text.includes('secret')]).toEqual([500, 'internal', false])
  })

  it('has the parameters of a list in a table, as they are', () => {
    expect(FILTERS).toEqual(ROUTES.find(({ route }) => route === 'GET /api/orders')?.query)
  })
})
