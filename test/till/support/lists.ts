import { createTill, type ListedOrder, type OrdersQuery, type TillDatabase } from '../../../src/till/index.ts'
import { openShop } from '../../support/shop.ts'
import { clockedDatabase, PAYMENT } from './open-till.ts'

/**
 * Sells, refunds and erases over a database, and returns the lists, and each row that differs from its order's log.
 * Without a batch, a statement of a list may be lost.
 */
export async function playLists(real: TillDatabase) {
  const { emulator, client, events } = openShop({ maxRetries: 0 })
  const { clock } = emulator
  const state = { isLost: false }
  const database = await clockedDatabase(emulator, {
    ...real,
    run: async (sql, values) => {
      if (state.isLost && /^(INSERT INTO|DELETE FROM) edgetill_money|SET unlisted/.test(sql)) throw new Error('lost')
      return real.run(sql, values)
    },
  })
  const till = createTill({ client, database })
  await till.migrate()
  // Postgres takes no NUL.
  if (await till.order('A\0B')) throw new Error('There is no such order.')
  const deliver = async () => {
    await emulator.deliveries.idle()
    for (const event of events.splice(0)) await till.receive(event)
  }
  const wrong: string[] = []
  const sell = async (
    order_id: string,
    more: object,
    card: 'success' | 'declined' | '' = 'success',
    reference?: string,
  ) => {
    clock.advance({ minutes: 1 })
    const opened = await till.createPayment({ ...PAYMENT, order_id, ...more } as typeof PAYMENT, { reference })
    const url = ('url' in opened && opened.url) || ''
    if (card) await emulator.pay(url, { card } as never)
    await deliver()
  }
  await sell('mugs-1001', {}, 'success', 'INV/7')
  await sell('mugs-1002', {
    amount: 70,
    description: 'Три горнятка О’Ніл',
    customer_email: 'Taras@Example.com',
    customer_phone: '+380 (67) 765-43-21',
    customer_fname: 'Тарас',
    customer_lname: 'Ґонта',
  })
  await sell('mugs-1003', { amount: 55.25 }, 'declined')
  await sell('mugs-1004', { amount: 12 }, '')
  await sell('mugs-1005', { method: 'auth', amount: 300 })
  clock.advance({ minutes: 1 })
  const refund = await till.refund({ order_id: 'mugs-1001', order_currency: 'UAH', refund_amount: 30 }, { key: 'r' })
  const capture = await till.capture({ order_id: 'mugs-1005', order_currency: 'UAH', charge_amount: 120 }, { key: 'c' })
  wrong.push(...[refund, capture].filter(({ outcome }) => outcome !== 'done').map((one) => JSON.stringify(one)))
  state.isLost = !real.batch
  await deliver()
  // An order of another program.
  clock.advance({ minutes: 1 })
  await client.createPayment({ ...PAYMENT, order_id: 'else-9', amount: 9 }).then(({ url }) => emulator.pay(url))
  await deliver()
  // The list's process may die between its statements.
  if (state.isLost)
    await till
      .orders()
      .then(() => wrong.push('Nothing was lost.'))
      .catch(() => {})
  state.isLost = false
  const ids = async (query: OrdersQuery) =>
    (await till.orders(query)).orders.map(({ order_id }) => order_id.replace('mugs-', '')).join()
  const all = await till.orders()
  // The list says of each order what its log says.
  for (const row of all.orders) {
    const order = await till.order(row.order_id)
    const own: Partial<ListedOrder> = {}
    for (const name of ['status', 'method', 'amount', 'currency', 'totals', 'flags', 'updated_at'] as const)
      if (JSON.stringify(sorted(row[name])) !== JSON.stringify(sorted(order?.[name]))) own[name] = row[name] as never
    if (Object.keys(own).length > 0) wrong.push(`${row.order_id}: ${JSON.stringify(own)} ${JSON.stringify(order)}`)
  }
  const today = new Date(clock.now()).toISOString().slice(0, 10)
  const days = { from: today, to: today }
  const money = await till.operations(days)
  const found = {
    pages: await pagesOf(async (page) => {
      const { orders, cursor } = await till.orders(page)
      return { cursor, text: orders.map(({ order_id }) => order_id.replace('mugs-', '')).join() }
    }),
    states: all.orders.map(({ order_id, state, sum }) => `${order_id.replace('mugs-', '')} ${state} ${sum}`),
    'states paid, failed': await ids({ states: ['paid', 'failed'] }),
    'status success': await ids({ status: 'success' }),
    'status failure': await ids({ status: 'failure' }),
    'status of an object': await ids({ status: '__proto__' }),
    'flag any': await ids({ flag: 'any' }),
    'flag unknown_order': await ids({ flag: 'unknown_order' }),
    'flag paid_twice': await ids({ flag: 'paid_twice' }),
    open: await ids({ open: true }),
    reference: await ids({ reference: 'INV/7' }),
    'from, to': await ids({
      from: new Date(Date.parse(all.orders[3]?.listed_at ?? '')),
      to: new Date(Date.parse(all.orders[1]?.listed_at ?? '')),
    }),
    'open and state': await ids({ open: true, states: ['paid'] }),
    search: Object.fromEntries(
      await Promise.all(Object.keys(LISTS.search).map(async (search) => [search, await ids({ search })] as const)),
    ),
    days: (await till.days(days)).map(({ day: _, currency: __, method: ___, fee_minor: ____, ...sums }) => sums),
    operations: money.operations.map(
      ({ order_id, kind, taken_minor, customer_name }) => `${order_id} ${kind} ${taken_minor} ${customer_name}`,
    ),
    'operations by pages': await pagesOf(async (page) => {
      const { operations, cursor } = await till.operations({ ...days, ...page })
      return { cursor, text: operations.map(({ order_id, kind }) => `${order_id} ${kind}`).join() }
    }),
    erased: '',
  }
  await till.erase('mugs-1002')
  found.erased = [
    await ids({ search: 'taras@' }),
    await ids({ search: 'тарас' }),
    await ids({ search: '0677654321' }),
    await ids({ search: 'mugs-1002' }),
  ].join(';')
  const rows = JSON.stringify(await real.run("SELECT * FROM edgetill_order WHERE order_id = 'mugs-1002'", []))
  if (/тарас|taras|7654321|765-43|горн/i.test(rows)) wrong.push(rows)
  return { wrong, found }
}

