import { expect, it } from 'vitest'
import { checkoutLinkId } from '../../src/checkout-link/index.ts'
import type { Returns } from '../../src/shop/index.ts'
import { signWebhook } from '../../src/webhooks/index.ts'
import { Browser, formTo, mount } from '../console/support/browser.ts'
import { payment } from '../worker/support/events.ts'
import { LINK_SECRET, ORDER, World } from '../worker/support/world.ts'
import { Document, quoted } from './support/document.ts'
import { load } from './support/program.ts'

/** Everything that the worker ever writes, from a day in which everything happens: to KV, and to the tables of its database. */
async function written(): Promise<{ kv: World['kv']['writes']; rows: Set<string> }> {
  let fails = true
  const onEvent = () => {
    if (fails) throw new Error('not yet')
  }
  const world = new World({ onAlert: () => {}, env: { RETENTION_DAYS: '30' }, onEvent })
  const rows = new Set<string>()
  const look = (each = world) => {
    for (const key of each.rows().keys()) rows.add(key.split('/')[0] as string)
  }
  const call = async (method: string, path: string, body?: object) => {
    const init = { method, headers: { 'idempotency-key': 'k' }, ...(body && { body: JSON.stringify(body) }) }
    return (await world.api(path, init)).status
  }
  await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
  await world.deliver(payment('A-2'))
  await world.advance(2_000)
  look()
  fails = false
  await world.advance(2_000)
  const capture = () => call('POST', '/api/orders/A-1/capture', { charge_amount: 1 })
  world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
  expect(await capture()).toBe(502)
  look()
  await world.advance(2_000)
  expect(await capture()).toBe(200)
  const link = await world.link({ order_id: 'A-3' }, undefined, { reference: 'cart-77' })
  await world.open(link)
  expect(await call('DELETE', `/api/links/${await checkoutLinkId(link, LINK_SECRET)}`)).toBe(200)
  await world.open(await world.link({ order_id: 'A-4' }))
  expect(await call('POST', '/api/links', { order: { ...ORDER, order_id: 'A-5' } })).toBe(201)
  const { customer_patronym: _, customer_email: __, customer_phone: ___, ...order } = { ...ORDER, order_id: 'mug' }
  expect(await call('POST', '/api/links', { order, reusable: true })).toBe(201)
  const { links } = (await (await world.api('/api/links')).json()) as Returns['GET /api/links']
  const customer = new Browser((request) => world.fetch(request))
  const { pathname } = new URL(links.find(({ reusable }) => reusable)?.url ?? '')
  await customer.submit(formTo(await customer.open(pathname), pathname))
  expect(await call('POST', '/api/orders/A-2/attention/done', { kind: 'flag' })).toBe(200)
  expect(await call('POST', '/api/orders/A-4/cancel')).toBe(200)
  await world.get(`${world.emulator.orders.get('A-3')?.payments[0]?.result_url}&look=9`)
  await world.idle()
  const browser = await new Browser(mount(world)).signIn()
  await browser.submit(formTo(await browser.open('/console'), '/console/logout'))
  await world.idle()
  look()
  await world.advance(15 * 60_000)
  await world.cron()
  look()
  // Without RETENTION_DAYS a stray is kept permanently.
  const forever = new World({ onAlert: () => {}, canMove: true })
  expect((await forever.post(signWebhook('[]', forever.emulator.credentials.apiSecret).body)).status).toBe(200)
  expect((await forever.api('/api/log/close', { method: 'POST', body: '{}' })).status).toBe(200)
  for (const each of [world, forever]) await each.idle()
  look(forever)
  return { kv: [...world.kv.writes, ...forever.kv.writes], rows }
}

const patternOf = (key: string) => new RegExp(`^${key.replaceAll(/<[^>]+>/g, '[^/]+')}$`)

it('guides/shop-reference.md names every key of KV with its metadata and life, every table with a row, and no other', async () => {
  const { kv, rows } = await written()
  const documented = new Document('guides/shop-reference.md').rows('What is stored')
  const keys = documented
    .filter((cells) => cells.length === 4)
    .map(([key = '', , metadata, life]) => ({ pattern: patternOf(quoted(key)[0] ?? ''), key, metadata, life }))
  for (const { key, deleted, metadata, ttl } of kv) {
    const [row, ...others] = keys.filter(({ pattern }) => pattern.test(key))
    expect([key, others, deleted]).toEqual([key, [], false])
    expect([key, row?.metadata === 'none']).toEqual([key, metadata === undefined || metadata === null])
    expect([key, row?.life]).toEqual([key, ttl === 3_600 ? '1 hour' : expect.not.stringMatching(/\d/)])
    if (ttl !== 3_600) expect([key, ttl]).toEqual([key, undefined])
  }
  expect(keys.filter(({ pattern }) => !kv.some(({ key }) => pattern.test(key)))).toEqual([])
  const own = documented
    // A Worker has no table that is only on a server.
    .filter(({ length, 1: text = '' }) => length === 2 && !/^on (\[a server\]|a server)/.test(text))
    .flatMap(([key = '']) => quoted(key).map(patternOf))
  expect([...rows].filter((row) => !own.some((pattern) => pattern.test(row)))).toEqual([])
  expect(own.filter((pattern) => ![...rows].some((row) => pattern.test(row)))).toEqual([])
})

it('worker/index.ts has the routes, the page for an unknown path, the cron and the object', async () => {
  const program = await load("export { default, ShopObject } from './worker/index.ts'")
  const { default: worker, ShopObject } = program as unknown as typeof import('../../worker/index.ts')
  const [env, context] = [new World().env() as never, { waitUntil() {}, passThroughOnException() {}, props: {} }]
  const at = async (path: string) =>
    (await worker.fetch(new Request(`https://shop.example.com${path}`), env, context)).text()
  expect([await at('/health'), await at('/nothing')]).toEqual([
    expect.stringMatching(/"ok"/),
    expect.stringMatching(/^<!doctype html>/),
  ])
  expect([typeof worker.scheduled, typeof ShopObject]).toEqual(['function', 'function'])
})
