// Hostile text in every shown field, and storage or a service that fails: pages say what is known, and never more.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { API } from '../../src/shop/routes/api.ts'
import { check, SEED } from '../support/property.ts'
import { payment } from '../worker/support/events.ts'
import { ADMIN_TOKEN, failing, ORDER, ORIGIN, World } from '../worker/support/world.ts'
import { Browser, formTo, mount, orderOf, payOrder } from './support/browser.ts'

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onfocus='alert(1)",
  '</textarea></pre><form action="https://evil.example.com">',
  '\u202eevil\u202c',
  'x'.repeat(10_000),
]

/** The tags of a page that its own templates do not write. Escaped text has no tags. */
function foreign(text: string): string[] {
  const tags = [...text.matchAll(/<(\w+)([^>]*)>/g)].map(
    ([, name, rest = '']) => `${name}${rest.replaceAll(/"[^"]*"/g, '""')}`,
  )
  return [
    ...tags.filter((tag) => /^(script|img|style|iframe)|\s(on\w+|style)=|'/.test(tag)),
    ...[...text.matchAll(/(?:action|href|src)="(?!\/console|\?|#content")[^"]*"/g)].map(String),
  ]
}

async function seller(send = mount) {
  const world = new World()
  return { world, browser: await new Browser(send(world)).signIn() }
}

describe('a hostile text', () => {
  it.each(HOSTILE)('is shown as text in every field: %.30s', async (text) => {
    const { world, browser } = await seller()
    const short = text.slice(0, 200)
    const fields = {
      customer_fname: text,
      customer_lname: short,
      cc_mask: short,
      description: short,
      customer_email: short,
      status_description: short,
      status_code: short,
      created_at: short,
      processed_at: short,
      currency: text.slice(0, 3),
    }
    await world.deliver({ ...payment('A-1'), ...fields })
    const order_id = text.slice(0, 30)
    await world.deliver(payment(order_id))
    await browser.submit(formTo(await browser.open('/console/orders/A-1'), /notes$/), { text: text.slice(0, 1_000) })
    for (const path of ['/orders/A-1', `/orders/${encodeURIComponent(order_id)}`, '/attention', '/record', '/']) {
      const shown = await browser.open(`/console${path}`)
      expect([path, shown.status]).toEqual([path, 200])
      expect(foreign(shown.text)).toEqual([])
      const ids = [...shown.text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
      expect([path, ids.filter((id, i) => ids.indexOf(id) !== i)]).toEqual([path, []])
    }
  })

  it.each(['.', '..'])('that an address cannot hold has one as an order: %s', async (order_id) => {
    const { world, browser } = await seller()
    await world.deliver(payment(order_id))
    await world.advance(20_000)
    const { text } = await browser.open('/console/attention')
    const path = /href="(\/console\/orders\/[^"]+)"/.exec(text)?.[1] ?? ''
    expect(await browser.open(path)).toMatchObject({ status: 200, text: expect.stringContaining('100.50') })
    const order = `/api/orders/${path.split('/').at(-1)}`
    expect((await world.send(`${order}/refund`, { refund_amount: 1 }, 'r')).body.code).not.toBe('not_found')
    expect(await (await world.api(order)).json()).toMatchObject({ order_id, status: 'success' })
  })

  it.each(['%', '%zz', 'A%2FB', 'x'.repeat(2_000)])('in an address is no page: %.20s', async (part) => {
    const { browser } = await seller()
    const { status, text } = await browser.open(`/console/orders/${part}`)
    expect([404, 400]).toContain(status)
    expect(foreign(text)).toEqual([])
  })
})

/** A form, or JSON, that does not end. @returns How many MiB of it were read, and the status. */
async function endless(send: (request: Request) => Promise<Response>, url: string, init: RequestInit) {
  let pulled = 0
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    controller.enqueue(new Uint8Array(2 ** 16).fill(pulled++ === 0 ? 38 : 97))
    if (pulled > 1_000) controller.close()
  }
  const body = new ReadableStream({ pull })
  const { status } = await send(new Request(url, { ...init, body, duplex: 'half' } as RequestInit))
  return { mebibytes: pulled / 16, status }
}

