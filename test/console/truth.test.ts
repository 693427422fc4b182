// The console says what is true: no two places of it contradict each other or the API, and nobody is asked about what is known.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { moneyState } from '../../src/orders/money-state.ts'
import { shortTimeOf, timeOf } from '../../src/shop/console/lib/time.ts'
import { wordsIn } from '../../src/shop/console/words/words.ts'
import type { AttentionList } from '../../src/shop/engine/attention.ts'
import type { ShownOrder } from '../../src/shop/engine/show.ts'
import { resultLink } from '../../src/shop/lib/links.ts'
import { money } from '../../src/shop/pages/money.ts'
import type { ListedOrder } from '../../src/shop/routes/calls.ts'
import { eventually } from '../support/eventually.ts'
import { check, SEED } from '../support/property.ts'
import { payment, secondary } from '../worker/support/events.ts'
import { LINK_SECRET, ORIGIN, World } from '../worker/support/world.ts'
import { Browser, formsOf, formTo, mount, payOrder, type Shown } from './support/browser.ts'

/** The filters of *Orders*, with the states whose pill an order of theirs has. */
const FILTERED: Record<string, string[]> = {
  success: ['paid', 'reserved', 'partly_charged', 'partly_refunded'],
  waiting: ['waiting', 'pending'],
  refunded: ['refunded', 'partly_refunded'],
  failure: ['failed'],
}

const en = wordsIn('en')

const KYIV = 'Europe/Kyiv'
const plain = ({ text }: Pick<Shown, 'text'>): string =>
  text
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('\u00a0', ' ')
    .replaceAll(/\s+/g, ' ')
const json = async <T>(world: World, path: string): Promise<T> => (await (await world.api(path)).json()) as T
const uah = (minor: number): string => money(en, minor / 100, 'UAH').replaceAll('\u00a0', ' ')

async function open(options: ConstructorParameters<typeof World>[0] = {}) {
  const world = new World({ failures: 0, ...options, env: { SHOP_TZ: KYIV, ...options.env } })
  return { world, browser: await new Browser(mount(world)).signIn() }
}

/** The state and the sum that a page, or a row of one, shows first. */
function shownFirst(text: string): { state: string; sum: string } {
  const [, state = ''] = /<span class="pill \w+"><span aria-hidden="true">.<\/span> ([^<]+)</.exec(text) ?? []
  const [, sum = ''] = /<p class="sum"><bdi>([^<]*)</.exec(text) ?? []
  return { state, sum }
}

/** The row of an order on a page that lists orders. */
function rowOf({ text }: Shown, order_id: string): { state: string; sum: string; isTaken: boolean; row: string } {
  const row = text.split('<li class="row">').find((part) => part.includes(`/orders/${order_id}"`)) ?? ''
  const [, off, sum = ''] = /<span class="(off)?">([^<]*)<\/span><\/li>/.exec(row) ?? []
  return {
    state: shownFirst(row).state,
    sum,
    isTaken: off === undefined,
    row: plain({ text: row.split('</li>')[0] ?? '' }),
  }
}

/** The events of an order after its payment. */
const step = fc.record({
  method: fc.constantFrom('capture', 'refund', 'void'),
  status: fc.constantFrom('success', 'success', 'pending', 'failure'),
  amount: fc.constantFrom(10, 25.5, 40, 100),
  seconds: fc.integer({ min: 1, max: 7_200 }),
})
const history = fc.record({
  method: fc.constantFrom('purchase', 'auth'),
  status: fc.constantFrom('success', 'success', 'success', 'failure', 'pending', 'init'),
  // The day of Kyiv ends two hours before that of UTC.
  starts: fc.constantFrom('2026-03-28T20:00:00Z', '2026-03-28T21:40:00Z', '2026-03-28T23:59:00Z'),
  /** Minutes for which the bank is asked before. */
  waits: fc.constantFrom(0, 0, 61),
  steps: fc.array(step, { maxLength: 5 }),
})

