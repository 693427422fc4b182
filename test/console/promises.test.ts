// The promises of the console, as tables: who may do what up to which amount, what each outcome is called, what a file and a
// page say of times.
import { describe, expect, it } from 'vitest'
import { startOf } from '../../src/shop/console/lib/shop-day.ts'
import { shortTimeOf, timeOf } from '../../src/shop/console/lib/time.ts'
import { linkPill, untilOf } from '../../src/shop/console/pages/link-parts.ts'
import { outcomeByCode, shownId } from '../../src/shop/console/visit.ts'
import { wordsIn } from '../../src/shop/console/words/words.ts'
import type { Shop } from '../../src/shop/index.ts'
import { ownLog, World } from '../worker/support/world.ts'
import { Browser, formsOf, formTo, mount, orderOf, payOrder, type Shown } from './support/browser.ts'

const en = wordsIn('en')

type Api = Shop['api']

/** Someone signed in, over a shop whose API may respond otherwise. */
async function open(method: 'purchase' | 'auth' = 'purchase', SHOP_TZ = '') {
  const world = new World({ env: { SHOP_TZ } })
  await payOrder(world, method)
  await world.advance(20_000)
  const real: Api = (...call) => world.shop.api(...call)
  const shop: { api: Api } = { api: real }
  const send = mount(
    Object.assign(Object.create(world), {
      shop: { ...world.shop, api: (...call: Parameters<Api>) => shop.api(...call) },
    }),
  )
  return { world, shop, real, browser: await new Browser(send).signIn() }
}
const titleOf = ({ text }: Shown): string | undefined => /<h1><bdi>(.*?)<\/bdi>/.exec(text)?.[1]
const step = async (browser: Browser, act: string, values = {}): Promise<Shown> =>
  browser.submit(formTo(await browser.open('/console/orders/A-1'), `/console/orders/A-1/${act}`), values)

describe('an act whose response is lost', () => {
  it.each(['refund', 'resend', 'erase'])(
    '%s: may have been done, and is tried again under the same key',
    async (act) => {
      const { shop, real, browser, world } = await open()
      const form = formTo(await step(browser, act), `/console/orders/A-1/${act}/confirm`)
      shop.api = async (request, ...rest) => {
        const response = await real(request, ...rest)
        if (request.method === 'GET') return response
        throw new Error('The connection was lost.')
      }
      const lost = await browser.submit(form)
      expect([lost.status, titleOf(lost)]).toEqual([503, en.problems.outcome_unknown.title])
      shop.api = real
      const again = formTo(lost, `/console/orders/A-1/${act}/confirm`)
      expect(again.fields).toEqual({ ...form.fields, csrf: again.fields.csrf })
      expect((await browser.submit(again)).status).toBe(200)
      await world.advance(5_000)
      expect((await orderOf(world)).totals.refunded_minor).toBe(act === 'refund' ? 10_050 : 0)
    },
  )

  it('may have been done too where the page after it cannot be made; of a page that only reads nothing was changed', async () => {
    const { shop, real, browser } = await open()
    const form = formTo(await step(browser, 'refund'), /\/confirm$/)
    shop.api = async (request, ...rest) =>
      request.url.includes('/attention') ? Response.json({}, { status: 503 }) : real(request, ...rest)
    const order = await browser.open('/console/orders/A-1')
    expect(order.status).toBe(200)
    shop.api = async () => Response.json({ operation_id: '\ud800' })
    const lines: unknown[][] = []
    const shown = await ownLog.run(lines, () => browser.submit(form))
    expect([shown.status, titleOf(shown)]).toEqual([503, en.problems.outcome_unknown.title])
    // Nor a menu, which asks the shop for a count.
    expect([String(lines), shown.text.includes('<nav')]).toEqual([expect.stringContaining('console_failed'), false])
    shop.api = async () => {
      throw new Error('The connection was lost.')
    }
    const read = await browser.open('/console/orders/A-1')
    expect([read.status, titleOf(read)]).toEqual([503, en.failed.title])
    const titled = async (status: number) => {
      shop.api = async () => Response.json({ status, code: 'x' }, { status })
      return titleOf(await browser.open('/console/record'))
    }
    expect([await titled(499), await titled(500)]).toEqual([en.notFound.title, en.failed.title])
    shop.api = async () => Response.json({ code: 'not_found' }, { status: 404 })
    expect(titleOf(await browser.submit(formTo(order, /notes$/), { text: 'x' }))).toBe(en.noOrder.title)
  })
})

