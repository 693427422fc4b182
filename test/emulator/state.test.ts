import { describe, expect, it } from 'vitest'
import { createEmulator, type Perturbation, type TestCardName } from '../../src/emulator/index.ts'
import { checksum, createRandom } from '../../src/emulator/state/random.ts'
import { isConfigError } from '../../src/index.ts'
import { SEED } from '../support/property.ts'
import { type Bench, cardForm, createBench, direct, type Json, openCheckout, post, START, submit } from './call.ts'
import { DAILY, paid, payDirect } from './conformance/samples.ts'
import { CONTROL, command, read } from './control.ts'

/** A day with something of everything that can be stored. */
async function morning(bench: Bench): Promise<void> {
  const { emulator, answers } = bench
  emulator.faults.rate({ kind: 'unknown_fields' }, 0.3)
  answers.push(500)
  await payDirect(bench, { order_id: 'retried' })
  await payDirect(bench, { order_id: 'daily', init_recurring: DAILY })
  emulator.faults.next({ kind: 'delay', ms: 3_600_000 })
  await payDirect(bench, { order_id: 'delayed', order_3ds_bypass: 'xyz' })
  emulator.faults.next({ kind: 'reorder' })
  await payDirect(bench, { order_id: 'held', cc_number: '4000000000009995' })
  await openCheckout(emulator, { order_id: 'open' })
  emulator.faults.next({ kind: 'drop' }, 2)
  await emulator.deliveries.idle()
}

async function afternoon({ emulator }: Bench): Promise<string> {
  await emulator.clock.advance({ days: 2 })
  emulator.control.refundPayment('retried', 5)
  await post(emulator, '/api/v1/payment', direct(emulator, { order_id: 'late' }))
  await emulator.deliveries.idle()
  const lists = ['orders', 'deliveries', 'requests', 'notes', 'faults'].map((name) => `/api/${name}`)
  return (await Promise.all(['', '/orders?order_id=daily', ...lists].map((path) => read(emulator, path)))).join('\n')
}

describe('a snapshot', () => {
  it('goes on in another emulator as if nothing had happened, byte for byte', async () => {
    const own = { expiry: { checkoutMs: 7_200_000 } }
    const first = createBench(own)
    await morning(first)
    const stored = JSON.stringify(first.emulator.snapshot())
    const second = createBench(own)
    second.emulator.restore(JSON.parse(stored))
    expect(JSON.stringify(second.emulator.snapshot())).toBe(stored)
    const [expected, actual] = [await afternoon(first), await afternoon(second)]
    expect(actual).toBe(expected)
    expect(actual).toContain('charge 2: purchase success')
    expect(second.received.length).toBeGreaterThan(5)
  })

  it('is read and restored over HTTP; a wrong one changes nothing', async () => {
    const first = await paid()
    const stored = JSON.parse(await read(first.emulator, '/api/snapshot'))
    const { emulator } = createBench()
    for (const [change, json] of [
      [{}, { restored: true }],
      [{ version: 1 }, { error: expect.stringContaining('The snapshot has version 1') }],
      [{ state: { orders: [] } }, { error: expect.stringContaining('damaged') }],
      [{ pos_id: 'another' }, { error: expect.stringContaining('belongs to the POS another') }],
    ] as const) {
      expect((await command(emulator, 'restore', { ...stored, ...change })).json).toEqual(json)
      expect(emulator.orders.list()).toEqual(first.emulator.orders.list())
    }
  })

  it('sends again what the end of the process cut off', async () => {
    const hanging = createBench({ fetch: () => new Promise(() => {}) })
    await post(hanging.emulator, '/api/v1/payment', direct(hanging.emulator))
    const { emulator, received } = createBench()
    emulator.restore(hanging.emulator.snapshot())
    expect(emulator.deliveries[0]?.attempts[0]).toMatchObject({ error: 'the emulator was stopped' })
    await emulator.clock.advance({ minutes: 1 })
    expect(received).toHaveLength(1)
  })
})

/** Changes one part of some JSON at random: a value, a name, or an entry of a list. */
function damage(value: unknown, random: () => number): void {
  const parts: [Json, string][] = []
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [name, part] of Object.entries(node)) {
      parts.push([node as Json, name])
      collect(part)
    }
  }
  collect(value)
  const [parent, name] = parts[Math.floor(random() * parts.length)] as [Json, string]
  const others = [null, 'x', -1, 1e21, {}, [], true].filter(
    (one) => JSON.stringify(one) !== JSON.stringify(parent[name]),
  )
  const kind = Math.floor(random() * 3)
  if (kind === 0) delete parent[name]
  else if (kind === 1) parent[`${name}x`] = parent[name]
  else parent[name] = others[Math.floor(random() * others.length)]
  if (Array.isArray(parent) && kind === 0) parent.splice(Number(name), 1)
}