it(`seed ${SEED}: no two places contradict each other or the API, after any history`, async () => {
  await check(
    fc.asyncProperty(fc.array(history, { minLength: 1, maxLength: 3 }), async (histories) => {
      const world = new World({ failures: 0, env: { SHOP_TZ: KYIV } })
      world.time = Math.max(...histories.map(({ starts }) => Date.parse(starts)))
      for (const [i, { method, status, waits, steps }] of histories.entries()) {
        const paid = payment(`O-${i}`, { method, status, amount: 100 })
        if (waits > 0) await world.deliver({ ...paid, status: 'pending', processed_at: undefined })
        world.time += waits * 60_000
        await world.deliver(paid)
        for (const { seconds, ...fields } of steps) {
          world.time += seconds * 1_000
          await world.deliver(secondary(`O-${i}`, fields.method, fields))
        }
      }
      await world.advance(61_000)
      await world.advance(61_000)
      const browser = await new Browser(mount(world)).signIn()
      const list = await browser.open('/console/orders')
      const { orders } = await json<{ orders: ListedOrder[] }>(world, '/api/orders')
      for (const [name, states] of Object.entries(FILTERED)) {
        const { text } = await browser.open(`/console/orders?state=${name}`)
        const shown = [...text.matchAll(/href="\/console\/orders\/([^"?]+)"/g)].map(([, one]) => one)
        const own = orders.filter((one) => states.includes(moneyState(one).state))
        expect([name, shown]).toEqual([name, own.map(({ order_id }) => order_id)])
      }
      const attention = await json<AttentionList>(world, '/api/attention')
      const home = await browser.open('/console/')
      const count = attention.count > 0 ? `(${attention.count}) ` : ''
      for (const { text } of [home, list])
        expect(text).toContain(`<title>${count}${text === home.text ? 'Today' : 'Orders'}`)
      const day = new Intl.DateTimeFormat('en-CA', { timeZone: KYIV })
      const today = day.format(world.time)
      let takenOfRows = 0
      for (const i of histories.keys()) {
        const id = `O-${i}`
        const order = await json<ShownOrder>(world, `/api/orders/${id}`)
        const listed = orders.find((one) => one.order_id === id) as ListedOrder
        const page = await browser.open(`/console/orders/${id}`)
        const customers = await browser.open(await resultLink(ORIGIN, id, LINK_SECRET))
        const first = shownFirst(page.text)
        const row = rowOf(list, id)
        expect([row.state, row.sum], 'the list').toEqual([first.state, first.sum])
        if (order.status === 'success') {
          const { row: homeRow, ...rest } = rowOf(home, id)
          expect({ ...rest, row: row.row }, 'Today').toEqual(row)
          expect(homeRow).toContain(shortTimeOf(en, order.status_at as string, { SHOP_TZ: KYIV }, today))
        }
        const isDue = attention.items.some(({ order_id }) => order_id === id)
        expect(row.row.includes(en.orders.check), 'attention').toBe(isDue)
        const isOpen = order.status !== 'success' && order.status !== 'failure'
        const acts = formsOf(page).map(({ action }) => action.split('/').at(-1))
        expect(acts.includes('cancel'), 'cancel').toBe(isOpen)
        expect([listed.status, listed.totals, listed.status_at]).toEqual([order.status, order.totals, order.status_at])
        const {
          authorized_minor: authorized,
          captured_minor: captured,
          refunded_minor: refunded,
          voided_minor: voided,
        } = order.totals
        const back = refunded + (order.method === 'auth' ? 0 : voided)
        const held = order.status === 'success' ? Math.max(captured - back, 0) : 0
        expect(row.isTaken, `${row.state} is taken`).toBe(held > 0)
        if (held > 0) expect(row.sum).toBe(uah(held))
        takenOfRows += row.isTaken ? held : 0
        if (order.status === 'success') {
          const [, sum = ''] = /<p class="sum">([^<]*)</.exec(customers.text) ?? []
          expect(sum, 'the customer’s page').toBe(first.sum)
          const at = order.status_at as string
          expect(plain(page)).toContain(timeOf(en, at, KYIV).replaceAll('\u202f', ' '))
          expect(plain(customers)).toContain(timeOf(en, at, KYIV))
          // Beneath the day that it is listed on.
          const head = day.format(Date.parse(listed.listed_at))
          expect(row.row).toContain(shortTimeOf(en, at, { SHOP_TZ: KYIV }, head))
        }
        // The form offers the amount that is left, pending operations counted.
        const moving = (kind: string) =>
          order.operations
            .filter((one) => one.method === kind && one.status === 'pending')
            .reduce((sum, { amount }) => sum + Math.round((amount ?? 0) * 100), 0)
        const left = {
          refund: captured - refunded - moving('refund'),
          capture: authorized - captured - voided - moving('capture') - moving('void'),
        }
        // A void releases a whole reservation, of which nothing is on its way.
        const isStill = ['capture', 'refund', 'void'].every((kind) => moving(kind) === 0)
        expect(acts.includes('void'), 'void').toBe(isStill && captured === 0 && left.capture > 0)
        for (const act of ['refund', 'capture'] as const) {
          const form = formsOf(page).find(({ action }) => action.endsWith(`/${act}`))
          expect([act, form?.fields.amount ?? '0.00']).toEqual([act, (Math.max(left[act], 0) / 100).toFixed(2)])
          if (!form) continue
          const next = await browser.submit(form)
          expect([next.status, plain(next).includes(uah(left[act]))]).toEqual([200, true])
        }
        if (first.state === en.states.partly_refunded)
          expect(plain(page)).toContain(en.order.leftOf(uah(captured), uah(refunded)))
        // The same moments in the story, in the file and in the API.
        const [, story = ''] = page.text.split('<ol class="story">')
        for (const one of order.operations) {
          expect(plain({ text: story.split('</ol>')[0] ?? '' })).toContain(timeOf(en, one.received_at, KYIV))
          const receipt = await browser.open(`/console/orders/${id}/receipt/${one.id}`)
          expect(plain(receipt)).toContain(timeOf(en, one.received_at, KYIV))
        }
      }
      const from = '2026-03-28'
      type Row = { order_id: string; at: string; day: string; kind: string; amount: number }
      const { operations } = await json<{ operations: Row[] }>(
        world,
        `/api/operations?from=${from}&to=2026-04-03&limit=100`,
      )
      const file = (await browser.open(`/console/day.csv?from=${from}&to=2026-04-03`)).text.split('\r\n').slice(1, -1)
      expect(file.length).toBe(operations.length)
      for (const [i, { order_id, at, day: on }] of operations.entries()) {
        expect(on).toBe(day.format(Date.parse(at)))
        const order = await json<ShownOrder>(world, `/api/orders/${order_id}`)
        expect(order.operations.map(({ received_at }) => received_at)).toContain(at)
        const time = new Intl.DateTimeFormat('en-GB', { timeZone: KYIV, timeStyle: 'medium' }).format(Date.parse(at))
        expect(file[i]?.split(',').slice(0, 3)).toEqual([`"${on}"`, `"${time}"`, `"${order_id}"`])
      }
      const { days } = await json<{ days: { taken_minor: number }[] }>(world, `/api/days?from=${from}&to=2026-04-03`)
      const isPlain = orders.every(({ totals, status }) => status === 'success' || totals.captured_minor === 0)
      const taken = days.reduce((sum, one) => sum + one.taken_minor, 0)
      const overdrawn = orders.some(
        ({ totals: { captured_minor: captured, refunded_minor: refunded, voided_minor: voided } }) =>
          refunded > captured || voided > 0,
      )
      if (isPlain && !overdrawn) expect(takenOfRows, 'the rows add up').toBe(taken)
    }),
    12,
  )
}, 120_000)

