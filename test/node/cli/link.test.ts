import { beforeEach, describe, expect, it } from 'vitest'
import { verb as link } from '../../../src/cli/commands/link.ts'
import { ADMIN_TOKEN, ORIGIN, World } from '../../worker/support/world.ts'
import { type Around, hangingFetch, runVerb } from '../support/verb.ts'

const ENVIRONMENT = { EDGETILL_WORKER_URL: ORIGIN, EDGETILL_WORKER_TOKEN: ADMIN_TOKEN }
let world: World
let around: Required<Pick<Around, 'environment' | 'fetch'>>

beforeEach(() => {
  world = new World({ kind: 'strict' })
  around = { environment: ENVIRONMENT, fetch: (input, init) => world.fetch(new Request(input, init)) }
})

const WORDS = ['A-1', '--amount', '100.50', '--currency', 'UAH', '--email', 'olena@example.com']

describe('edgetill link', () => {
  it('makes a link of the worker that leads to a payment', async () => {
    const ran = await runVerb(link, [...WORDS, '--reference', 'cart-7'], around)
    expect(ran.out).toMatch(/^https:\/\/pay\.shop\.example\.com\/checkout\/[\w-]+\n$/)
    expect(ran.err).toMatch(/^order_id A-1, valid until 2026-03-02T10:00:00\.000Z\n$/)
    expect(ran.code).toBe(0)
    await world.pay(await world.open(ran.out.trim()))
    await world.advance(121_000)
    const asked = { amount: 100.5, reference: 'cart-7', customer_email: 'olena@example.com' }
    expect(await world.order('A-1')).toMatchObject({ status: 'success', ...asked })
  })

  it('prints JSON, and takes the time until which it is valid', async () => {
    const expires_at = '2026-03-01T12:00:00.000Z'
    const words = ['--amount', '5', '--currency', 'UAH', '--expires-at', expires_at, '--json']
    const { code, out, err } = await runVerb(link, words, around)
    const ids = { order_id: expect.stringMatching(/^cli-/), id: expect.any(String) }
    const urls = { url: expect.any(String), short_url: expect.stringMatching(/\/p\/[\w-]{16}$/) }
    expect(JSON.parse(out)).toEqual({ ...ids, ...urls, expires_at })
    expect([code, err]).toEqual([0, ''])
  })

  it('makes a link that shows a landing page, and one of a long order_id', async () => {
    const long = 'a'.repeat(253)
    const ran = await runVerb(link, [long, ...WORDS.slice(1), '--landing', '--long-order-id'], around)
    const shown = await world.fetch(new Request(ran.out.trim()))
    expect([ran.code, shown.status, await shown.text()]).toEqual([0, 200, expect.stringContaining('<button')])
  })

  const env = (changed: object) => ({ environment: { ...ENVIRONMENT, ...changed } })
  const failing = (cause: unknown) => ({ fetch: () => Promise.reject(new TypeError('fetch failed', { cause })) })
  const responding = (response: Response) => ({ fetch: async () => response })
  it.each<[number, string, string[], Around]>([
    // Inputs that the worker rejects, with the name of the field.
    [1, 'createCheckoutLink: order_id: must have at most 29', ['a'.repeat(30), ...WORDS.slice(1)], {}],
    [1, 'expires_at must be a time in the future', [...WORDS, '--expires-at', '2020-01-01T00:00:00Z'], {}],
    [1, 'customer_lnag: is not a parameter of createCheckoutLink', [...WORDS, '--set', 'customer_lnag=UK'], {}],
    [1, 'EDGETILL_WORKER_TOKEN is neither the ADMIN_TOKEN', WORDS, env({ EDGETILL_WORKER_TOKEN: 'x'.repeat(32) })],
    // A configuration that cannot be used.
    [2, 'Missing configuration: EDGETILL_WORKER_TOKEN.', WORDS, env({ EDGETILL_WORKER_TOKEN: '' })],
    [2, 'Missing configuration: EDGETILL_WORKER_URL, EDGETILL_WORKER_TOKEN.', WORDS, { environment: {} }],
    [2, 'or with --allow-insecure-http', WORDS, env({ EDGETILL_WORKER_URL: 'http://pay.shop.example.com' })],
    [2, 'must be an address without a path', WORDS, env({ EDGETILL_WORKER_URL: `${ORIGIN}/checkout` })],
    [2, 'must be an address without a path', WORDS, env({ EDGETILL_WORKER_URL: 'pay.shop' })],
    [2, 'has a character that no header can carry', WORDS, env({ EDGETILL_WORKER_TOKEN: 'a b' })],
    // Addresses that are not a worker's.
    [1, 'it with 404.\nIs EDGETILL_WORKER_URL', WORDS, responding(new Response('<h1>It works!</h1>', { status: 404 }))],
    [1, 'rejected it with 307', WORDS, responding(Response.redirect('https://elsewhere.example/', 307))],
    [1, `Look at ${ORIGIN}/health.`, WORDS, responding(new Response(null, { status: 503 }))],
    [1, 'rejected it with 200', WORDS, responding(Response.json({}))],
    [1, `${ORIGIN} did not respond: ECONNREFUSED.`, WORDS, failing({ code: 'ECONNREFUSED' })],
    [1, 'did not respond: bad port.', WORDS, failing(new Error('bad port'))],
    // Not every runtime gives a cause.
    [1, 'did not respond: fetch failed.', WORDS, failing(undefined)],
  ])('exits %i with %s', async (expected, text, words, changed) => {
    const { code, out, err } = await runVerb(link, words, { ...around, ...changed })
    expect(err).toContain(text)
    expect([code, out]).toEqual([expected, ''])
  })

  it('ends on Ctrl-C with 130, and gives no advice about the worker', async () => {
    const fetch = hangingFetch()
    const { code, out, err } = await runVerb(link, WORDS, { ...around, fetch, stopped: fetch.asked })
    expect([code, out, err]).toEqual([130, '', ''])
  })
})