it(`500 damaged snapshots are rejected whole, and no page fails afterwards (seed ${SEED})`, async () => {
  const random = createRandom(SEED)
  const first = await paid()
  await morning(first)
  first.emulator.shops.create({ name: 'mugs' })
  const stored = JSON.stringify(first.emulator.snapshot())
  const { emulator } = await paid({ order_id: 'mine' })
  const before = JSON.stringify(emulator.snapshot())
  for (let run = 0; run < 500; run++) {
    const wrong = JSON.parse(stored) as Json
    damage(wrong, random)
    if (JSON.stringify(wrong) === stored) continue
    let error: unknown
    try {
      emulator.restore(wrong)
    } catch (caught) {
      error = caught
    }
    expect([run, isConfigError(error)]).toEqual([run, true])
    expect(JSON.stringify(emulator.snapshot())).toBe(before)
  }
  for (const page of ['', '/orders?order_id=mine', '/requests', '/webhooks', '/faults', '/cards', '/connect']) {
    expect([page, (await emulator.fetch(`${CONTROL}${page}`)).status]).toEqual([page, 200])
  }
  emulator.restore(JSON.parse(stored))
  expect(emulator.shops.list()).toHaveLength(1)
})

it('a snapshot of another form is rejected whole, even with a right checksum', async () => {
  const { emulator } = await paid({ order_id: 'mine' })
  const before = JSON.stringify(emulator.snapshot())
  const { checksum: _, ...wrong } = JSON.parse(before) as Json & { state: { orders: Json[] } }
  ;(wrong.state.orders[0] as Json).timeline = null
  expect(() => emulator.restore({ ...wrong, checksum: checksum(wrong) })).toThrow('The snapshot is damaged')
  expect(JSON.stringify(emulator.snapshot())).toBe(before)
})

it('a snapshot is whole in whatever order its names come', async () => {
  const { emulator } = await paid()
  const turned = JSON.parse(JSON.stringify(emulator.snapshot()), (_, value) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).reverse())
      : value,
  )
  expect(() => emulator.restore(turned)).not.toThrow()
})

describe('seed orders', () => {
  it('are made with their cards and what happened afterwards', () => {
    const { emulator } = createBench()
    const common = { amount: 100.5, currency: 'UAH' }
    emulator.seedOrders([
      { ...common, order_id: 'S-1', steps: [{ do: 'refund', amount: 20.25 }] },
      { ...common, order_id: 'S-2', card: 'declined' },
      { ...common, order_id: 'S-3', mode: 'hosted' },
      { ...common, order_id: 'S-4', method: 'auth', steps: [{ do: 'capture', amount: 30 }] },
    ])
    const brief = emulator.orders.list().map((one) => `${one.order_id} ${one.status} ${one.operations.length}`)
    expect(brief).toEqual(['S-1 success 1', 'S-2 failure 0', 'S-3 init 0', 'S-4 success 1'])
  })

  const order = { order_id: 'A', amount: 1, currency: 'UAH' }
  it.each([
    [{}, 'array of orders'],
    [[{ ...order, amount: -1 }], '[0].amount must be a positive number'],
    [[{ ...order, card: 'sucess' }], '[0].card: Unknown test card "sucess". Did you mean "success"?'],
    [[{ ...order, curency: 1 }], '[0].curency is not a parameter'],
    [[order, order], '[1].order_id A is used twice'],
  ])('%j: %s', (orders, text) => {
    const { emulator } = createBench()
    expect(() => emulator.seedOrders(orders)).toThrow(text)
    expect(emulator.orders.list()).toEqual([])
  })
})

