// Each list of the shop's objects beside a plain loop over the rows that were reported to them.
import { expect, it } from 'vitest'
import { moneyOfBook } from '../../src/shop/books/days.ts'
import { addLink, eraseLinks, type LinkRow, markRevoked } from '../../src/shop/books/links.ts'
import { addStrays, FILL, failingOfBook, onceAnHour, progressOf, putInList } from '../../src/shop/books/orders.ts'
import { countIn, currentBook, learnSums, newsOf } from '../../src/shop/books/register.ts'
import type { BooksScope } from '../../src/shop/books/scope.ts'
import { type ListedRow, type MoneyRow, SHOP } from '../../src/shop/books/tables.ts'
import { openTables } from '../../src/shop/lib/tables.ts'
import { createRandom, seedOfRun } from './support/random.ts'
import { ORIGIN, World } from './support/world.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const KINDS = ['authorized', 'paid', 'captured', 'refunded', 'voided'] as const
const FLAGS = ['unknown_order', 'over_refund', 'paid_after_failure'] as const
const SEARCHES = ['a', 'a1', 'B', 'b', 'b%', '%', 'c', 'R', 'MUG', 'olena b@', 'Example.com 1']
const iso = (at: number): string => new Date(at).toISOString()

/** The order in which SQLite has rows of one moment. */
const byPlace = (a: [number, string], b: [number, string]): number => a[0] - b[0] || (a[1] < b[1] ? -1 : 1)