it.each([
  [409, '/console/orders/A-1', en.messages.open],
  [422, '/console/orders/A-1', en.messages.open],
  [503, '/console/orders/A-1/resend/confirm', en.problems.not_sent.body],
])('finding out that is rejected with %d leads to %s', async (status, url, says) => {
  const { shop, real, browser } = await open()
  shop.api = async (request, ...rest) => {
    if (request.method !== 'GET') return Response.json({ status, code: 'state' }, { status })
    const response = await real(request, ...rest)
    const body = (await response.json()) as object
    const attempts = [{ id: 'x', kind: 'refund', amount: 1 }]
    return Response.json({ ...body, ...('attempts' in body && { attempts }) }, response)
  }
  const shown = await browser.submit(formTo(await browser.open('/console/orders/A-1'), /find$/))
  expect([shown.url, shown.text]).toEqual([url, expect.stringContaining(says as string)])
  // Trying again asks the service for the refund.
  expect(formsOf(shown).some(({ fields }) => fields.operation === 'refund')).toBe(status === 503)
})

it.each([
  [500, {}, en.failed.body],
  [499, {}, en.newLink.wrong],
  [409, { code: 'no_origin' }, en.newLink.origin],
  [400, { detail: 'customer_phone' }, en.newLink.fields.phone],
  [400, { detail: 'customer_email' }, en.newLink.fields.email],
  [400, { detail: 'customer_lname' }, en.newLink.fields.name],
  [400, { detail: 'description' }, en.newLink.fields.description],
])('a link that the API rejects with %d %j is not made, and the form says so', async (status, problem, says) => {
  const { shop, real, browser } = await open()
  const form = formTo(await browser.open('/console/new-link'), /new-link/)
  shop.api = async (request, ...rest) =>
    request.method === 'GET' ? real(request, ...rest) : Response.json({ status, code: 'x', ...problem }, { status })
  const shown = await browser.submit(form, { amount: '5', currency: 'UAH', description: 'A mug' })
  expect([shown.status, shown.text]).toEqual([400, expect.stringContaining(says as string)])
})

describe('what an act that failed is called', () => {
  type Said = keyof typeof en.problems
  it.each<[status: number, problem: object, says: Said, mayRetry?: boolean]>([
    [412, { code: 'order_changed' }, 'order_changed'],
    [422, { code: 'idempotency_key_reused' }, 'idempotency_key_reused'],
    [409, { code: 'paid_twice', attempts: ['A-1', 'A-1~12'] }, 'paid_twice'],
    [502, { code: 'outcome_unknown', detail: 'socket' }, 'outcome_unknown', true],
    [503, { code: 'state' }, 'not_sent', true],
    [503, { code: 'connection' }, 'not_sent', true],
    [409, { code: 'order_rebuilt' }, 'not_sent', true],
    [500, { code: 'config' }, 'config'],
    [400, { code: 'invalid_input', detail: 'refund_amount: too much' }, 'rejected'],
    [422, { code: 'refund_not_executed' }, 'not_executed'],
    [409, { code: 'refund_unsettled' }, 'earlier'],
    [409, { code: 'refund_in_progress' }, 'earlier'],
    [422, { code: 'api', service: { code: '4009' } }, 'rejected'],
    [409, { code: 'declined', record: { status_code: '4009' } }, 'declined'],
    [503, { code: 'api' }, 'not_sent', true],
    [403, { code: 'role' }, 'forbidden'],
    [499, { code: 'role' }, 'forbidden'],
    [500, { code: 'internal' }, 'outcome_unknown', true],
  ])('%d %j', async (status, problem, says, mayRetry = false) => {
    const { shop, real, browser } = await open()
    const form = formTo(await step(browser, 'refund', { amount: '40' }), /\/confirm$/)
    shop.api = async (request, ...rest) =>
      request.method === 'GET' ? real(request, ...rest) : Response.json({ status, title: 'x', ...problem }, { status })
    const shown = await browser.submit(form)
    const retries = formsOf(shown).filter(({ action }) => action.endsWith('/refund/confirm'))
    expect([shown.status, titleOf(shown), retries.length > 0]).toEqual([status, en.problems[says].title, mayRetry])
    if (mayRetry) expect(retries[0]?.fields.key).toBe(form.fields.key)
    expect(shown.text.includes('<details>')).toBe(says === 'rejected' && 'detail' in problem)
    for (const [i, attempt] of ('attempts' in problem ? ['A-1~1', 'A-1~12'] : []).entries())
      expect(shown.text).toContain(`href="/console/orders/${attempt}">${en.payment(i + 1)}<`)
    expect(shown.text.includes(en.reasons['4009'] as string)).toBe('service' in problem || 'record' in problem)
  })
})

