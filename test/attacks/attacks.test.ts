import { describe, expect, it } from 'vitest'
import { payment } from '../worker/support/events.ts'
import { ADMIN_TOKEN, newOrderId, ORIGIN, World } from '../worker/support/world.ts'

// Attacks on the whole Worker that found nothing: they have to find nothing again.

/** Other ways to write a path that routes might take for the same one. */
const spellings = (path: string): string[] => [
  ...[path, `${path}/`, `/${path}`, `${path}//`, `/.${path}`, `/x/..${path}`, `${path}?x=1`, `${path}#x`, `${path}%00`],
  ...['/%61pi', '/api/.', '/api%2f', '/api;x'].map((api) => path.replace('/api', api)),
  path.toUpperCase(),
]

it('/api lets nobody in without the token, however path, header and verb are written', async () => {
  const world = new World()
  const id = newOrderId()
  await world.deliver(payment(id))
  const cut = ADMIN_TOKEN.slice(0, -1)
  const wrong = [
    ...[undefined, '', 'Bearer', 'Bearer null', 'Bearer undefined', ADMIN_TOKEN, `Token ${ADMIN_TOKEN}`],
    ...[cut, `${ADMIN_TOKEN}.`, `${ADMIN_TOKEN},Bearer x`, ADMIN_TOKEN.toUpperCase()].map((token) => `Bearer ${token}`),
    ...[`Bearer:${ADMIN_TOKEN}`, `Basic ${btoa(`:${ADMIN_TOKEN}`)}`],
  ]
  let asked = 0
  for (const path of spellings(`/api/orders/${id}`)) {
    for (const authorization of wrong) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const headers = authorization === undefined ? {} : { authorization }
        const response = await world.fetch(new Request(ORIGIN + path, { method, headers }))
        expect([401, 404], `${method} ${path} ${authorization}`).toContain(response.status)
        expect(await response.text()).not.toContain('captured')
        asked++
      }
    }
  }
  expect(asked).toBe(1_092)
  expect((await world.order(id))?.totals.captured).toBe(10_050)
}, 60_000)

it('a link opens nothing when its token is flipped, cut, padded or written in another case', async () => {
  const world = new World()
  const link = await world.link({ order_id: newOrderId() })
  const [base = '', token = ''] = link.split('/checkout/')
  const flipped = (i: number) => token.slice(0, i) + (token[i] === 'A' ? 'B' : 'A') + token.slice(i + 1)
  const changed = [
    ...Array.from({ length: token.length / 5 }, (_, i) => flipped(i * 5)),
    ...[token.slice(1), token.slice(0, -1), token.slice(0, 20), `${token}A`, `${token}=`, `${token}==`, token + token],
    ...[token.toUpperCase(), token.toLowerCase(), [...token].reverse().join('')],
    // The last letter has unused bits: others that decode to the same bytes are another link all the same.
    ...[...'ABCDEFGHIJKLMNOP'].map((last) => token.slice(0, -1) + last).filter((text) => text !== token),
  ]
  for (const text of changed) {
    const response = await world.get(`${base}/checkout/${text}`)
    expect([text, response.status]).toEqual([text, 404])
  }
  expect(world.gate.calls.gate).toBe(0)
  expect((await world.get(link)).status).toBe(303)
}, 30_000)

const textOf = (id: string, extra: string) => JSON.stringify(payment(id)).replace('{', `{${extra},`)
/** Genuine, and not what the API document shows. */
const ODD: [name: string, payload: (id: string) => object | string][] = [
  ...['null', '1', '[]', '"x"', '{}', '{'].map((text): [string, () => string] => [text, () => text]),
  ['a mark of byte order', (id) => `\ufeff${JSON.stringify(payment(id))}`],
  ['white space', (id) => ` \n${JSON.stringify(payment(id))}\t`],
  ['two order_ids', (id) => textOf(id, '"order_id":"another"')],
  ['__proto__', (id) => textOf(id, '"__proto__":{"status":"failure"}')],
  ['constructor', (id) => ({ ...payment(id), constructor: { prototype: {} } })],
  ['a number as order_id', () => ({ ...payment('x'), order_id: 7 })],
  ['null everywhere', (id) => Object.fromEntries(Object.keys(payment(id)).map((name) => [name, null]))],
  ['a huge amount', (id) => ({ ...payment(id), amount: 1e300 })],
  ['half a surrogate pair', (id) => ({ ...payment(id), description: '\ud800' })],
  ['an empty order_id', () => payment('')],
  ['an unknown method', (id) => ({ ...payment(id), method: 'toString' })],
  ...[500, 7_000].map((depth): [string, (id: string) => string] => {
    return [`${depth} levels`, (id) => textOf(id, `"payload":${'['.repeat(depth)}${']'.repeat(depth)}`)]
  }),
]
/** Order ids that a key or a path could break on. */
const IDS = [
  ...['.', '..', 'a/b', 'a%2fb', 'a~2', '~', ' ', '\u0000', '\ud800', 'я'.repeat(256), 'x'.repeat(4_000), 'a\nb'],
  ...['constructor', '__proto__', 'order/a', '🧾'],
]

describe('a genuine webhook', () => {
  it.each(ODD)('of an odd kind is kept before it is acknowledged: %s', async (_, payloadOf) => {
    const world = new World()
    const body = world.signed(payloadOf(newOrderId()))
    expect((await world.post(body)).status).toBe(200)
    const kept = [...(await world.keys('event/')), ...(await world.keys('stray/'))]
    expect(kept).toHaveLength(1)
    // A copy of it writes nothing more.
    expect((await world.post(body)).status).toBe(200)
    expect([...(await world.keys('event/')), ...(await world.keys('stray/'))]).toEqual(kept)
  })

  it.each(IDS)('of the order %j belongs to it alone', async (id) => {
    const world = new World()
    await world.deliver(payment(id))
    await world.deliver(payment(`${id}x`))
    expect(await world.keys('event/')).toHaveLength(2)
    const isPath = id !== '.' && id !== '..' && !/\p{Surrogate}/u.test(id)
    if (isPath) expect((await world.order(id))?.totals.captured).toBe(10_050)
  })
})
