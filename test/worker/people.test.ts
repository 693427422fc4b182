import { describe, expect, it } from 'vitest'
import type { Role, ShopEnv } from '../../src/shop/index.ts'
import { configurationProblems } from '../../src/shop/lib/configuration.ts'
import { holderOf, may, type Right, refundLimit } from '../../src/shop/lib/people.ts'
import { API } from '../../src/shop/routes/api.ts'
import { secondary } from './support/events.ts'
import { ADMIN_TOKEN, ORIGIN, World } from './support/world.ts'

const token = (name: string) => `${name}-has-a-token-of-32-characters`
const LIMITED = { taras: { refund: 5 }, petro: { sell: true, refund: 5 } }
const ROLES = { anna: 'view', sofia: 'sell', ...LIMITED, olena: 'all' } as const
const peopleWith = (people: Record<string, Role>) =>
  JSON.stringify(Object.fromEntries(Object.entries(people).map(([name, role]) => [name, { token: token(name), role }])))
const PEOPLE = peopleWith(ROLES)
/** Still accepted while the token is rotated. */
const PREVIOUS = token('the-previous-admin')

/** The right that each route asks for, decided here by hand: a new route is added to its line. Never copy it from the routes. */
const ROUTES: Record<Right, string> = {
  view: `GET /api/orders, GET /api/orders/:order_id, GET /api/orders/:order_id/events/:event_id, GET /api/attention,
    GET /api/balances, GET /api/days, GET /api/operations, GET /api/audit, GET /api/events, GET /api/links, GET /api/links/:id`,
  note: 'POST /api/orders/:order_id/notes',
  sell: 'POST /api/links, PATCH /api/links/:id, DELETE /api/links/:id, POST /api/orders/:order_id/cancel',
  refund: 'POST /api/orders/:order_id/refund',
  all: `POST /api/orders/:order_id/capture, POST /api/orders/:order_id/void, POST /api/orders/:order_id/resend,
    POST /api/orders/:order_id/attempts/:attempt_id/settle, POST /api/orders/:order_id/attention/done,
    DELETE /api/orders/:order_id/personal-data, POST /api/events/replay, POST /api/events/:id/replay,
    GET /api/strays, GET /api/strays/:id, POST /api/strays/:id/done`,
}
const RIGHTS = new Map(
  Object.entries(ROUTES).flatMap(([right, calls]) =>
    calls.split(/,\s+/).map((call): [string, string] => [call, right]),
  ),
)

const bearer = (text: string) => ({ authorization: `Bearer ${text}`, 'idempotency-key': 'k' })
/** Who asks, and what a route of each right says to them. */
const WHO: [who: string, headers: Record<string, string>, query: string, rights: string][] = [
  ['nobody', {}, '', ''],
  ['a token that is longer', bearer(`${token('olena')}x`), '', ''],
  ['a token that is shorter', bearer(token('olena').slice(0, -1)), '', ''],
  ['a token that was removed', bearer(token('gone')), '', ''],
  ['a token in the query', {}, `?token=${token('olena')}`, ''],
  ['view', bearer(token('anna')), '', 'view'],
  ['sell', bearer(token('sofia')), '', 'view note sell'],
  ['a refund', bearer(token('taras')), '', 'view note refund'],
  ['both', bearer(token('petro')), '', 'view note sell refund'],
  ['all', bearer(token('olena')), '', 'view note sell refund all'],
  ['ADMIN_TOKEN', bearer(ADMIN_TOKEN), '', 'view note sell refund all'],
]