it.each([
  ['auth', ['cancel', 'capture', 'erase', 'notes', 'resend', 'void']],
  ['purchase', ['erase', 'notes', 'refund', 'resend']],
] as const)(
  'an order of %s shows the acts that it allows, and each form has a token that is its own',
  async (method, acts) => {
    const { browser } = await open(method)
    const shown = await browser.open('/console/orders/A-1')
    const forms = formsOf(shown).filter(({ action }) => action.includes('/orders/'))
    expect(forms.map(({ action }) => action.split('/').at(-1)).sort()).toEqual(acts.filter((act) => act !== 'cancel'))
    expect(new Set(forms.map(({ fields }) => fields.csrf)).size).toBe(forms.length)
    // A reserved sum is not taken.
    expect((await browser.open('/console/orders')).text.includes('<span class="off">')).toBe(method === 'auth')
    for (const form of forms) {
      const [other] = forms.filter((one) => one !== form)
      expect((await browser.submit(form, { csrf: other?.fields.csrf ?? '' })).status).toBe(403)
    }
  },
)

it.each([
  [
    'orders',
    'q=mug&from=2026-03-28&to=2026-03-29&state=waiting',
    '?limit=20&state=waiting%2Cpending&search=mug&from=2026-03-27T22%3A00%3A00.000Z&to=2026-03-29T21%3A00%3A00.000Z',
  ],
  ['orders', 'state=any', '?limit=20&flag=any'],
  ['links', 'state=paid', '?state=paid'],
  ['record', '', '?limit=50'],
])('the page after /%s?%s asks for the same', async (name, query, asked) => {
  const { shop, real, browser } = await open('purchase', 'Europe/Kyiv')
  const calls: string[] = []
  shop.api = async (request, ...rest) => {
    const { pathname, search } = new URL(request.url)
    if (pathname !== `/api/${name === 'record' ? 'audit' : name}`) return real(request, ...rest)
    calls.push(search)
    const response = await real(new Request(new URL(pathname, request.url)), ...rest)
    return Response.json({ ...((await response.json()) as object), cursor: 'on' })
  }
  const { text } = await browser.open(`/console/${name}?${query}`)
  const [, older = ''] = new RegExp(`href="(/console/${name}\\?[^"]*cursor=on)"`).exec(text) ?? []
  await browser.open(older.replaceAll('&amp;', '&'))
  expect(calls).toEqual([asked, `${asked}&cursor=on`])
})

it('what needs attention is said in words, as far as they are known, and when there is more of it', async () => {
  const { shop, real, browser } = await open()
  const kinds = ['flag paid_twice', 'checkout_open', 'stray', 'newer', 'flag newer'].map((one) => one.split(' '))
  const item = { order_id: 'A-1', text: 'Look.', at: '2026-03-01T10:00:00Z' }
  const items = kinds.map(([kind, flag]) => ({ ...item, kind, flag }))
  const says = async (more: boolean) => {
    shop.api = async (request, ...rest) =>
      request.url.includes('/attention') ? Response.json({ items, more, count: 4 }) : real(request, ...rest)
    const { text } = await browser.open('/console/attention')
    return [...text.matchAll(/<(?:h2|p|p class="quiet")>([^<]+)</g)].map(([, said]) => said)
  }
  const { flags, attention } = en
  const { flag, checkout_open, stray } = attention.kinds
  const known = [checkout_open, attention.says.checkout_open, stray, attention.says.stray]
  const shown = [flag, flags.paid_twice, 'Look.', ...known, 'newer', 'Look.']
  expect([await says(true), await says(false)]).toEqual([[...shown, attention.more], shown])
})