describe('closing a link', () => {
  const FILLED = { amount: '45', currency: 'UAH', description: 'A bowl' }

  /** A link that a customer has opened, and how far they came. */
  async function opened(card?: 'success' | 'threeDSecure') {
    const { world, browser } = await open()
    const link = await browser.submit(formTo(await browser.open('/console/new-link'), '/console/new-link'), FILLED)
    const { links } = await json<{ links: { url: string; order_id: string }[] }>(world, '/api/links')
    const { url = '', order_id = '' } = links[0] ?? {}
    const path = new URL(url).pathname
    const post = new Request(url, { method: 'POST', redirect: 'manual' })
    const checkout = (await world.fetch(post)).headers.get('location') ?? ''
    if (card) await world.pay(checkout, card as never)
    await world.advance(1_000)
    return { world, browser, link, order_id, path, checkout }
  }
  const close = async (browser: Browser, url: string): Promise<Shown> =>
    browser.submit(formTo(await browser.open(`${url}/close`), /\/revoke$/))

  it('cancels the payment that was opened with it: the customer can no longer pay', async () => {
    const { world, browser, link, checkout, order_id } = await opened()
    const closed = await close(browser, link.url)
    expect(plain(closed)).toContain(en.link.ended.cancelled)
    await world.pay(checkout).catch(() => null)
    await world.advance(20_000)
    expect((await json<ShownOrder>(world, `/api/orders/${order_id}`)).totals.captured_minor).toBe(0)
    expect(plain(await browser.open(link.url))).toContain(en.link.ended.cancelled)
  })

  it('says that the customer has paid meanwhile', async () => {
    const { world, browser, link, order_id } = await opened()
    const step = await browser.open(`${link.url}/close`)
    const { url } = (await json<{ links: { url: string }[] }>(world, '/api/links')).links[0] as { url: string }
    const again = (await world.fetch(new Request(url, { method: 'POST', redirect: 'manual' }))).headers.get('location')
    await world.pay(String(again))
    const closed = await browser.submit(formTo(step, /\/revoke$/))
    await world.advance(20_000)
    expect(plain(closed) + plain(await browser.open(link.url))).toMatch(/has paid in the meantime|Paid/)
    expect(plain(closed)).not.toContain(en.link.closed)
    expect((await json<ShownOrder>(world, `/api/orders/${order_id}`)).totals.captured_minor).toBe(4_500)
  })

  it('says that the customer is confirming the payment, and may still pay', async () => {
    const { world, browser, link, order_id } = await opened()
    await world.deliver(payment(order_id, { amount: 45, status: 'pending' }))
    world.intercept = (url) => (url.includes('/cancel') ? Response.json({ code: 'x' }, { status: 409 }) : undefined)
    const closed = await close(browser, link.url)
    expect(plain(closed)).toContain(en.link.ended.pending)
  })

  it('says that it is not known, and can be finished', async () => {
    const { world, browser, link } = await opened()
    world.intercept = () => Promise.reject(new TypeError('The connection was reset.'))
    const closed = await close(browser, link.url)
    expect([plain(closed).includes(en.link.ended.unknown), plain(closed).includes(en.link.closed)]).toEqual([
      true,
      false,
    ])
    world.intercept = undefined
    // The service has confirmed it before its webhook is there.
    world.emulator.faults.next({ kind: 'drop' })
    const again = await browser.submit(formTo(closed, /\/cancel$/))
    expect(plain(again)).toContain(en.link.ended.cancelled)
  })

  it('is finished by the order where the program stops before it has cancelled', async () => {
    const { world, browser, link, checkout, order_id } = await opened()
    world.intercept = (url) => (url.includes('/cancel') ? new Promise<Response>(() => {}) : undefined)
    void close(browser, link.url)
    await eventually(async () => {
      const { links } = await json<{ links: unknown[] }>(world, '/api/links?state=revoked')
      expect(links).toHaveLength(1)
    })
    world.begin()
    world.intercept = undefined
    await world.advance(61_000)
    await world.pay(checkout).catch(() => null)
    await world.advance(20_000)
    const { status, totals } = await json<ShownOrder>(world, `/api/orders/${order_id}`)
    expect([status, totals.captured_minor]).toEqual(['failure', 0])
  })

  it('that nobody opened says that nobody can pay; its number leads to the link, not to an order that is not there', async () => {
    const { browser } = await open()
    const link = await browser.submit(formTo(await browser.open('/console/new-link'), '/console/new-link'), FILLED)
    const closed = await close(browser, link.url)
    expect(plain(closed)).toContain(en.link.closed)
    const id = link.url.split('/').at(-1) ?? ''
    expect((await browser.open(`/console/orders/${id}`)).url).toBe(`/console/links/${id}`)
    expect(closed.text).not.toContain(`/orders/${id}"`)
  })
})

