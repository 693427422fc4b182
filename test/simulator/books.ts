// A shop whose every list, page and sum is compared with a model of plain arrays, after each step of a random history.

import { isDeepStrictEqual } from 'node:util'
import { moneyState } from '../../src/orders/money-state.ts'
import type { ShownOrder } from '../../src/shop/engine/show.ts'
import { Browser, mount } from '../console/support/browser.ts'
import { type Payload, payment, secondary, at as timeOf } from '../worker/support/events.ts'
import { unmarked } from '../worker/support/money.ts'
import { World } from '../worker/support/world.ts'
import { BooksModel, baseOf, type Known, type Link } from './books-model.ts'
import { Disturbances, type Played, type Schedule } from './schedule.ts'

const [SECOND, HOUR, DAY] = [1000, 3_600_000, 86_400_000]
const STEPS = 30
/** Ids that sort, begin or look oddly. */
const IDS = 'a a-1 a-10 a-2 ab B a% a_b =1+1 -2 @x "q" x~1 z __proto__ 10050'.split(' ')
/** The kinds of an operation in the console's file. */
const WORDS = { paid: 'paid', authorized: 'reserved', captured: 'charged', refunded: 'refunded', voided: 'released' }
const ZONES = ['Europe/Kyiv', 'America/Los_Angeles', 'Asia/Kathmandu', 'Pacific/Kiritimati']

interface Row extends Record<string, unknown> {
  order_id: string
}

class History {
  readonly wrong = new Set<string>()
  readonly log: string[] = []
  readonly disturbances: Disturbances
  readonly model: BooksModel
  readonly world: World
  private readonly browser: Browser
  private isBroken = false
  private count = 0
  private shown = new Map<string, ShownOrder>()

  constructor(schedule: Schedule) {
    this.disturbances = new Disturbances(schedule)
    const zone = this.pick(ZONES)
    this.model = new BooksModel(zone)
    this.world = new World({
      ...(schedule.host && { host: schedule.host }),
      env: { SHOP_TZ: zone },
      onEvent: ({ id, event }) => {
        const { failing } = this.model
        const { failures = 0, received = this.world.time } = failing.get(id) ?? {}
        failing.delete(id)
        if (!this.isBroken) return
        const { order_id } = event as unknown as Row
        failing.set(id, { order_id, failures: failures + 1, at: this.world.time, received })
        throw new Error('The shelf fell.')
      },
    })
    this.browser = new Browser(mount(this.world))
  }

  pick<T>(items: readonly T[]): T {
    return this.disturbances.pick(items)
  }

  /** One of those that are there; undefined where there is none. */
  private any<T>(items: readonly T[]): T | undefined {
    return items.length === 0 ? void this.disturbances.random() : this.pick(items)
  }

  private note(text: string): void {
    this.log.push(`${new Date(this.world.time).toISOString()} ${text}`)
  }

  private expect(what: string, said: unknown, expected: unknown): void {
    if (!isDeepStrictEqual(said, expected))
      this.wrong.add(`${what}: ${JSON.stringify(said)}, and not ${JSON.stringify(expected)}`)
  }

  private async json<T>(path: string, init: RequestInit = {}): Promise<T> {
    const response = await this.world.api(path, init)
    const text = await response.text()
    if (response.status >= 500) this.wrong.add(`${path}: ${response.status} ${text}`)
    return JSON.parse(text || '{}') as T
  }

  private post = <T>(path: string, body: object = {}, headers: Record<string, string> = {}): Promise<T> =>
    this.json<T>(path, { method: 'POST', body: JSON.stringify(body), headers })

  /** A list, page after page. */
  private async walk<T>(path: string, name: string): Promise<T[]> {
    const rows: T[] = []
    const limit = this.pick([1, 2, 3, 7, 100])
    for (let [cursor, pages]: [string | null, number] = ['', 0]; cursor !== null; pages++) {
      if (pages > 300) throw new Error(`${path} has no end`)
      const more: string = cursor && `&cursor=${cursor}`
      const page = await this.json<Record<string, T[]> & { cursor: string | null }>(
        `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${more}`,
      )
      rows.push(...((page[name] ?? []) as T[]))
      if ((page[name]?.length ?? 0) > limit) this.wrong.add(`${path}: a page is longer than ${limit}`)
      cursor = page.cursor
      if (cursor === undefined) return rows
    }
    return rows
  }

