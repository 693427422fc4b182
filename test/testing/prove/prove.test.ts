import { describe, expect, it } from 'vitest'
import { type Cause, createTestShop, type ProveOptions, prove, reportText } from '../../../src/testing/index.ts'
import { hasSqlite, isLong } from '../../support/environment.ts'
import { SEED } from '../../support/property.ts'
import { receiver } from './support/receiver.ts'
import { WRONG } from './support/wrong.ts'

const URL_OF = 'https://shop.example.com/webhooks'
const [ORDERS, WORKER_ORDERS] = isLong ? [10_000, 10_000] : [60, 20]
const LIMIT = isLong ? 3_600_000 : 60_000
const attack = (bug?: string, more: Partial<ProveOptions> = {}) =>
  prove({ ...receiver(bug), url: URL_OF, settleMs: bug === 'stores_after_answer' ? 40 : 0, seed: SEED, ...more })

describe('a receiver that is right', () => {
  it('a hand-written one: nothing is found', { timeout: LIMIT }, async () => {
    const report = await prove({ ...receiver(), url: URL_OF, seed: SEED, orders: ORDERS })
    expect([SEED, report.findings]).toEqual([SEED, []])
    expect([report.complete, report.orders > ORDERS]).toEqual([true, true])
  })

  // The test kit needs node:sqlite.
  const onSqlite = hasSqlite ? it : () => {}
  onSqlite('the Worker: nothing is found', { timeout: LIMIT }, async () => {
    const shop = await createTestShop()
    const report = await prove({
      url: 'https://pay.shop.example.com/webhooks',
      fetch: (input, init) => shop.fetch(new Request(input, init)),
      state: async (order_id) => {
        const response = await shop.api(`/api/orders/${encodeURIComponent(order_id)}`)
        if (response.status === 404) return undefined
        const { totals } = (await response.json()) as { totals: { captured_minor: number; refunded_minor: number } }
        return { paid: totals.captured_minor / 100, refunded: totals.refunded_minor / 100 }
      },
      orders: WORKER_ORDERS,
      seed: SEED,
    })
    expect(report).toMatchObject({ findings: [], complete: true })
  })
})

describe('a receiver that is wrong in one way', () => {
  it.each(WRONG)('%s: %s, %s', { timeout: 180_000 }, async (bug, cause, verdict, step) => {
    const report = await attack(bug)
    const { seed, findings } = report
    expect([seed, ...new Set(findings.map((one) => one.cause))]).toEqual([seed, cause])
    expect(findings.map((one) => one.verdict)).toContain(verdict)
    for (const { story } of findings) expect(story.length).toBeLessThanOrEqual(8)
    const shown = findings.find((one) => one.verdict === verdict)
    expect(shown?.story.some(({ says }) => step.test(says))).toBe(true)
    const text = reportText(report)
    expect(text).toContain(verdict.toUpperCase())
  })

  it.each<Cause>(['no_signature_check', 'trusts_amount'])('%s is found without a drawn order', async (bug) => {
    const { complete, findings } = await attack(bug, { orders: 0 })
    expect([complete, new Set(findings.map(({ cause }) => cause))]).toEqual([true, new Set([bug])])
  })

  it('says what it knows when it is stopped, and that it is not whole', async () => {
    const stop = new AbortController()
    const onProgress = (done: number) => void (done > 60 && stop.abort())
    const { complete, findings, orders } = await attack('adds_up_copies', { signal: stop.signal, onProgress })
    expect([complete, orders < 80, findings.map(({ cause }) => cause)]).toEqual([
      false,
      true,
      ['not_examined', 'not_examined'],
    ])
  })

  it('the same seed tells the same story', { timeout: 180_000 }, async () => {
    const stories = async () =>
      (await attack('pending_overwrites', { seed: 5, orders: 60 })).findings.map(({ story }) =>
        story.map(({ says, answers }) => [says, answers]),
      )
    const first = await stories()
    expect(first.length).toBeGreaterThan(0)
    expect(await stories()).toEqual(first)
  })
})

describe('what cannot be run is said in a sentence', () => {
  const answers = (response: () => Response | Promise<Response>) => ({ fetch: async () => response() })
  const never = () => new Promise<Response>(() => {})
  const html = () => new Response('<!doctype html><h1>Hello</h1>', { headers: { 'content-type': 'text/html' } })
  const closed = () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } }))
  const state = 'https://shop.example.com/orders/{order_id}'
  it.each<[string, Partial<ProveOptions>, RegExp]>([
    ['it never answers', { ...answers(never), timeoutMs: 30 }, /: no response within 30 ms. If it needs longer/],
    ['it closes the connection', answers(closed), /does not respond: .*ECONNRESET/],
    ['its certificate is its own', { fetch: () => Promise.reject({ code: 'SELF_SIGNED' }) }, /NODE_EXTRA_CA_CERTS/],
    ['it is elsewhere', answers(() => Response.redirect(`${URL_OF}/`, 308)), /redirects to .*webhooks\/: pass that/],
    ['it is another page', { fetch: async () => new Response('', { status: 404 }) }, /responded 404; .*responds 2xx/],
    ['another secret', { apiSecret: 'another-secret' }, /responded 401; .*the same API secret/],
    ['the state is HTML', { ...answers(html), state }, /has to be JSON, but .* HTML/],
    ['the state has other names', { ...answers(() => Response.json({})), state }, /nothing at \$\.paid.*--paid/],
    ['minor units', { state: () => ({ paid: 10_050, refunded: 0 }) }, /decimals: 100\.5, not 10050/],
    ['no place for the order', { state: 'https://shop.example.com/orders' }, /\{order_id\} in it/],
    ['a misspelt option', { order: 5 } as never, /Unknown prove option field "order".*orders/],
  ])('%s', async (_, options, message) => {
    await expect(attack(undefined, options)).rejects.toThrow(message)
    await expect(attack(undefined, options)).rejects.toMatchObject({ name: 'ProveError' })
  })

  it('a receiver that stops to answer in the middle', async () => {
    const shop = receiver()
    let left = 40
    const fetch: Required<ProveOptions>['fetch'] = (input, init) => (left-- > 0 ? shop.fetch(input, init) : closed())
    const options = { ...shop, fetch, restart: undefined }
    await expect(attack(undefined, options)).rejects.toThrow(/does not respond any more: .*ECONNRESET/)
  })
})