describe('the record', () => {
  /** An order of 100.50 that was paid, and a refund of 100 that the console asked for and the service answered so. */
  async function refunded(status: string) {
    const { world, browser } = await open()
    await world.pay(await world.open(await world.link({ order_id: 'A-1', currency: 'EUR' })))
    await world.advance(2_000)
    const refund = secondary('A-1', 'refund', {
      amount: 100,
      currency: 'EUR',
      status,
      ...(status === 'failure' && { status_code: '4153' }),
    })
    world.intercept = (url) => (url.endsWith('/refund') ? Response.json(refund) : undefined)
    const first = await browser.submit(formTo(await browser.open('/console/orders/A-1'), /\/refund$/), {
      amount: '100',
    })
    await browser.submit(formTo(first, /\/confirm$/))
    world.intercept = undefined
    await world.advance(20_000)
    const results = async () => {
      const page = await browser.open('/console/orders/A-1')
      const { entries } = await json<{ entries: { action: string; result: string; currency?: string }[] }>(
        world,
        '/api/audit',
      )
      const entry = entries.find(({ action }) => action === 'refund')
      return { result: entry?.result, currency: entry?.currency, page }
    }
    return { world, browser, refund, results }
  }

  it.each([
    ['failure', 'rejected'],
    ['pending', 'pending'],
    ['success', 'done'],
  ])('of a refund that ends %s says %s, in its currency', async (status, result) => {
    const { browser, results } = await refunded(status)
    const shown = await results()
    expect([shown.result, shown.currency]).toEqual([result, 'EUR'])
    expect(plain(await browser.open('/console/record'))).toContain('€100.00')
    const text = en.record.results[result] as string
    expect(plain(shown.page)).toContain(text)
    if (result !== 'done') expect(plain(shown.page)).not.toMatch(/refund [^·]*· done/)
  })

  it('follows a refund that is settled later', async () => {
    const { world, refund, results } = await refunded('pending')
    // The service knows it: nobody has to look.
    expect(await json(world, '/api/orders?open=true')).toMatchObject({ orders: [] })
    await world.deliver({ ...refund, status: 'failure', status_code: '4153', processed_at: '2026-03-01T10:05:00.000' })
    await world.advance(61_000)
    expect((await results()).result).toBe('rejected')
  })

  it('says how a call ended whose answer was lost, as soon as its webhook is there', async () => {
    const { world, browser } = await open()
    await payOrder(world)
    await world.advance(2_000)
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'refund-payment' })
    const first = await browser.submit(formTo(await browser.open('/console/orders/A-1'), /\/refund$/), { amount: '10' })
    await browser.submit(formTo(first, /\/confirm$/))
    await world.emulator.deliveries.idle()
    await world.advance(1_000)
    const page = await browser.open('/console/orders/A-1')
    expect(plain(page)).toMatch(/Refund: done/)
    // Nobody is asked about what is known, and the record says it too.
    expect(formsOf(page).filter(({ action }) => /\/(find|settle)$/.test(action))).toEqual([])
    expect(page.text).not.toContain(en.record.results.outcome_unknown)
    const { attempts, record } = await json<ShownOrder>(world, '/api/orders/A-1')
    expect([attempts, record.map(({ action, result }) => [action, result])]).toEqual([[], [['refund', 'done']]])
  })
})