  private async deliver(payload: Payload): Promise<void> {
    this.note(`hears ${payload.method} ${payload.status} ${payload.amount} of ${payload.order_id}`)
    const { status } = await this.world.post(this.world.signed(payload))
    if (status !== 200) this.wrong.add(`a webhook is answered with ${status}`)
    this.model.hear(payload, this.world.time)
  }

  /** A moment that no other payload has. */
  private moment = (): string => timeOf(++this.count * 10)

  private paid = (): Payload[] => {
    const isPaid = ({ order_id, method }: Payload) =>
      !/refund|capture|void/.test(method) && this.model.holds(order_id) > 0
    return this.model.heard.map(({ payload }) => payload).filter(isPaid)
  }

  private async pays(
    order_id: string,
    status = this.pick(['success', 'success', 'failure', 'pending']),
  ): Promise<void> {
    const created_at = this.moment()
    const currency = this.pick(['UAH', 'UAH', 'EUR'])
    const card = this.pick([{}, { cc_mask: `411111******${this.pick(['1111', '4242', '0005'])}` }])
    const fee = this.pick([{}, { fee: { amount: 1.25, currency } }, { fee: { amount: 0.5, currency: 'USD' } }])
    const more = { ...card, ...fee, ...this.pick([{}, { payway: 'card' }, { payway: 'apple_pay' }]) }
    const amount = this.pick([100.5, 7, 1000])
    const method = this.pick(['purchase', 'purchase', 'auth'])
    await this.deliver(
      payment(order_id, { method, status, amount, currency, created_at, processed_at: created_at, ...more }),
    )
  }

