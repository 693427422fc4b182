import { describe, expect, it } from 'vitest'
import type { WebhookEvent } from '../../worker/sdk.ts'
import { type Fact, factFromMetadata, factOf } from '../../worker/store/event-summary.ts'
import { foldOrder } from '../../worker/store/fold.ts'
import type { Totals } from '../../worker/store/order.ts'
import { at, payment, secondary } from './support/events.ts'
import { createRandom, isLong, seedOfRun, shuffled } from './support/random.ts'

const facts = (...payloads: object[]): Promise<Fact[]> =>
  Promise.all(payloads.map((payload) => factOf(payload as unknown as WebhookEvent)))
const asked = { amount: 100.5, currency: 'UAH' }

const auth = payment('A-1', { method: 'auth', status_code: '1002', processed_at: at(5) })
const paidFor = { payment_id: auth.payment_id, transaction_id: auth.transaction_id }
const capture = secondary('A-1', 'capture', { ...paidFor, amount: 60.5, fee: { amount: 1.2, currency: 'UAH' } })
const refund = secondary('A-1', 'refund', { ...paidFor, amount: 10, created_at: at(90), processed_at: at(91) })
const purchase = payment('A-1')

/** Each scenario's events, and what the order has to be in the end. */
const SCENARIOS: [name: string, events: object[], status: string | null, totals: Partial<Totals>, flags: string[]][] = [
  [
    'a purchase with 3-D Secure',
    [
      { ...purchase, status: 'init', processed_at: undefined },
      { ...purchase, status: 'pending', status_code: '2122', processed_at: at(3) },
      purchase,
      { ...purchase, status: 'pending', status_code: '2001', processed_at: at(8) },
    ],
    'success',
    { authorized: 10050, captured: 10050 },
    [],
  ],
  [
    'a reserve, two captures, a refund',
    [
      { ...auth, status: 'pending', processed_at: at(2) },
      auth,
      { ...capture, status: 'pending', processed_at: at(60) },
      capture,
      secondary('A-1', 'capture', { ...paidFor, amount: 40, created_at: at(70), processed_at: at(71) }),
      { ...refund, status: 'pending' },
      refund,
    ],
    'success',
    { authorized: 10050, captured: 10050, refunded: 1000, fee: 120 },
    [],
  ],
  [
    'a reserve that is voided',
    [
      { ...auth, status: 'init' },
      auth,
      secondary('A-1', 'void', { ...paidFor, status: 'pending' }),
      secondary('A-1', 'void', paidFor),
    ],
    'success',
    { authorized: 10050, captured: 0, voided: 10050 },
    [],
  ],
  [
    'an increment, and a capture beyond the reserve',
    [
      auth,
      secondary('A-1', 'auth_increment', { ...paidFor, amount: 20 }),
      secondary('A-1', 'auth_increment', { ...paidFor, amount: 500, status: 'failure' }),
      secondary('A-1', 'capture', { ...paidFor, amount: 120.51 }),
    ],
    'success',
    { authorized: 12050, captured: 12051 },
    ['over_capture'],
  ],
  [
    'statuses of one moment',
    [
      { ...purchase, status: 'init' },
      { ...purchase, status: 'pending' },
      { ...purchase, status: 'weird' },
      { ...purchase, status: 'failure', status_code: '4005' },
      purchase,
    ],
    'success',
    { captured: 10050 },
    [],
  ],
  [
    'fractions of any length',
    [
      { ...purchase, status: 'success', processed_at: '2026-03-01T10:00:05.5' },
      { ...purchase, status: 'failure', processed_at: '2026-03-01T10:00:05.499999' },
      { ...purchase, status: 'pending', processed_at: '2026-03-01T10:00:06' },
    ],
    'success',
    { captured: 10050 },
    [],
  ],
  [
    'one moment, written in two ways',
    [
      { ...purchase, status: 'success', processed_at: '2026-03-01T10:00:05.5' },
      { ...purchase, status: 'failure', processed_at: '2026-03-01T10:00:05.500' },
      payment('A-1', { status: 'accepted', created_at: at(30), processed_at: at(31) }),
    ],
    'success',
    { captured: 10050 },
    [],
  ],
  [
    'two statuses of one moment that are not final',
    [
      { ...purchase, status: 'accepted' },
      { ...purchase, status: 'init' },
      secondary('A-1', 'capture', { amount: 500 }),
    ],
    'accepted',
    { captured: 50000 },
    [],
  ],
  [
    'recurring charges of one order',
    [
      purchase,
      payment('A-1', { payment_id: purchase.payment_id, created_at: at(100), processed_at: at(101) }),
      payment('A-1', {
        payment_id: purchase.payment_id,
        created_at: at(200),
        processed_at: at(201),
        status: 'failure',
      }),
      // Without a transaction_id: of the first transaction.
      { ...purchase, transaction_id: undefined, status: 'pending', processed_at: at(1) },
    ],
    'success',
    { captured: 20100 },
    [],
  ],
  [
    'another amount and currency than asked for, and an odd shape',
    [
      { ...purchase, amount: 1, processed_amount: 0.5, processed_currency: 'USD' },
      { ...purchase, amount: 1, status: 'pending', processed_at: at(1) },
      { issues: [], record: { order_id: 'A-1', amount: 'much' } },
      secondary('A-1', 'refund', { amount: 3, currency: 'EUR' }),
    ],
    'success',
    { captured: 100, refunded: 0 },
    ['amount_mismatch', 'currency_mismatch', 'unexpected_shape'],
  ],
]