it.each([
  [1, 14],
  [3, -12],
])('the lists of %i books are what plain loops say, in a zone %i hours from UTC', async (books, hours) => {
  const world = new World({ env: { SHOP_TZ: hours > 0 ? 'Pacific/Kiritimati' : 'Etc/GMT+12' } })
  const random = createRandom(seedOfRun())
  const below = (count: number): number => Math.floor(random() * count)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const begin = world.time - 40 * DAY_MS
  const scopes = Array.from({ length: books }, (_, i) => {
    const shop = openTables(world.gate.storage(i === 0 ? 'shop' : `shop/${i + 1}`, ''), SHOP)
    return { shop, now: () => world.time } as unknown as BooksScope
  })
  const [register] = scopes as [BooksScope]
  const keep = (at: number): { book: number; scope: BooksScope } => {
    const book = 1 + below(books)
    if (book > 1) countIn(register, book, at, 1)
    return { book, scope: scopes[book - 1] as BooksScope }
  }

  // Each order as it grows, a report for each change; some come late, or once more: an older one changes nothing.
  const newMoney = (order_id: string, number: number): MoneyRow => {
    const at = begin + below(160) * 6 * HOUR_MS
    const [kind, amount] = [pick(KINDS), pick([1, 250, 10_050])]
    const isBack = kind === 'refunded' || (kind === 'voided' && pick([true, false]))
    const taken = kind === 'paid' || kind === 'captured' ? amount : isBack ? -amount : 0
    const day = iso(at + hours * HOUR_MS).slice(0, 10)
    const [currency, method, fee] = [pick(['UAH', 'EUR']), pick(['card', 'apple_pay']), pick([0, 3, 125])]
    const id = `${order_id} ${number}`
    return { day, at, id, order_id, kind, method, amount, taken, currency, fee, reference: null }
  }
  const last: ListedRow[] = []
  for (let i = 0; i < 60; i++) {
    const order_id = `${pick(['a', 'B', 'b%', 'aя', 'a-'])}${i}`
    const since = begin + below(20) * DAY_MS
    const { book, scope } = keep(since)
    const reports: ListedRow[] = []
    let [money, audit]: [MoneyRow[], ListedRow['audit']] = [[], []]
    for (let version = 1; version <= 4; version++) {
      const changed = money.map((row): MoneyRow => {
        const { gone, ...rest } = row
        // It is known by another id from now on.
        if (random() < 0.1) return { ...rest, id: `${row.id}'` }
        return pick([
          row,
          row,
          { ...rest, amount: row.amount + 1, taken: row.taken + Math.sign(row.taken), fee: 7 },
          { ...rest, gone: true as const },
        ])
      })
      money = [...changed, newMoney(order_id, version)]
      audit = [...audit, { at: begin + below(9), key: `${order_id}-${version}`, entry: { by: 'api', action: 'note' } }]
      const isOpen = random() < 0.4
      const attention = isOpen ? [{ kind: 'flag', order_id, text: order_id, version }] : []
      const reference = pick(['R', 'R/', 'Q', undefined])
      const flags = FLAGS.filter(() => random() < 0.2)
      const status = pick(['success', 'failure', 'pending'])
      const [description, customer_name] = [pick(['Mug', undefined]), pick(['Olena', undefined])]
      const last_four = pick(['1111', null])
      const known = { order_id, status, reference, flags, amount: 1, description, customer_name }
      const summary = known as unknown as ListedRow['summary']
      const email = pick(['ab@example.com', 'B@example.com', null])
      const row: ListedRow = {
        ...{ summary, order_id, since, version, email, last_four, isOpen, due_at: null, attention },
        ...{ failing: [], attempts: [order_id], money, audit },
      }
      reports.push(row)
      for (const report of [version === 4 || random() < 0.7 ? row : pick(reports), pick(reports)])
        putInList(scope, { ...report, book })
      if (version === 4) last.push(row)
    }
  }
  const strays = [null, world.time, world.time + 1].map((until, i) => {
    const id = `s${i}`
    return { id, since: begin + i * DAY_MS, until, attention: [{ kind: 'stray', order_id: null, text: id }] }
  })
  addStrays(register, strays)
  scopes.slice(1).forEach((scope, i) => void learnSums(register, { book: i + 2, news: newsOf(scope) }))

  // Links of those orders and of others: some are of one moment, revoked twice, expired in this moment, or erased.
  const links: LinkRow[] = []
  for (let i = 0; i < 700; i++) {
    const created_at = begin + below(20) * DAY_MS
    const { book, scope } = keep(created_at)
    const link: LinkRow = {
      ...{ short: `${pick(['A', 'a', '_'])}${i}`, id: `id${i}`, order_id: pick([`none${i}`, pick(last).order_id]) },
      ...{ amount: i, currency: 'UAH', description: 'Mug', customer_name: 'Olena', token: `token${i}`, created_at },
      ...{ expires_at: world.time + pick([-DAY_MS, 0, 1, DAY_MS]), revoked_at: null, by: 'api' },
    }
    for (let times = pick([1, 2]); times > 0; times--) addLink(scope, link, book)
    links.push(link)
    if (random() < 0.6) continue
    for (const time of [world.time - 2, world.time - 1])
      for (const each of scopes) markRevoked({ ...each, now: () => time }, link)
    link.revoked_at = world.time - 2
  }
  const [before, erasedOrder] = [begin + 3 * DAY_MS, pick(links).order_id]
  for (const scope of scopes) for (const which of [before, erasedOrder]) eraseLinks(scope, which)
  for (const link of links)
    if (link.created_at <= before || link.order_id === erasedOrder)
      Object.assign(link, { description: null, customer_name: null, token: null })

  /** Every page of a list. */
  const walk = async (path: string, name: string): Promise<unknown[]> => {
    const rows: unknown[] = []
    const limit = path === '/api/links?' ? 3 : pick([19, 100])
    for (let [cursor, isMore] = ['', true]; isMore; isMore = cursor !== null) {
      const response = await world.api(`${path}&limit=${limit}${cursor && `&cursor=${cursor}`}`)
      const page = (await response.json()) as Record<string, unknown[]> & { cursor: string }
      rows.push(...(page[name] ?? []))
      ;({ cursor } = page)
      expect([path, response.status, cursor === null || page[name]?.length === limit]).toEqual([path, 200, true])
    }
    return rows
  }

  last.sort((a, b) => -byPlace([a.since, a.order_id], [b.since, b.order_id]))
  for (let run = 0; run < 60; run++) {
    const query = new URLSearchParams()
    const is: ((row: ListedRow) => boolean)[] = []
    const also = (name: string, value: string, holds: (row: ListedRow) => boolean): void => {
      // Each search comes first, alone.
      if (run < SEARCHES.length ? name !== 'search' : random() < 0.7) return
      query.set(name, value)
      is.push(holds)
    }
    const [status, flag, reference] = [pick(['success', 'failure']), pick([...FLAGS, 'any']), pick(['R', 'r', 'Q'])]
    // Often the moment at which a book has its last order.
    const first = pick([below(15), 18, 19])
    const [from, to] = [begin + first * DAY_MS, begin + Math.max(first + 1, 15 + below(20)) * DAY_MS]
    const search = SEARCHES[run] ?? pick(SEARCHES)
    const begins = (text: string | null | undefined, start = search) => text?.startsWith(start) === true
    also('status', status, ({ summary }) => summary.status === status)
    also('flag', flag, ({ summary: { flags } }) =>
      flags.some((one) => (flag === 'any' ? one !== 'paid_after_failure' : one === flag)),
    )
    also('reference', reference, ({ summary }) => summary.reference === reference)
    also('open', 'true', ({ isOpen }) => isOpen)
    also('from', iso(from), ({ since }) => since >= from)
    also('to', iso(to), ({ since }) => since < to)
    also('search', search, ({ order_id, summary, email }) => {
      const { reference, description, customer_name } = summary
      const all = [order_id, reference, description, customer_name, email].join(' ').toLowerCase()
      const words = search.toLowerCase().split(' ')
      const isSpoken = search.length > 2 && words.every((word) => all.includes(word))
      return isSpoken || begins(order_id) || begins(reference) || begins(email?.toLowerCase(), search.toLowerCase())
    })
    const rows = (await walk(`/api/orders?${query}`, 'orders')) as { order_id: string }[]
    const expected = last.filter((row) => is.every((holds) => holds(row))).map(({ order_id }) => order_id)
    expect([`${query}`, rows.map(({ order_id }) => order_id)]).toEqual([`${query}`, expected])
  }

  const counted = last.flatMap(({ money }) => money.filter(({ gone }) => !gone))
  for (let run = 0; run < 8; run++) {
    const first = begin + below(40) * DAY_MS
    const [from, to] = [first, first + Number([0, 1, 30, 91][run % 4]) * DAY_MS].map((at) => iso(at).slice(0, 10)) as [
      string,
      string,
    ]
    const own = counted
      .filter(({ day }) => day >= from && day <= to)
      .sort((a, b) => byPlace([a.at, a.id], [b.at, b.id]))
    const shown = own.map(({ at, id: _, amount, taken, fee, ...row }) => {
      const { summary, last_four } = last.find(({ order_id }) => order_id === row.order_id) as ListedRow
      const { description = null, customer_name = null } = summary
      const bought = { description, customer_name, last_four }
      return { at: iso(at), ...row, amount_minor: amount, taken_minor: taken, fee_minor: fee, ...bought }
    })
    expect(await walk(`/api/operations?from=${from}&to=${to}`, 'operations')).toEqual(shown)
    const keyOf = ({ day, currency, method }: MoneyRow) => JSON.stringify([day, currency, method])
    const days = [...new Set(own.map(keyOf))].sort().map((key) => {
      const [day, currency, method] = JSON.parse(key) as [string, string, string]
      const rows = own.filter((row) => keyOf(row) === key)
      const sum = (of: (row: MoneyRow) => number) => rows.reduce((all, row) => all + of(row), 0)
      const kinds = KINDS.map((kind) => [`${kind}_minor`, sum((row) => (row.kind === kind ? row.amount : 0))])
      const [taken_minor, fee_minor] = [sum(({ taken }) => taken), sum(({ fee }) => fee)]
      return { day, currency, method, ...Object.fromEntries(kinds), taken_minor, fee_minor, count: rows.length }
    })
    expect(await (await world.api(`/api/days?from=${from}&to=${to}`)).json()).toEqual({ days })
  }

  const linked = links.map(({ created_at: at, short: key, order_id, by }) => {
    return { at, key, entry: { action: 'link', by, order_id, result: 'done' } }
  })
  const acts = [...last.flatMap(({ audit }) => audit), ...linked].sort((a, b) => -byPlace([a.at, a.key], [b.at, b.key]))
  const entries = acts.map(({ at, entry }) => ({ at: iso(at), ...entry }))
  expect(await walk('/api/audit?', 'entries')).toEqual(entries)

  const needing = [
    ...last.map(({ order_id: id, ...row }) => ({ id, ...row })),
    ...strays.filter(({ id }) => id !== 's1'),
  ]
    .filter(({ attention }) => attention.length > 0)
    .sort((a, b) => byPlace([a.since, a.id], [b.since, b.id]))
  const items = needing.flatMap(({ since, attention }) => attention.map((one) => ({ ...one, at: iso(since) })))
  for (const limit of [0, 3, needing.length, 200]) {
    const page = { items: items.slice(0, limit), more: items.length > limit, count: items.length }
    expect(await (await world.api(`/api/attention?limit=${limit}`)).json()).toEqual(page)
  }

  const stateOf = ({ order_id, revoked_at, expires_at }: LinkRow) => {
    const order = last.find((one) => one.order_id === order_id)
    if (order?.summary.status === 'success') return 'paid'
    return revoked_at !== null ? 'revoked' : world.time >= expires_at ? 'expired' : order ? 'opened' : 'sent'
  }
  links.sort((a, b) => -byPlace([a.created_at, a.short], [b.created_at, b.short]))
  for (const query of ['sent', 'opened', 'paid', 'revoked', 'expired']
    .map((state) => `state=${state}`)
    .concat('', `order_id=${encodeURIComponent(String(links[0]?.order_id))}`)) {
    const own = links.filter(
      (link) =>
        !query || query === `state=${stateOf(link)}` || query === `order_id=${encodeURIComponent(link.order_id)}`,
    )
    const shown = own.map(({ short, token, amount, created_at, expires_at, revoked_at, ...link }) => ({
      ...{ ...link, amount_minor: amount, state: stateOf({ ...link, revoked_at, expires_at } as LinkRow) },
      ...{ url: token && `${ORIGIN}/checkout/${token}`, short_url: token && `${ORIGIN}/p/${short}` },
      ...{ created_at: iso(created_at), expires_at: iso(expires_at), revoked_at: revoked_at && iso(revoked_at) },
      reusable: null,
    }))
    expect([query, await walk(`/api/links?${query}`, 'links')]).toEqual([query, shown])
  }
  const { cursor } = (await (await world.api('/api/links?limit=1')).json()) as { cursor: string }
  for (const other of [
    'links?state=sent',
    `links?order_id=${encodeURIComponent(String(links[0]?.order_id))}`,
    'audit?limit=1',
  ])
    expect([other, (await world.api(`/api/${other}&cursor=${cursor}`)).status]).toEqual([other, 400])
})