  /** The events, each as often as it stands here. */
  private readonly steps: Record<string, () => Promise<unknown> | undefined> = {
    pay: () =>
      this.pays(this.pick(IDS.filter((id) => !this.model.orders.some((one) => one.id === baseOf(id))).concat('late'))),
    payAtOnce: async () => {
      const free = IDS.filter((id) => !this.model.orders.some((one) => one.id === id))
      for (const id of free.slice(0, 3)) await this.pays(id)
    },
    attempts: async () => {
      const one = this.any(
        this.model.orders.filter(({ id }) => !this.paid().some((paid) => baseOf(paid.order_id) === id)),
      )
      if (!one || one.id.includes('~')) return
      const known = this.model.attempts(one.id).length
      const last = known + this.pick([1, 1, 2, 9])
      for (let n = known + 1; n <= last; n++) await this.pays(`${one.id}~${n}`, 'failure')
    },
    follow: () => {
      const one = this.any(this.paid())
      if (!one) return
      const { order_id, currency, method } = one
      const kind = this.pick(method === 'auth' ? ['capture', 'void', 'refund'] : ['refund', 'refund', 'void'])
      const [created_at, amount] = [this.moment(), this.pick([1, 2.5, 100.5])]
      const status = this.pick(['success', 'success', 'failure'])
      return this.deliver(secondary(order_id, kind, { amount, currency, status, created_at, processed_at: created_at }))
    },
    tellAgain: () => {
      const one = this.any(this.model.heard.filter(({ payload }) => payload.status === 'success'))?.payload
      if (!one) return
      return this.deliver({
        ...one,
        fee: { amount: this.pick([2, 3.5]), currency: one.currency },
        processed_at: this.moment(),
      })
    },
    takeBack: () => {
      const isBack = ({ payload }: { payload: Payload }) => payload.operation_id && payload.status === 'success'
      const one = this.any(this.model.heard.filter(isBack))?.payload
      return one && this.deliver({ ...one, status: 'failure', processed_at: this.moment() })
    },
    stray: async () => {
      const { order_id: _, ...payload } = payment('', { created_at: this.moment() })
      this.note('hears of no order')
      await this.world.post(this.world.signed(payload))
      this.model.strays.push(this.world.time)
    },
    link: async () => {
      const order_id = this.pick(['l-1', 'l-10', 'l-2', 'L', 'a-1'])
      const expires = this.world.time + this.pick([HOUR, 3 * DAY])
      const name = this.pick([{}, { customer_fname: 'Olena' }, { customer_fname: 'Petro', customer_lname: 'Ivanenko' }])
      const amount = this.pick([100.5, 7])
      const email = this.pick([undefined, 'Olena@shop.test', 'ol@x.test'])
      const order = {
        mode: 'hosted',
        method: 'purchase',
        amount,
        currency: 'UAH',
        order_id,
        description: 'Two mugs',
        order_3ds_bypass: 'supported',
        ...name,
      }
      this.note(`makes a link of ${order_id}`)
      const made = await this.post<{ id: string; url: string }>('/api/links', {
        order,
        expires_at: expires,
        customer_email: email,
      })
      this.model.did.push({ at: this.world.time, order_id, action: 'link' })
      const customer_name = Object.values(name).join(' ') || null
      this.model.links.push({
        at: this.world.time,
        ...made,
        order_id,
        amount: amount * 100,
        description: 'Two mugs',
        customer_name,
        expires,
      })
      this.emails.set(made.id, email)
    },
    open: async () => {
      const link = this.any(this.model.links.filter((one) => !this.model.orders.some(({ id }) => id === one.order_id)))
      if (!link || link.revoked || link.erased || this.world.time >= link.expires) return
      this.note(`opens the link of ${link.order_id}`)
      const { status, headers } = await this.world.get(link.url)
      if (status !== 303) return void this.wrong.add(`a link leads to ${status}`)
      const known = this.model.know(link.order_id, this.world.time)
      const email = this.emails.get(link.id)
      Object.assign(known, {
        description: link.description,
        name: link.customer_name ?? undefined,
        ...(email && { email }),
      })
      const before = [...this.world.emulator.deliveries].length
      if (this.pick([true, false]))
        await this.world.pay(headers.get('location') ?? '', this.pick(['success', 'declined']))
      for (const { event } of [...this.world.emulator.deliveries].slice(before))
        this.model.hear(event as unknown as Payload, this.world.time)
    },
    revoke: async () => {
      const link = this.any(this.model.links)
      if (!link) return
      this.note(`revokes a link of ${link.order_id}`)
      await this.json(`/api/links/${encodeURIComponent(link.id)}`, { method: 'DELETE' })
      this.model.did.push({ at: this.world.time, order_id: link.order_id, action: 'revoke_link' })
      link.revoked = true
    },
    write: async () => {
      const one = this.any(this.model.orders)
      if (!one) return
      this.note(`writes of ${one.id}`)
      await this.post(`/api/orders/${encodeURIComponent(one.id)}/notes`, { text: 'She called.' })
      this.model.did.push({ at: this.world.time, order_id: one.id, action: 'note', text: 'She called.' })
    },
    finish: async () => {
      const one = this.any(this.attention().filter(({ kind }) => kind === 'flag')) as
        | { order_id: string; flag: string }
        | undefined
      if (!one) return
      const { order_id, flag } = one
      this.note(`finishes ${flag} of ${order_id}`)
      await this.post(`/api/orders/${encodeURIComponent(order_id)}/attention/done`, { kind: 'flag', flag })
      this.model.done.set(`${order_id} ${flag}`, this.model.newsOf(order_id, flag))
      this.model.did.push({ at: this.world.time, order_id: baseOf(order_id), action: 'attention_done', text: flag })
    },
    erase: async () => {
      const isHandled = ({ id }: Known) =>
        ![...this.model.failing.values()].some(({ order_id }) => baseOf(order_id) === id)
      const one = this.any(this.model.orders.filter(isHandled))
      // KV takes one write of a key in a second.
      this.world.time += 2 * SECOND
      if (!one || this.isBroken) return
      this.note(`erases ${one.id}`)
      await this.json(`/api/orders/${encodeURIComponent(one.id)}/personal-data`, { method: 'DELETE' })
      this.model.did.push({ at: this.world.time, order_id: one.id, action: 'erase' })
      this.model.erase(one.id)
    },
    break: async () => {
      this.isBroken = !this.isBroken
      this.note(this.isBroken ? 'onEvent fails' : 'onEvent works')
    },
    replay: async () => {
      const since = this.world.time - this.pick([SECOND, 60 * SECOND, DAY])
      const due = [...this.model.failing.values()].filter(({ at }) => at >= since)
      this.note(`replays what failed since ${new Date(since).toISOString()}`)
      const { queued } = await this.post<{ queued: number }>('/api/events/replay', {
        since: new Date(since).toISOString(),
      })
      this.expect('what is replayed', queued, due.length)
      for (const { order_id } of due)
        this.model.did.push({ at: this.world.time, order_id: baseOf(order_id), action: 'replay' })
      for (const one of due) one.failures = 0
    },
    wait: () => this.world.advance(this.pick([SECOND, 30 * SECOND, HOUR, 9 * HOUR, DAY, 5 * DAY, 28 * DAY])),
  }