describe('a body without an end', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }

  it('is read up to 64 KiB by every route, and dropped after 8 MiB', async () => {
    const { world, browser } = await seller()
    const paths = ['POST /webhooks', 'POST /checkout/x', 'POST /return/x', 'POST /nothing', ...Object.keys(API)]
    for (const call of paths) {
      const [method = '', path = ''] = call.split(' ')
      if (method === 'GET') continue
      for (const authorization of ['', `Bearer ${ADMIN_TOKEN}`]) {
        const headers = { ...form, authorization, 'idempotency-key': 'k' }
        const { mebibytes, status } = await endless((request) => world.fetch(request), ORIGIN + path, {
          method,
          headers,
        })
        expect([call, status, mebibytes <= 8.2]).toEqual([call, expect.toSatisfy((code) => code < 500), true])
      }
    }
    for (const path of ['/console/login', '/console/new-link', '/console/orders/A-1/notes', '/console/logout']) {
      for (const one of [browser, new Browser(mount(world))]) {
        const headers = { ...form, cookie: [...one.cookies].map((pair) => pair.join('=')).join('; '), origin: ORIGIN }
        const { mebibytes, status } = await endless(one.send, ORIGIN + path, { method: 'POST', headers })
        expect([path, status, mebibytes <= 8.2]).toEqual([
          path,
          expect.toSatisfy((code) => [403, 404].includes(code)),
          true,
        ])
      }
    }
  })
})

/** The first characters of a text, without half of a surrogate pair. */
const cut = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

/** The names of orders in lists, with pages of one entry each. */
const LISTS: [path: string, entries: string][] = [
  ['/api/orders?', 'orders'],
  ['/api/orders?reference=…&', 'orders'],
  ['/api/orders?search=…&', 'orders'],
  ['/api/operations?from=2026-03-01&to=2026-03-02&', 'operations'],
  ['/api/audit?', 'entries'],
  ['/api/links?', 'links'],
  ['/api/links?state=paid&', 'links'],
  ['/api/events?failing=true&', 'events'],
]

describe(`seed ${SEED}: any text`, () => {
  it('is an order’s id, its reference and a note, on every page of every list, in the day’s file and on every route', async () => {
    const letters = [...'Замовлення їЇ éÿĀ漢 😀🧾 %/~?#&+=\'"<>\\;,|\u202e\u0301', '%2F', '~0', '..']
    const drawn = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 250 })
    // A name of a further attempt is ours; a link takes no text that begins or ends with a space.
    const text = fc.oneof(drawn, fc.constant('Ї'.repeat(250))).map((one) => `${cut(one, 250).trim()}-`)
    const run = async (name: string) => {
      const world = new World({ onEvent: () => Promise.reject(new Error('down')) })
      const browser = await new Browser(mount(world)).signIn()
      const ids = ['', 'Ж', '🧾'].map((end) => name + end)
      const reference = cut(name, 128)
      const urlOf = new Map<string, string>()
      for (const order_id of ids) {
        const order = { ...ORDER, order_id }
        const body = JSON.stringify({ order, reference, longOrderId: true })
        const made = await world.api('/api/links', { method: 'POST', body })
        expect(made.status).toBe(201)
        const { url } = (await made.json()) as { url: string }
        urlOf.set(order_id, url)
        await world.pay(await world.open(url))
        await world.send(`/api/orders/${encodeURIComponent(order_id)}/notes`, { text: name }, 'k')
        await world.advance(60_000)
      }
      for (const [path, entries] of LISTS) {
        const found: unknown[] = []
        for (let cursor: string | null = ''; cursor !== null; ) {
          const more: string = cursor && `&cursor=${encodeURIComponent(cursor)}`
          const response = await world.api(`${path.replace('…', encodeURIComponent(reference))}limit=1${more}`)
          expect([path, response.status]).toEqual([path, 200])
          const page = (await response.json()) as Record<string, { order_id: string }[]> & { cursor: string | null }
          found.push(...(page[entries] ?? []).map(({ order_id }) => order_id))
          cursor = page.cursor
        }
        expect([path, [...new Set(found)].sort()]).toEqual([path, [...ids].sort()])
      }
      const csv = (await browser.open('/console/day.csv?from=2026-03-01&to=2026-03-02')).text
      for (const order_id of ids) {
        const id = encodeURIComponent(order_id)
        expect(csv).toContain(`${order_id.replaceAll('"', '""')}"`)
        expect(await world.order(order_id)).toMatchObject({ order_id, reference, status: 'success' })
        const pages = [`/orders/${id}`, `/links/${id}`, `/search?q=${id}`, '/record', '/attention', '/day']
        for (const path of [...pages.map((page) => `/console${page}`), `/return/${id}`, String(urlOf.get(order_id))])
          expect([path, (await browser.open(path)).status]).toEqual([path, 200])
        for (const act of ['refund', 'void', 'capture', 'cancel', 'resend']) {
          const fields = act === 'resend' ? { operation: 'purchase' } : {}
          const { status } = await world.send(`/api/orders/${id}/${act}`, fields, act)
          expect([act, status < 500]).toEqual([act, true])
        }
      }
    }
    await check(fc.asyncProperty(text, run), 4)
  }, 60_000)
})