/** Each page of a list as a text. */
async function pagesOf(
  read: (page: Pick<OrdersQuery, 'limit' | 'cursor'>) => Promise<{ cursor: string | null; text: string }>,
): Promise<string[]> {
  const texts: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await read({ limit: 2, cursor })
    texts.push(page.text)
    cursor = page.cursor
  }
  return texts
}

const sorted = (value: unknown): unknown =>
  Array.isArray(value) ? value.toSorted() : value && typeof value === 'object' ? Object.entries(value).sort() : value
/** The lists as a person counts them. */
export const LISTS = {
  pages: ['else-9,1005', '1004,1003', '1002,1001'],
  states: [
    'else-9 paid 9',
    '1005 partly_charged 120',
    '1004 waiting 12',
    '1003 failed 55.25',
    '1002 paid 70',
    '1001 partly_refunded 70.5',
  ],
  'states paid, failed': 'else-9,1003,1002',
  'status success': 'else-9,1005,1002,1001',
  'status failure': '1003',
  'status of an object': '',
  'flag any': 'else-9',
  'flag unknown_order': 'else-9',
  'flag paid_twice': '',
  open: '1004',
  reference: '1001',
  'from, to': '1004,1003',
  'open and state': '',
  search: {
    'mugs-1001': '1001',
    'mugs-100': '1005,1004,1003,1002,1001',
    '1004': '1004',
    inv: '1001',
    INV: '1001',
    'taras@': '1002',
    'TARAS@EXAMPLE.COM': '1002',
    '067 765 43 21': '1002',
    '+380677654321': '1002',
    '100.5': '1001',
    '70,5': '1001',
    '70.50': '1001',
    '30': '1001',
    '55.25': '1003',
    "о'ніл": '1002',
    'тарас горн': '1002',
    'two mugs shevch': '1005,1004,1003,1001',
    'mugs 70.00': '1002',
    '100%': '',
    nothing: '',
  },
  days: [
    {
      ...{ paid_minor: 17_950, authorized_minor: 30_000, captured_minor: 12_000, refunded_minor: 3000 },
      ...{ voided_minor: 0, taken_minor: 26_950, count: 6 },
    },
  ],
  operations: [
    'mugs-1001 paid 10050 Olena Shevchenko',
    'mugs-1002 paid 7000 Тарас Ґонта',
    'mugs-1005 authorized 0 Olena Shevchenko',
    'mugs-1001 refunded -3000 Olena Shevchenko',
    'mugs-1005 captured 12000 Olena Shevchenko',
    'else-9 paid 900 null',
  ],
  'operations by pages': [
    'mugs-1001 paid,mugs-1002 paid',
    'mugs-1005 authorized,mugs-1001 refunded',
    'mugs-1005 captured,else-9 paid',
  ],
  erased: ';;;1002',
}