describe('PEOPLE', () => {
  it('each route is in the table of rights', () => {
    expect([...RIGHTS.keys()].sort()).toEqual(Object.keys(API).sort())
  })

  it.each([...RIGHTS])('%s is only for who may %s', async (call, right) => {
    const [method = '', path = ''] = call.split(' ')
    const world = new World({ env: { PEOPLE } })
    for (const [who, headers, query, rights] of WHO) {
      const url = path.replaceAll(/:\w+/g, 'x') + query
      const response = await world.fetch(new Request(`https://x.example${url}`, { method, headers }))
      const isIn = rights.split(' ').includes(right)
      const status = isIn ? expect.toSatisfy((one) => ![401, 403].includes(one)) : rights === '' ? 401 : 403
      expect([who, response.status]).toEqual([who, status])
      expect(await response.text()).not.toContain('has-a-token')
    }
  })

  it('is read at each request, and the record has the name', async () => {
    const world = new World({ env: { PEOPLE } })
    world.emulator.faults.next({ kind: 'delay', ms: 60_000, on: 'webhook' })
    await world.pay(await world.open(await world.link({ order_id: 'A-1' })))
    const refund = (key: string, amount?: number) =>
      world.api('/api/orders/A-1/refund', {
        ...{ method: 'POST', body: JSON.stringify({ refund_amount: amount }) },
        headers: { ...bearer(token('taras')), 'idempotency-key': key },
      })
    // All of a payment that the shop does not know yet.
    expect((await refund('a')).status).toBe(403)
    await world.advance(60_000)
    expect((await refund('a', 3)).status).toBe(200)
    const over = await refund('b', 2.01)
    expect([over.status, await over.json()]).toMatchObject([403, { code: 'over_limit', limit_minor: 500 }])
    world.options.env = { PEOPLE: peopleWith({ taras: { refund: 6 } }) }
    expect((await refund('c', 2.01)).status).toBe(200)
    world.options.env = { PEOPLE: peopleWith({ taras: 'view' }) }
    expect((await refund('d', 0.01)).status).toBe(403)
    const record = (await world.order('A-1'))?.record.map(({ by, result }) => `${by}: ${result}`)
    expect(record).toEqual(['taras: done', 'taras: over_limit', 'taras: done'])
    world.options.env = { PEOPLE: '{}' }
    expect((await refund('e', 0.01)).status).toBe(401)
  })

  it('counts a pending refund towards the limit of a role', async () => {
    const world = new World({ env: { PEOPLE } })
    await world.pay(await world.open(await world.link({ order_id: 'A-1' })))
    await world.advance(20_000)
    world.intercept = (url) =>
      url.endsWith('/refund')
        ? Promise.resolve(Response.json(secondary('A-1', 'refund', { status: 'pending', amount: 3 })))
        : undefined
    const refund = async (key: string, refund_amount: number) => {
      const headers = { ...bearer(token('taras')), 'idempotency-key': key }
      const body = JSON.stringify({ refund_amount })
      const response = await world.api('/api/orders/A-1/refund', { method: 'POST', headers, body })
      return [response.status, ((await response.json()) as { code?: string }).code]
    }
    expect(await refund('a', 3)).toEqual([200, undefined])
    expect(await refund('b', 3)).toEqual([403, 'over_limit'])
    expect(await refund('c', 2)).toEqual([200, undefined])
  })

  it('keeps nobody out because a stranger tries tokens, but the stranger’s own address', async () => {
    const world = new World({ env: { PEOPLE } })
    const ask = async (text: string, address: string) =>
      (await world.api('/api/days', { headers: { ...bearer(text), 'cf-connecting-ip': address } })).status
    for (let i = 0; i < 10; i++) expect(await ask(`guess ${i}`.replace(' ', '-'), '192.0.2.1')).toBe(401)
    expect(await ask(token('olena'), '192.0.2.1')).toBe(429)
    const headers = { ...bearer('guess'), 'cf-connecting-ip': '192.0.2.1' }
    const rejected = await world.api('/api/days', { headers })
    expect([rejected.headers.get('retry-after'), await rejected.json()]).toMatchObject([
      '60',
      { code: 'too_many_tries', title: expect.stringContaining('this address'), retry_after: 60 },
    ])
    expect(await ask(token('olena'), '192.0.2.2')).toBe(400)
    await world.advance(60_000)
    expect(await ask(token('olena'), '192.0.2.1')).toBe(400)
  })

  it('finds a holder by their name in letters of any case, and under no other name', () => {
    const env = { ADMIN_TOKEN, PEOPLE } as ShopEnv
    const found = [undefined, 'Anna', 'ANNA', 'sofia', ''].map((name) => holderOf(env, token('anna'), name)?.by)
    expect(found).toEqual(['anna', 'anna', 'anna', undefined, undefined])
    expect(['Admin', 'anna'].map((name) => holderOf(env, ADMIN_TOKEN, name)?.by)).toEqual(['api', undefined])
  })

  it.each<[people: unknown, problem: RegExp | undefined]>([
    [{}, undefined],
    [JSON.parse(PEOPLE), undefined],
    ['{', /^must be JSON/],
    [[], /^must be JSON/],
    [{ olena: 'all' }, /the token of olena/],
    [{ olena: { token: 'x'.repeat(32), role: 'all' } }, undefined],
    [
      { olena: { token: 'x'.repeat(31), role: 'all' } },
      /^the token of olena must have at least 32 visible characters$/,
    ],
    [{ olena: { token: ADMIN_TOKEN, role: 'all' } }, /^the token of olena is that of ADMIN_TOKEN$/],
    [{ olena: { token: PREVIOUS, role: 'view' } }, /^the token of olena is that of ADMIN_TOKEN$/],
    [
      { olena: { token: token('a-person'), role: 'all' }, taras: { token: token('a-person'), role: 'boss' } },
      /^the token of taras is that of olena; the role of taras must be/,
    ],
    [{ olena: { token: token('olena'), role: { refund: '5' } } }, /^the role of olena/],
    [{ admin: { token: token('olena'), role: 'all' } }, /^the name admin cannot be used$/],
    [{ api: { token: token('olena'), role: 'view' } }, /^the name api cannot be used$/],
  ])('%j: the configuration says %s', (people, problem) => {
    const env = {
      ADMIN_TOKEN,
      ADMIN_TOKEN_PREVIOUS: PREVIOUS,
      PEOPLE: typeof people === 'string' ? people : JSON.stringify(people),
    } as ShopEnv
    const [found] = configurationProblems(env, ['PEOPLE'])
    if (problem) expect(found?.problem).toMatch(problem)
    else expect(found).toBeUndefined()
    expect(found?.problem ?? '').not.toContain('has-a-token')
  })

  it('is not shown by /health, but for its problems to the administrator', async () => {
    const world = new World({ env: { PEOPLE: JSON.stringify({ olena: { token: 'short', role: 'all' } }) } })
    const seen = await Promise.all(
      [{}, bearer('short')].map(async (headers) => (await world.get('/health', headers)).text()),
    )
    expect(seen).toEqual([expect.not.stringContaining('olena'), expect.not.stringContaining('olena')])
    const { problems } = (await (await world.get('/health', bearer(ADMIN_TOKEN))).json()) as { problems: unknown[] }
    expect(problems).toEqual([{ binding: 'PEOPLE', problem: expect.stringContaining('olena') }])
  })

  it('gives a missing or unknown role no right, and one without rights a look', async () => {
    const rights = ['view', 'note', 'sell', 'refund', 'all'] as const
    const held = (role: unknown) => rights.filter((right) => may(role as Role, right))
    expect([undefined, null, 'boss', ''].map(held)).toEqual([[], [], [], []])
    expect([{ refund: -1 }, { sell: 'yes' }, {}].map(held)).toEqual([['view'], ['view'], ['view']])
    const world = new World()
    const ask = (path: string, init?: RequestInit) =>
      world.shop.api(
        new Request(`${ORIGIN}${path}`, init),
        world.env(),
        { waitUntil() {} },
        'stranger',
        undefined as never,
      )
    expect((await ask('/api/orders')).status).toBe(403)
    const refund = { method: 'POST', headers: { 'idempotency-key': 'k' }, body: '{"refund_amount":1}' }
    expect((await ask('/api/orders/A-1/refund', refund)).status).toBe(403)
    expect([0, 0.01, 0.29, 100.5].map((refund) => refundLimit({ refund }))).toEqual([0, 1, 29, 10_050])
  })
})