it('the page of some days has the totals of each currency, and a row for each day and each method where there are several', async () => {
  const { shop, real, browser } = await open()
  const row = (currency: string, method: string, ...sums: number[]) => {
    const [paid_minor, captured_minor, refunded_minor, taken_minor, fee_minor] = sums
    return { day: '2026-03-01', currency, method, paid_minor, captured_minor, refunded_minor, taken_minor, fee_minor }
  }
  const rows = [
    row('UAH', 'card', 900, 50, 100, 850, 7),
    row('UAH', 'cash', 1, 2, 4, -1, 3),
    row('EUR', 'card', 5, 0, 0, 5, 1),
  ]
  const days = [...rows, { ...rows[0], day: '2026-03-02' }]
  const account = { id: 'account-1', name: '', currency: 'EUR', balances: { available: 1, rolling_reserve: null } }
  shop.api = async (request, ...rest) => {
    if (request.url.includes('/api/balances')) return Response.json({ accounts: [account] })
    return request.url.includes('/api/days') ? Response.json({ days }) : real(request, ...rest)
  }
  const { text } = await browser.open('/console/day?from=2026-03-01&to=2026-03-02')
  const [totals = '', accounts = ''] = text.split('class="side"')
  expect(accounts).toMatch(/account-1<[^€]*€1\.00<\/bdi><\/dd><\/dl>/)
  const [dates = '', ...currencies] = totals.split('<h2>').slice(1)
  expect(dates).toContain('1 Mar 2026 – 2 Mar 2026')
  const numbers = (text: string, cell: RegExp) =>
    [...text.matchAll(cell)].map(([, sum = '']) => sum.replace(/[^-\d.]+/g, '')).join(' ')
  const [uah = '', eur = ''] = currencies
  expect(currencies.map((one) => numbers(one, /<dd><bdi>(.*?)</g))).toEqual([
    '18.01 1.02 2.04 16.99 0.17 16.82',
    '0.05 0.00 0.00 0.05 0.01 0.04',
  ])
  const table = (text: string) =>
    [...text.matchAll(/<tr><th scope="row"><bdi>(.*?)<.*?width="([\d.]+)"(.*?)<\/tr>/gs)].map(
      ([, name, width, cells = '']) => [name, width, numbers(cells, /<td class="n">(.*?)</g)],
    )
  expect(table(uah)).toEqual([
    ['1 Mar', '99.9', '8.49 0.10 8.39'],
    ['2 Mar', '100.0', '8.50 0.07 8.43'],
    ['Card', '100.0', '17.00 0.14 16.86'],
    ['cash', '0.1', '-0.01 0.03 -0.04'],
  ])
  expect(table(eur)).toEqual([])
})

it('a cell that a spreadsheet would run is quoted, and the file has every page of what is asked for', async () => {
  const { shop, browser } = await open()
  const cells = ['=1', '+1', '-1', '@x', '\tx', '\rx', 'x=1', '"x"', '']
  const day = '2026-03-01'
  const row = { day, at: `${day}T10:00:00.000Z`, order_id: 'A', kind: 'paid', method: 'card', currency: 'UAH' }
  shop.api = async ({ url }) => {
    const isRest = new URL(url).searchParams.get('cursor') === 'on'
    const operations = cells.slice(...(isRest ? [4] : [0, 4])).map((reference) => ({ ...row, reference }))
    return Response.json({ operations, cursor: isRest ? null : 'on' })
  }
  const lines = (await (await browser.raw('/console/day.csv')).text()).split('\r\n').slice(1, -1)
  expect(lines.map((line) => line.split(',').at(-1)).join()).toBe(
    `"'=1","'+1","'-1","'@x","'\tx","'\rx","x=1","""x""",""`,
  )
  shop.api = async () => Response.json({ operations: [], cursor: 'on' })
  const endless = await browser.open('/console/day.csv')
  expect([endless.status, titleOf(endless)]).toEqual([413, en.failed.title])
  expect(endless.text).toContain(en.day.wrong)
})