/** Every sequence of at most `length` events in which each of the scenario's events is at least once. */
function* sequences<T>(items: readonly T[], length: number): Generator<T[]> {
  function* extend(sequence: T[], missing: Set<T>): Generator<T[]> {
    if (missing.size === 0) yield sequence
    if (sequence.length === length) return
    for (const item of items) {
      const left = new Set(missing)
      left.delete(item)
      if (left.size <= length - sequence.length - 1) yield* extend([...sequence, item], left)
    }
  }
  yield* extend([], new Set(items))
}

describe('the fold', () => {
  it.each(SCENARIOS)(
    'gives one state for every permutation and duplication of %s',
    async (_, events, status, totals, flags) => {
      const known = await facts(...events)
      const expected = JSON.stringify(foldOrder('A-1', known, asked))
      expect(JSON.parse(expected)).toMatchObject({ status, totals, flags })
      let count = 0
      for (const sequence of sequences(known, 7)) {
        count++
        if (JSON.stringify(foldOrder('A-1', sequence, asked)) !== expected) {
          expect(foldOrder('A-1', sequence, asked)).toEqual(JSON.parse(expected))
        }
      }
      expect(count).toBeGreaterThanOrEqual(known.length === 7 ? 5040 : 1000)
    },
  )

  const runs = isLong() ? 100_000 : 2_000
  it(`gives one state for any order of random events (${runs} runs)`, async () => {
    const seed = seedOfRun()
    const random = createRandom(seed)
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
    const randomFact = (): Fact => {
      const fact: Record<string, unknown> = {
        id: `id-${Math.floor(random() * 30)}`,
        kind: pick(['documented', 'documented', 'documented', 'unknown', 'unexpected']),
        method: pick(['purchase', 'auth', 'capture', 'refund', 'void', 'auth_increment', 'lookup', 'constructor', 'x']),
        status: pick(['init', 'pending', 'success', 'failure', 'processing', '__proto__']),
        amount: pick([0, 0.01, 0.29, 100.5, -3, 1e15, 1e300]),
        currency: pick(['UAH', 'UAH', 'USD']),
        payment_id: pick(['p1', 'p2']),
        transaction_id: pick([undefined, 't1', 't2']),
        operation_id: pick([undefined, 'o1', 'o2']),
        created_at: pick([undefined, at(0), at(1), 'never', '2026-03-01T10:00:01']),
        processed_at: pick([undefined, at(1), at(2, '.5'), at(2, '.50'), '']),
        fee_amount: pick([undefined, 0.1, 2.5]),
        fee_currency: pick([undefined, 'UAH', 'USD']),
        processed_amount: pick([undefined, undefined, 99]),
        processed_currency: pick([undefined, undefined, 'UAH', 'USD']),
      }
      return fact as unknown as Fact
    }
    for (let run = 0; run < runs; run++) {
      const all = Array.from({ length: 1 + Math.floor(random() * 9) }, randomFact)
      // An id stands for one event: the last one drawn under it.
      const events = [...new Map(all.map((fact) => [fact.id, fact])).values()]
      const expected = JSON.stringify(foldOrder('A-1', events, pick([undefined, asked])))
      const known = JSON.parse(expected).flags.includes('unknown_order') ? undefined : asked
      const again = shuffled([...events, ...events.filter(() => random() < 0.5)], random)
      const result = JSON.stringify(foldOrder('A-1', again, known))
      if (result !== expected) throw new Error(`Run ${run} of EDGETILL_SEED=${seed}: ${expected} is not ${result}`)
    }
    expect(foldOrder('A-1', [], asked).events).toEqual([])
  })

  it('does not change what it is given', async () => {
    const events = Object.freeze((await facts(auth, capture, refund)).map((fact) => Object.freeze(fact)))
    expect(foldOrder('A-1', events).operations).toHaveLength(3)
  })

  it('never fails, whatever the metadata of a key holds', () => {
    for (const metadata of [
      null,
      undefined,
      7,
      'x',
      [],
      {},
      { kind: 'x', amount: 'y' },
      { method: 7, fee_amount: {} },
    ]) {
      const order = foldOrder('A-1', [factFromMetadata('id', metadata)])
      expect(order).toMatchObject({ status: null, flags: ['unknown_order', 'unexpected_shape'] })
    }
  })

  it('counts in minor units, exactly', async () => {
    const cents = Array.from({ length: 10 }, (_, i) => payment('A-1', { amount: [0.29, 0.57, 1.13, 8.2, 1.1][i % 5] }))
    expect(foldOrder('A-1', await facts(...cents)).totals.captured).toBe(2 * (29 + 57 + 113 + 820 + 110))
  })

  it('makes ids that separate everything that counts, and nothing else', async () => {
    const ids = async (...payloads: object[]) => (await facts(...payloads)).map(({ id }) => id)
    const [base, same] = await ids(purchase, { ...purchase, status_description: 'other', eci: '05' })
    expect(base).toBe(same)
    const changes = [
      { method: 'auth' },
      { transaction_id: 'other' },
      { status: 'pending' },
      { status_code: '1001' },
      { amount: 100.51 },
      { currency: 'USD' },
      { processed_at: at(6) },
    ]
    const different = await ids(...changes.map((change) => ({ ...purchase, ...change })))
    expect(new Set([base, ...different]).size).toBe(changes.length + 1)
    // What is not documented has no fields to rely on: there everything counts.
    const odd = [{ remark: 1 }, { remark: 2 }].map((more) => ({ issues: [], record: { order_id: 'A-1', ...more } }))
    const unknown = [{ remark: 1 }, { remark: 2 }].map((more) => ({ order_id: 'A-1', method: 'chargeback', ...more }))
    expect(new Set(await ids(...odd, ...unknown)).size).toBe(4)
  })
})