it('amounts beyond exact hundredths are shown, flagged and added up, and one of 0 is paid', async () => {
  const { world, browser } = await seller()
  const largest = 90_071_992_547_409.91
  const orders = { 'A-1': [largest, 'UAH'], 'A-2': [largest, 'UAH'], 'A-3': [1.234, 'KWD'], 'A-4': [0, 'UAH'] } as const
  for (const [id, [amount, currency]] of Object.entries(orders)) await world.deliver(payment(id, { amount, currency }))
  await world.advance(60_000)
  const opened = async (path: string) => {
    const { status, text } = await browser.open(`/console${path}`)
    expect([path, status]).toEqual([path, 200])
    return text
  }
  for (const path of ['/', '/search?q=A', '/orders/A-1', '/day.csv']) await opened(path)
  expect(await opened('/day')).toContain('UAH 180,143,985,094,819')
  const plain = async (path: string) => (await opened(path)).replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ')
  expect(await plain('/orders/A-3')).toContain('Paid KWD 1.234')
  expect(await plain('/orders/A-4')).toContain('Paid UAH 0.00')
  expect((await world.order('A-3'))?.flags).toContain('unexpected_shape')
})

describe('a failure', () => {
  async function paid() {
    const here = await seller()
    await payOrder(here.world)
    await here.world.advance(2_000)
    const first = formTo(await here.browser.open('/console/orders/A-1'), /\/refund$/)
    const step = formTo(await here.browser.submit(first, { amount: '40' }), /\/refund\/confirm$/)
    const refunded = async () => (await orderOf(here.world)).totals.refunded_minor
    return { ...here, step, refunded }
  }

  it.each([
    ['before it is sent', 'before_commit', 'not known whether it was done'],
    ['after it was done', 'after_commit', 'not known whether it was done'],
  ] as const)('of the connection %s is not shown as a refund, and trying again finds out', async (_, when, words) => {
    const { world, browser, step, refunded } = await paid()
    world.emulator.faults.next({ kind: 'reset', when, on: 'refund-payment' })
    const lost = await browser.submit(step)
    expect([lost.status, lost.text]).toEqual([502, expect.stringContaining(words)])
    expect(lost.text).not.toContain('Refund: done')
    await world.advance(130_000)
    const again = await browser.submit(formTo(lost, /\/refund\/confirm$/))
    const isMade = when === 'after_commit'
    expect([await refunded(), again.status]).toEqual(isMade ? [4000, 200] : [0, 409])
    expect(again.text).toContain(isMade ? 'Refund: done' : 'It was not done')
  })

  it('of the service or the storage says that nothing was sent, and the same form can be sent again', async () => {
    const { world, browser, step, refunded } = await paid()
    const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
    world.intercept = () => Promise.reject(refused)
    const shown = await browser.submit(step)
    expect([shown.status, shown.text]).toEqual([503, expect.stringContaining('Nothing was sent')])
    world.intercept = undefined
    world.object.before = failing()
    const again = await browser.submit(step)
    expect([again.status, again.text]).toEqual([503, expect.stringContaining('Nothing was sent')])
    world.object.before = undefined
    expect(await refunded()).toBe(0)
    expect((await browser.submit(formTo(shown, /\/refund\/confirm$/))).text).toContain('Refund: done')
    await world.advance(5_000)
    expect(await refunded()).toBe(4000)
  })

  it('of the form: an old one whose key was used for another amount is not sent', async () => {
    const { world, browser, step, refunded } = await paid()
    await browser.submit(step)
    const other = await browser.submit(step, { amount: '41' })
    expect([other.status, other.text]).toEqual([422, expect.stringContaining('used already')])
    await world.advance(5_000)
    expect(await refunded()).toBe(4000)
  })
})