describe('in a zone that is not UTC', () => {
  it.each([
    ['2026-03-01T22:30:00Z', '2 Mar 2026, 00:30'],
    // Without a zone it is as the service wrote it.
    ['2026-03-01T22:30:00.000', '1 Mar 2026, 22:30'],
    ['2026-03-01 22:30:00', '1 Mar 2026, 22:30'],
    ['2026-03-01T22:30:00+0100', '1 Mar 2026, 23:30'],
    ['soon', 'soon'],
    [null, ''],
  ])('%j is %j', (text, expected) => {
    expect(timeOf(en, text, 'Europe/Kyiv')).toBe(expected)
  })

  it('today is the shop’s day, and a link lasts to the end of the day that was chosen', async () => {
    const { world, browser } = await open('purchase', 'Europe/Kyiv')
    world.time = Date.parse('2026-03-01T22:00:00Z')
    await browser.signIn()
    expect((await browser.open('/console/day')).text).toContain('name="from" value="2026-03-02" type="date" required')
    // Where `edgetill dev` has moved the clock on, the day is that one's.
    const ahead = { BASE_URL: 'http://localhost:8787', CLOCK_AHEAD_MS: '86400000' } as object
    const later = await (await new Browser(mount(new World({ env: ahead }))).signIn()).open('/console/day')
    expect(later.text).toContain('name="from" value="2026-03-02"')
    const form = formTo(await browser.open('/console/new-link'), '/console/new-link')
    const filled = { amount: '5', currency: 'UAH', description: 'A mug', until: '2026-03-28' }
    expect((await browser.submit(form, { ...filled, until: '2026-03-01' })).status).toBe(400)
    expect((await browser.submit(form, filled)).status).toBe(200)
    const { links } = (await (await world.api('/api/links')).json()) as { links: { expires_at: string }[] }
    expect(links[0]?.expires_at).toBe('2026-03-28T22:00:00.000Z')
    const kyiv = { SHOP_TZ: 'Europe/Kyiv' } as never
    const begins = ['2026-03-29', '2026-03-30', '2026-10-25', '2026-10-26'].map((day) =>
      new Date(startOf(kyiv, day)).toISOString(),
    )
    const short = (text: string) => shortTimeOf(en, text, kyiv, '2026-03-02')
    const times = ['2026-03-01T22:30:00Z', '2026-01-02T12:00:00Z', '2025-03-02T12:00:00Z'].map(short)
    expect(times).toEqual(['00:30', '2 Jan, 14:00', '2 Mar 2025, 14:00'])
    for (const [SHOP_TZ, wanted] of [
      ['Pacific/Kiritimati', '2026-02-28T10:00'],
      ['America/Los_Angeles', '2026-03-01T08:00'],
      ['', '2026-03-01T00:00'],
    ]) {
      const env = { SHOP_TZ } as never
      expect(new Date(startOf(env, '2026-03-01')).toISOString()).toContain(wanted)
      const link = { expires_at: new Date(startOf(env, '2026-03-01', 1)).toISOString() }
      expect(untilOf({ words: en, c: { env } } as never, link as never)).toEqual([en.link.until, '1 Mar 2026'])
    }
    expect(begins.map((time) => time.slice(5, 16)).join()).toBe('03-28T22:00,03-29T21:00,10-24T21:00,10-25T22:00')
  })
})

it('a code of an error stands for words, in the record too', () => {
  expect(['api', 'over_limit', 'x'].map(outcomeByCode)).toEqual(['rejected', 'forbidden', undefined])
})

it('a link for anybody says when all its orders are taken', () => {
  const says = (taken: number, max_orders: number | null) =>
    String(
      linkPill(en, {
        state: 'opened',
        reusable: { ...{ made: 9, sold: 0, taken }, max_orders, max_per_hour: 60, closing: false },
      }),
    )
  const { full, anybody } = en.link
  for (const [pill, text] of [
    [says(1, 2), anybody],
    [says(2, 2), full],
    [says(9, null), anybody],
  ])
    expect(pill).toContain(text)
})

it('another try at paying an order is shown as the order', () => {
  expect(['mugs', 'mugs~2', 'mugs~12', 'a~b', 'a~b~3'].map(shownId)).toEqual(['mugs', 'mugs', 'mugs', 'a~b', 'a~b'])
})