describe('a perturbation', () => {
  const run = async (...perturbations: Perturbation[]) => {
    const bench = createBench({ perturbations })
    const form = await openCheckout(bench.emulator, { init_recurring: DAILY })
    await submit(bench.emulator, form, cardForm('success'))
    await bench.emulator.clock.advance({ days: 1 })
    return { ...bench, events: bench.received.map(({ event }) => event) }
  }

  const seen = (events: Json[]) => events.map(({ status }) => String(status))
  it.each<[Perturbation, (events: Json[]) => void]>([
    ['nulls', ([event]) => expect(event).toMatchObject({ processed_amount: null, bank_pay: null, limit_info: null })],
    ['no_transaction_id', (events) => expect(events.filter((event) => 'transaction_id' in event)).toEqual([])],
    ['same_payment_id', ([first, second]) => expect(first?.payment_id).toBe(second?.payment_id)],
    ['keys_reordered', ([event]) => expect(Object.keys(event ?? {})[0]).not.toBe('payment_id')],
    ['late_init', (events) => expect(seen(events)).toEqual(['success', 'init', 'success'])],
    ['second_card', (events) => expect(seen(events)).toEqual(['failure', 'success', 'success'])],
    ['unknown_fields', ([, event]) => expect(event).toMatchObject({ emulator_extra: { since: 'now' } })],
    ['processed_amount', (events) => expect(events.map((event) => event.processed_amount)).toEqual([100.5, 100.5])],
  ])('%s changes the webhooks', async (name, check) => {
    const { events, emulator } = await run(name)
    check(events)
    expect(emulator.orders.get('A-1')?.status).toBe('success')
    // None of it without the perturbation.
    const { events: usual } = await run()
    expect(() => check(usual)).toThrow()
  })

  it('return_parameters sends the customer back with the order and its status, as a public plugin reads them', async () => {
    const { emulator } = createBench({ perturbations: ['return_parameters'] })
    const back = async (card: TestCardName) => {
      const form = await openCheckout(emulator, { order_id: card, result_url: 'https://shop.example.com/back?a=1' })
      const paid = await submit(emulator, form, cardForm(card))
      return (
        paid.headers.get('location') ?? /href="(https:[^"]*)"/.exec(await paid.text())?.[1]?.replaceAll('&amp;', '&')
      )
    }
    expect(await back('success')).toBe('https://shop.example.com/back?a=1&order_id=success&status=success')
    expect(await back('declined')).toBe('https://shop.example.com/back?a=1&order_id=declined&status=failure')
  })

  it('is drawn by the seed', async () => {
    const drawn = async (seed: number) => {
      const bench = createBench({ seed, perturbations: 'seed' })
      await post(bench.emulator, '/api/v1/payment', direct(bench.emulator))
      await bench.emulator.deliveries.idle()
      return JSON.stringify(bench.received.map(({ event }) => Object.keys(event)))
    }
    const shapes = await Promise.all([1, 2, 3, 4, 5, 6].map(drawn))
    expect(new Set(shapes).size).toBeGreaterThan(2)
    expect(await drawn(3)).toBe(shapes[2])
    expect(() => createEmulator({ perturbations: ['nuls' as 'nulls'] })).toThrow('Did you mean "nulls"?')
  })
})

it('what was scheduled happens at its moment, however late the clock of the machine', async () => {
  let now = START
  const { emulator } = createBench({
    clock: { now: () => (now += 3) },
    retryDelaysMs: [60_000],
    fetch: async () => new Response(null, { status: 500 }),
  })
  await post(emulator, '/api/v1/payment', direct(emulator, { init_recurring: { ...DAILY, time: '12:00:00' } }))
  await emulator.clock.advance({ days: 1, hours: 3 })
  expect(emulator.orders.get('A-1')?.payments[1]?.created_at).toBe('2026-02-01T12:00:00.000')
  const charge = emulator.deliveries.find(({ event }) => event.created_at === '2026-02-01T12:00:00.000')
  expect(charge?.attempts[0]?.retry_at).toBe('2026-02-01T12:01:00.000')
})

it('keepOrders forgets the oldest orders, and the overview says how many', async () => {
  const bench = createBench({ keepOrders: 2, expiry: { checkoutMs: 60_000 } })
  const { emulator } = bench
  await openCheckout(emulator, { order_id: 'first' })
  for (const order_id of ['A', 'B', 'C']) await payDirect(bench, { order_id })
  expect(emulator.orders.list().map(({ order_id }) => order_id)).toEqual(['B', 'C'])
  expect(await read(emulator, '')).toContain('2 older orders were forgotten: the emulator keeps the latest 2.')
  // Nothing happens to a forgotten order, and its webhooks stay.
  await emulator.clock.advance({ minutes: 1 })
  expect(emulator.deliveries.map(({ order_id }) => order_id)).toEqual(['A', 'B', 'C'])
  expect((await payDirect(bench, { order_id: 'A' })).status).toBe('success')
  const copy = createBench({ keepOrders: 2 }).emulator
  copy.restore(emulator.snapshot())
  expect(await read(copy, '')).toContain('3 older orders were forgotten')
  emulator.reset()
  const all = await paid()
  for (const one of [emulator, all.emulator]) expect(await read(one, '')).not.toContain('forgotten')
  expect(() => createBench({ keepOrders: 0 })).toThrow('keepOrders')
})
