import { expect, it } from 'vitest'
import { junitOf, reportPage, sarifOf } from '../../../src/cli/service/prove-report.ts'
import { type ProveOptions, type ProveReport, prove, reportText } from '../../../src/testing/index.ts'
import { openShop, type Press, play } from './support/button-shop.ts'
import { inFakeTime } from './support/fake-time.ts'
import { receiver } from './support/receiver.ts'

const ORIGIN = 'https://shop.example.com'
const URLS = { url: `${ORIGIN}/webhooks`, state: `${ORIGIN}/orders/{order_id}`, create: `${ORIGIN}/orders` }
type Shop = ReturnType<typeof receiver>

/** A shop that is reached by its addresses only. `before` may respond in its place. */
function served(shop: Shop, before: (path: string, body: string) => Promise<Response> | undefined = () => undefined) {
  const fetch: ProveOptions['fetch'] = async (input, init) => {
    const request = new Request(input, init)
    const { pathname } = new URL(request.url)
    const body = await request.clone().text()
    const other = before(pathname, body)
    if (other !== undefined) return await other
    if (pathname === '/webhooks') return await shop.fetch(request)
    if (pathname === '/orders') {
      shop.create(JSON.parse(body))
      return new Response()
    }
    const state = shop.state(decodeURIComponent(pathname.slice('/orders/'.length)))
    return state ? Response.json(state) : new Response('', { status: 404 })
  }
  return { ...URLS, fetch, settleMs: 0 }
}

it('a receiver that hangs as a whole, with its state: the cause is hangs, at its first story', async () => {
  let webhooks = 0
  const never = () => new Promise<Response>(() => {})
  const options = served(receiver(), (path) => {
    if (path === '/webhooks') webhooks++
    return webhooks > 30 ? never() : undefined
  })
  const report = await prove({ ...options, timeoutMs: 100, orders: 5 })
  expect(report.findings.map(({ cause, verdict, orders }) => [cause, verdict, orders])).toEqual([
    ['hangs', 'never answers', 1],
  ])
  expect(report.findings[0]?.story.at(-1)).toMatchObject({ answers: ['no response within 100 ms'] })
  const text = reportText(report)
  expect(text).toMatch(/^Not tried: \d+ orders: it responds to nothing any more\.$/m)
  expect(text).not.toMatch(/enough had failed|lack of time|time was over/)
})

it('a shop whose state alone hangs, after a while, is said to hang', async () => {
  let reads = 0
  const options = served(receiver(), (path) => {
    if (path.startsWith('/orders/')) reads++
    return reads > 20 && path !== '/webhooks' ? new Promise<Response>(() => {}) : undefined
  })
  const report = await prove({ ...options, timeoutMs: 100, orders: 0 })
  expect(report.findings.map(({ cause }) => cause)).toEqual(['hangs'])
  expect(report.findings[0]?.story.at(-1)?.says).toBe("the order's state is read")
})