it('a page of failing events begins after the one before, an hour ends at its last moment, and a day at its zone’s', () => {
  const shop = openTables(new World().gate.storage('shop', ''), SHOP)
  const at = (time: number) => ({ shop, now: () => time }) as unknown as BooksScope
  for (const id of ['a', 'b', 'c']) shop.all('INSERT INTO failing VALUES (?, ?, ?)', id, 'A-1', 'A-1')
  const page = (after?: [number, string]) => failingOfBook(at(0), { after, limit: 2 }).rows.map((row) => row.event_id)
  expect([page(), page([0, 'b'])]).toEqual([['a', 'b'], ['c']])
  const isFirst = [0, HOUR_MS - 1, HOUR_MS, 2 * HOUR_MS - 1].map((time) => onceAnHour(at(time), 'x'))
  expect(isFirst).toEqual([true, false, true, false])
  // The first and the last moment of a day, as far from UTC as zones are.
  const [row, day] = ['{"order_id":"A-1"}', '2026-03-01']
  for (const time of ['2026-02-28T10:00:00Z', '2026-03-02T11:59:59Z'])
    shop.all('INSERT INTO money VALUES (?, ?, 1, ?, ?)', Date.parse(time), time, day, row)
  expect(moneyOfBook(at(0), { from: day, to: day, limit: 9 }).rows).toHaveLength(2)
  const opens = () => currentBook(at(0)).opens
  expect([opens(), countIn(at(0), 2, 0, 0), opens(), countIn(at(0), 2, 0, 1), opens()]).toEqual([
    ...[false, true, true, false, false],
  ])
  // The first order of a book: the cron fills it with nothing.
  const none = { failing: [], attention: [], attempts: [], money: [], audit: [], isOpen: false, due_at: null }
  const first = { ...none, order_id: 'A-1', since: 0, version: 1, summary: { flags: [], amount: null }, opens: true }
  putInList(at(0), { ...first, book: 1 } as never)
  expect(progressOf(at(0), { name: FILL })).toEqual({ isDone: true })
})