  private readonly emails = new Map<string, string | undefined>()

  /** The orders that need a person, by their own pages. */
  private attention(): Record<string, unknown>[] {
    return this.model.orders.flatMap(({ id }) => {
      const { order_id = '', flags = [] } = this.shown.get(id) ?? {}
      const open = flags.filter((flag) => flag !== 'paid_after_failure')
      const isNew = (flag: string) => this.model.done.get(`${order_id} ${flag}`) !== this.model.newsOf(order_id, flag)
      return open.filter(isNew).map((flag) => ({ kind: 'flag', order_id, flag }))
    })
  }

  async play(): Promise<void> {
    for (let step = 0; step < STEPS && this.wrong.size === 0; step++) {
      const [name, act] = this.pick(Object.entries(this.steps))
      // A step draws as much whether it is kept or not.
      if (!this.disturbances.keeps()) continue
      await act()
      if (this.pick([true, true, false])) await this.world.advance(this.pick([0, SECOND, 3 * SECOND]))
      if (name !== 'wait' && this.pick([true, false])) continue
      await this.compare()
    }
    await this.compare()
  }

  /** Everything that is published is compared. */
  private async compare(): Promise<void> {
    if ((await this.browser.open('/console')).text.includes('type="password"')) await this.browser.signIn()
    for (let time = 0; time < 3; time++) await this.world.advance(11 * SECOND)
    await this.world.idle()
    const { model, world } = this
    this.shown = new Map()
    for (const { id } of model.orders) {
      const order = await this.json<ShownOrder>(`/api/orders/${encodeURIComponent(id)}`)
      this.shown.set(id, order)
      this.expect(`the attempt that ${id} is shown by`, order.order_id, model.shown(id))
      const { captured_minor: captured, refunded_minor: refunded } = order.totals
      const [paid, taken, back] = (['paid', 'captured', 'refunded'] as const).map((kind) =>
        model.total(order.order_id, kind),
      ) as [number, number, number]
      const isOneCurrency =
        new Set(
          model
            .money()
            .filter(({ order_id }) => order_id === order.order_id)
            .map(({ currency }) => currency),
        ).size < 2
      if (isOneCurrency) this.expect(`the totals of ${id}`, [captured, refunded], [paid + taken, back])
      const attempts = model.attempts(id)
      for (const named of [...attempts.slice(1), ...(id.endsWith('~1') ? [] : [`${id}~1`])]) {
        const { order_id } = await this.json<Row>(`/api/orders/${encodeURIComponent(named)}`)
        this.expect(`the page of ${named}`, order_id, attempts.includes(named) ? named : id)
      }
      const record = order.record.map(({ action, text }) => [action, text])
      const did = model.did.filter((one) => one.order_id === id).map(({ action, text }) => [action, text])
      this.expect(`the record of ${id}`, record.map(String).sort(), did.map(String).sort())
    }
    await this.compareOrders()
    await this.compareMoney()
    await this.compareLinks()
    const entries = await this.walk<Row & { at: string; action: string }>('/api/audit', 'entries')
    this.expect(
      'the audit is the newest first',
      entries.map(({ at }) => at),
      entries
        .map(({ at }) => at)
        .sort()
        .reverse(),
    )
    const isListed = (order_id: string) => model.orders.some(({ id }) => id === order_id)
    const ofOrders = model.did.filter(({ order_id, action }) => /link$/.test(action) || isListed(order_id))
    this.expect(
      'the audit',
      entries.map(({ order_id, action }) => `${order_id} ${action}`).sort(),
      // What is done with `x~1` is written down as done with `x`.
      ofOrders.map(({ order_id, action }) => `${order_id.replace(/~1$/, '')} ${action}`).sort(),
    )
    const events = await this.walk<Row & { id: string; attempts: number }>('/api/events?failing=true', 'events')
    this.expect(
      'what fails',
      events.map(({ id, attempts }) => [id, attempts]).sort(),
      [...model.failing]
        .filter(([, one]) => one.failures > 0)
        .map(([id, one]) => [id, one.failures])
        .sort(),
    )
    const { items } = await this.json<{ items: (Row & { kind: string; at: string; flag?: string })[] }>(
      '/api/attention',
    )
    this.expect(
      'attention is the oldest first',
      items.map(({ at }) => at),
      items.map(({ at }) => at).sort(),
    )
    const said = items
      .filter(({ kind }) => kind === 'flag' || kind === 'stray')
      .map(({ kind, order_id, flag }) => `${kind} ${order_id} ${flag}`)
    const expected = [
      ...this.attention().map(({ order_id, flag }) => `flag ${order_id} ${flag}`),
      ...model.strays.map(() => 'stray null undefined'),
    ]
    this.expect('attention', said.sort(), expected.sort())
    const ofEvents = items.flatMap(({ kind, event_id }) => (kind.startsWith('on_event') ? [String(event_id)] : []))
    for (const [id, { failures, received }] of model.failing) {
      const needsPerson = failures > 4 || (failures > 0 && world.time - received > 2 * DAY)
      if (needsPerson && !ofEvents.includes(id))
        this.wrong.add(`attention has no failing event, after ${failures} failures`)
    }
    if (ofEvents.some((id) => !model.failing.has(id))) this.wrong.add('attention has an event that was handled')
    const count = items.length === 0 ? '' : `(${items.length}) `
    const home = await this.browser.open('/console')
    this.expect('the title of the console', /<title>(\(\d+\+?\) )?/.exec(home.text)?.[1] ?? '', count)
    const today = model.days(model.day(world.time), model.day(world.time)) as { currency: string; taken: number }[]
    const sums = new Map<string, number>()
    for (const { currency, taken } of today) sums.set(currency, (sums.get(currency) ?? 0) + taken)
    const digits = (text: string) => text.replaceAll(/[^\d.-]/g, '')
    this.expect(
      'what was taken today',
      [...home.text.matchAll(/<p class="sum">(.*?)<\/p>/g)].map(([, sum = '']) => digits(sum)).sort(),
      [...sums.values()].map((sum) => (sum / 100).toFixed(2)).sort(),
    )
  }