it('a run that was stopped says so in every format', async () => {
  const stop = new AbortController()
  const onProgress = (done: number) => void (done > 20 && stop.abort())
  const report = await prove({ ...served(receiver()), signal: stop.signal, onProgress, kinds: ['paid'] })
  const early = /nothing found so far, and not every attack was tried: it was stopped\./
  const sarif = sarifOf(report, new Map())
  for (const text of [reportText(report), reportPage(report), junitOf(report), sarif]) {
    expect(text).toMatch(early)
    expect(text).not.toMatch(/nothing found\.|Nothing found/)
  }
  expect(JSON.parse(sarif).runs[0].invocations[0].executionSuccessful).toBe(false)
  expect(junitOf(report)).toMatch(/name="every fixed story was played"[^>]*><skipped message="\d+ orders/)
  expect(report).toMatchObject({ complete: false, stopped: 'it was stopped' })
})

it('one order is one order in every format, and a whole run is not said to be early', () => {
  const report: ProveReport = {
    ...{ url: URLS.url, seed: 1, orders: 1, requests: 1, tried: {}, seconds: {}, complete: true },
    ...{ leftOut: [], findings: [], late: { orders: 1, ms: 1_200 } },
  }
  for (const text of [reportText(report), reportPage(report), junitOf(report), sarifOf(report, new Map())]) {
    expect(text).toContain('1 order, 1 webhook, seed 1: nothing found.')
    expect(text).toContain('Right, but late: 1 order, up to 1200 ms. Pass --settle-ms 3000: it is faster.')
    expect(text).not.toMatch(/\b1 orders|1 webhooks|so far/)
  }
})

/** A shop that books some webhooks this much later than it has responded. */
function slow(status: number, lateMs: (nth: number) => number | undefined): Partial<ProveOptions> & typeof URLS {
  const shop = receiver()
  let nth = 0
  return served(shop, (path, body) => {
    if (path !== '/webhooks') return undefined
    const request = () =>
      new Request(URLS.url, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body })
    const ms = lateMs(nth++)
    if (ms === 0) return undefined
    if (ms !== undefined) setTimeout(() => void shop.fetch(request()), ms)
    return Promise.resolve(new Response('', { status }))
  })
}

it('an order that came right while the run went on was not lost: it names --settle-ms', async () => {
  // Some jobs are tried again: later than an order has to stand still, and later than the whole run.
  const late = (ms: number) => {
    const options = slow(200, (nth) => (nth === 2 ? ms : 0))
    return inFakeTime(() => prove({ ...options, orders: 20, kinds: ['paid', 'refunded'] }))
  }
  const { findings } = await late(60_000)
  expect(findings.map(({ advice }) => advice)).toEqual([
    expect.stringMatching(/^The same story ends differently.* Is it right later\? Pass --settle-ms 6000\.$/),
  ])
  const report = await late(4_000)
  expect(report.findings, reportText(report)).toEqual([])
  expect(report.late?.ms).toBeGreaterThanOrEqual(4_000)
  expect(reportText(report)).toMatch(
    /^Right, but late: \d+ orders?, up to \d+ ms\. Pass --settle-ms \d+000: it is faster/m,
  )
})

it('a loss behind a 202 names the --settle-ms with which it would be none', async () => {
  const options = slow(202, (nth) => (nth % 9 === 6 ? undefined : 50))
  const report = await inFakeTime(() => prove({ ...options, orders: 0, kinds: ['paid'] }))
  const lost = report.findings.filter(({ verdict }) => /not shipped|lost/.test(verdict))
  expect(lost.length).toBeGreaterThan(0)
  for (const { advice } of lost) expect(advice).toMatch(/ Is it right later\? Pass --settle-ms \d+000\.$/)
})

it('a first order that is not right in time names --settle-ms', async () => {
  const options = slow(200, () => 15_000)
  await expect(inFakeTime(() => prove({ ...options, orders: 0 }))).rejects.toThrow(
    /is it right within 10 s\? Is it right later\? Pass --settle-ms 20000\./,
  )
  const more = { ...options, settleMs: 20_000, orders: 0, kinds: ['paid'] as const, maxSeconds: 10_000 }
  expect((await inFakeTime(() => prove(more))).findings).toEqual([])
})

it('a worker that refunds long after the press is right', { timeout: 60_000 }, async () => {
  const { emulator, events, receive, client } = openShop()
  const pressed = new Set<string>()
  const refund: Press = async ({ key, order_id, amount, currency }) => {
    if (pressed.has(order_id)) return
    pressed.add(order_id)
    const make = () => client.refundPayment({ order_id, order_currency: currency, refund_amount: amount })
    setTimeout(() => void make().catch(() => {}), 9_000)
    return key
  }
  const { findings } = await inFakeTime(() => play(events, receive, emulator, { refund }))
  expect(findings.filter(({ attacks }) => attacks.some((one) => one.startsWith('refund')))).toEqual([])
})