describe('what is not known', () => {
  async function lost(when: 'before_commit' | 'after_commit') {
    const { world, browser } = await open()
    await payOrder(world)
    await world.advance(2_000)
    world.emulator.faults.next({ kind: 'reset', when, on: 'refund-payment' })
    world.emulator.faults.next({ kind: 'delay', ms: 86_400_000, on: 'webhook' }, 9)
    const first = await browser.submit(formTo(await browser.open('/console/orders/A-1'), /\/refund$/), { amount: '10' })
    await browser.submit(formTo(first, /\/confirm$/))
    await world.advance(2_000)
    return { world, browser, page: await browser.open('/console/orders/A-1') }
  }
  const acts = (page: Shown) => formsOf(page).flatMap(({ action }) => /\/(find|settle)$/.exec(action)?.[1] ?? [])

  it('is found out by the service first: a person is asked when it could not say', async () => {
    const { world, browser, page } = await lost('after_commit')
    expect(acts(page)).toEqual(['find'])
    expect(plain(page)).toContain('Find out')
    expect(plain(page)).not.toContain('It was not done')
    const found = await browser.submit(formTo(page, /\/find$/))
    expect([found.url, plain(found).includes(en.messages.found as string), acts(found)]).toEqual([
      '/console/orders/A-1',
      true,
      [],
    ])
    expect((await json<ShownOrder>(world, '/api/orders/A-1')).totals.refunded_minor).toBe(1_000)
  })

  it('and that the service does not say is asked of a person once the alert is there', async () => {
    const { world, browser } = await lost('before_commit')
    world.intercept = (_, init) => (init?.method === 'POST' ? undefined : new Response('', { status: 403 }))
    for (let i = 0; i < 4; i++) await world.advance(11 * 60_000)
    await browser.signIn().catch(() => {})
    const page = await browser.open('/console/orders/A-1')
    expect(acts(page)).toEqual(['find', 'settle'])
    expect(plain(await browser.submit(formTo(page, /\/find$/)))).toContain(en.messages.open)
  })
})