  private async compareOrders(): Promise<void> {
    const { model } = this
    const sorted = model.orders.toSorted((a, b) => b.since - a.since || (a.id < b.id ? 1 : -1))
    const order = (known: Known) => this.shown.get(known.id) as ShownOrder
    const one = this.any(model.orders)
    const [since, email] = [one?.since ?? 0, one?.email ?? 'nobody@x']
    const filters: [string, (known: Known) => boolean][] = [
      ['', () => true],
      ...['success', 'failure', 'pending'].map((status): [string, (known: Known) => boolean] => [
        `status=${status}`,
        (known) => order(known).status === status,
      ]),
      ...(['unknown_order', 'over_refund', 'status_conflict'] as const).map(
        (flag): [string, (known: Known) => boolean] => [`flag=${flag}`, (known) => order(known).flags.includes(flag)],
      ),
      ['flag=any', (known) => order(known).flags.some((flag) => flag !== 'paid_after_failure')],
      [`from=${new Date(since).toISOString()}`, (known) => known.since >= since],
      [`to=${new Date(since).toISOString()}`, (known) => known.since < since],
    ]
    const texts = [one?.id ?? 'a', 'a', 'a-1', '1111', '100.50', '100,5', '7', email.toUpperCase().slice(0, 2), email]
    for (const text of texts) filters.push([`search=${encodeURIComponent(text)}`, (known) => this.isFound(known, text)])
    for (const [query, holds] of this.pick([filters.slice(0, 4), filters.slice(4, 10), filters.slice(10)])) {
      const rows = await this.walk<Row>(`/api/orders?${query}`, 'orders')
      const expected = sorted.filter(holds)
      this.expect(
        `orders ${query}`,
        rows.map((row) => row.order_id),
        expected.map((known) => order(known).order_id),
      )
      rows.forEach((row, i) => {
        const known = expected[i] as Known
        const { status, totals, flags, amount, currency } = order(known)
        const said = [row.status, row.totals, row.flags, row.amount, row.currency, row.description, row.listed_at]
        this.expect(`the row of ${known.id}`, said, [
          status,
          totals,
          flags,
          amount,
          currency,
          known.description,
          new Date(known.since).toISOString(),
        ])
      })
    }
    const text = one?.id ?? 'a'
    const page = await this.browser.open(`/console/search?q=${encodeURIComponent(text)}`)
    const ids = [...page.text.matchAll(/<li class="row">\s*<span>\s*<a href="\/console\/orders\/([^"]+)"/g)].map(
      ([, id = '']) => decodeURIComponent(id),
    )
    this.expect(
      `the console finds ${text}`,
      ids,
      sorted
        .filter((known) => this.isFound(known, text))
        .slice(0, 20)
        .map(({ id }) => id),
    )
  }

  private isFound(known: Known, text: string): boolean {
    const order = this.shown.get(known.id) as ShownOrder
    const sums = [order.amount, moneyState(order).sum, order.totals.refunded_minor / 100 || null]
    const isSum = /^[\d.,]+$/.test(text) && sums.includes(Number(text.replace(',', '.')))
    const begins = known.id.startsWith(text) || known.email?.toLowerCase().startsWith(text.toLowerCase()) === true
    return begins || isSum || this.model.lastFour(known.id) === text
  }

  private async compareMoney(): Promise<void> {
    const { model, world } = this
    const moments = [...model.money().map(({ at }) => at), world.time]
    const [a, b] = [this.pick(moments), this.pick(moments)].map((at) => model.day(at)).sort() as [string, string]
    const from = Date.parse(b) - Date.parse(a) > 80 * DAY ? b : a
    const query = `from=${from}&to=${b}`
    const { days } = await this.json<{ days: object[] }>(`/api/days?${query}`)
    this.expect(`days ${query}`, unmarked(days), model.days(from, b))
    const money = model.money().filter(({ day }) => day >= from && day <= b)
    const lineOf = (row: object) => JSON.stringify(Object.entries(row).sort())
    const operations = await this.walk<Row & { at: string; reference: null }>(`/api/operations?${query}`, 'operations')
    this.expect(
      `operations ${query} are the oldest first`,
      operations.map(({ at }) => at),
      operations.map(({ at }) => at).sort(),
    )
    const plain = unmarked<Row>(operations.map(({ reference, ...row }) => row))
    this.expect(
      `operations ${query}`,
      plain.map(lineOf).sort(),
      money.map((row) => lineOf({ ...row, ...model.bought(row.order_id), at: new Date(row.at).toISOString() })).sort(),
    )
    const file = await (await this.browser.raw(`/console/day.csv?${query}`)).text()
    const cell = (text: string | number) =>
      `"${String(text)
        .replace(/^[=+\-@](?!\d+\.\d\d$)/, "'$&")
        .replaceAll('"', '""')}"`
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: model.zone, timeStyle: 'medium' })
    const lines = money.map(({ at, day, order_id, kind, method, amount, currency, fee, taken }) =>
      [
        day,
        clock.format(at),
        order_id,
        WORDS[kind],
        method,
        (amount / 100).toFixed(2),
        currency,
        (fee / 100).toFixed(2),
        (taken / 100).toFixed(2),
        ...Object.values(model.bought(order_id)).map((one) => one ?? ''),
        '',
      ]
        .map(cell)
        .join(','),
    )
    this.expect(
      `day.csv ${query}`,
      file
        .replace(/^\uFEFF/, '')
        .split('\r\n')
        .slice(1, -1)
        .sort(),
      lines.sort(),
    )
  }

  private async compareLinks(): Promise<void> {
    const { model, world } = this
    const stateOf = (link: Link) => model.stateOf(link, world.time, this.shown.get(link.order_id)?.status)
    const order_id = this.any(model.links)?.order_id ?? 'l-1'
    const queries: [string, (link: Link) => boolean][] = [
      ['', () => true],
      [`?order_id=${order_id}`, (link) => link.order_id === order_id],
    ]
    for (const state of ['sent', 'opened', 'paid', 'revoked', 'expired'])
      queries.push([`?state=${state}`, (link) => stateOf(link) === state])
    for (const [query, holds] of queries) {
      const rows = await this.walk<Row>(`/api/links${query}`, 'links')
      const texts = rows.map(({ id, state, description, customer_name, url, amount_minor: amount }) =>
        [id, state, description, customer_name, url, amount].join(),
      )
      const expected = model.links.filter(holds).map((link) => {
        const { id, description, customer_name, url, amount } = link
        return [
          id,
          stateOf(link),
          ...(link.erased ? [null, null, null] : [description, customer_name, url]),
          amount,
        ].join()
      })
      this.expect(`links ${query}`, texts.sort(), expected.sort())
      const times = rows.map(({ created_at }) => String(created_at))
      this.expect(`links ${query} are the newest first`, times, times.toSorted().reverse())
    }
  }
}

/** Plays one history. */
export async function playBooks(schedule: Schedule): Promise<Played> {
  const history = new History(schedule)
  await history.play().catch((error: unknown) => history.wrong.add(String((error as Error).stack)))
  return { log: history.log, wrong: [...history.wrong], disturbed: history.disturbances.happened }
}
