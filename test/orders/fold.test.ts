import { expect, it } from 'vitest'
import { foldSummaries } from '../../src/orders/fold.ts'
import { type EventSummary, type OrderTotals, summarizeEvent } from '../../src/orders/index.ts'
import { readSummary } from '../../src/orders/summary.ts'
import { readEvent, type WebhookEvent } from '../../src/webhooks/index.ts'
import { at, payment, secondary } from '../worker/support/events.ts'
import { createRandom, isLong, seedOfRun, shuffled } from '../worker/support/random.ts'

const eventsOf = (...payloads: object[]): WebhookEvent[] =>
  payloads.map((payload) => readEvent(payload as Record<string, unknown>))
const summaries = (...payloads: object[]): EventSummary[] => eventsOf(...payloads).map(summarizeEvent)
const expectedPayment = { amount: 100.5, currency: 'UAH' }

const auth = payment('A-1', { method: 'auth', status_code: '1002', processed_at: at(5) })
const paidFor = { payment_id: auth.payment_id, transaction_id: auth.transaction_id }
const capture = secondary('A-1', 'capture', { ...paidFor, amount: 60.5, fee: { amount: 1.2, currency: 'UAH' } })
const refund = secondary('A-1', 'refund', { ...paidFor, amount: 10, created_at: at(90), processed_at: at(91) })
const purchase = payment('A-1')

const uuid = '00000000-0000-4000-8000-00000000aaaa'

interface Expected {
  status: string
  totals: Partial<OrderTotals>
  flags?: string[]
}

/** Each scenario's events, and what the order has to be in the end. */
const SCENARIOS: [name: string, events: object[], expected: Expected][] = [
  [
    'an authorization, two captures, a refund',
    [
      { ...auth, status: 'pending', processed_at: at(2) },
      auth,
      { ...capture, status: 'pending', processed_at: at(60) },
      capture,
      secondary('A-1', 'capture', { ...paidFor, amount: 40, created_at: at(70), processed_at: at(71) }),
      { ...refund, status: 'pending' },
      refund,
    ],
    {
      status: 'success',
      totals: { authorized_minor: 10050, captured_minor: 10050, refunded_minor: 1000, fee_minor: 120 },
    },
  ],
  [
    'an increment, and a capture beyond the authorization',
    [
      auth,
      secondary('A-1', 'auth_increment', { ...paidFor, amount: 20 }),
      secondary('A-1', 'auth_increment', { ...paidFor, amount: 500, status: 'failure' }),
      secondary('A-1', 'capture', { ...paidFor, amount: 120.51 }),
    ],
    { status: 'success', totals: { authorized_minor: 12050, captured_minor: 12051 }, flags: ['over_capture'] },
  ],
  [
    'one moment, written in several ways',
    [
      { ...purchase, status: 'success', processed_at: '2026-03-01T10:00:05.5' },
      { ...purchase, status: 'failure', processed_at: '2026-03-01T10:00:05.500' },
      { ...purchase, status: 'failure', processed_at: '2026-03-01T10:00:05.499999' },
      payment('A-1', { status: 'accepted', created_at: at(30), processed_at: at(31) }),
    ],
    { status: 'success', totals: { captured_minor: 10050 }, flags: ['status_conflict'] },
  ],
  [
    'events that differ in one counted field only',
    [
      purchase,
      { ...purchase, processed_amount: 50 },
      { ...purchase, fee: { amount: 2.51, currency: 'UAH' } },
      { ...purchase, processed_amount: 50, fee: { amount: 2.51, currency: 'UAH' } },
      { ...purchase, processed_amount: 50, processed_currency: 'UAH', fee: { amount: 2.51, currency: 'UAH' } },
    ],
    {
      status: 'success',
      totals: { authorized_minor: 5000, captured_minor: 5000, fee_minor: 251 },
      flags: ['amount_mismatch'],
    },
  ],
  [
    'a success that is reported as a failure afterwards',
    [purchase, { ...purchase, status: 'failure', processed_at: at(5, '.001') }],
    { status: 'failure', totals: { captured_minor: 0 }, flags: ['status_conflict'] },
  ],
  [
    'refunds beyond what was captured, and impossible amounts',
    [purchase, ...[100.5, 100.5, -10, 1e308].map((amount) => secondary('A-1', 'refund', { ...paidFor, amount }))],
    {
      status: 'success',
      totals: { captured_minor: 10050, refunded_minor: 20100 },
      flags: ['unexpected_shape', 'over_refund'],
    },
  ],
  [
    'a capture after the authorization was voided',
    [auth, secondary('A-1', 'void', paidFor), secondary('A-1', 'capture', { ...paidFor, amount: 100.5 })],
    {
      status: 'success',
      totals: { authorized_minor: 10050, captured_minor: 10050, voided_minor: 10050 },
      flags: ['over_capture'],
    },
  ],
  [
    'two payments, of which one was given back',
    [purchase, payment('A-1', { created_at: at(30) }), secondary('A-1', 'void', { amount: 100.5 })],
    { status: 'success', totals: { captured_minor: 20100, voided_minor: 10050 } },
  ],
  [
    'two payments under one order_id',
    [purchase, payment('A-1', { created_at: at(30), status: 'failure' }), payment('A-1', { created_at: at(40) })],
    { status: 'success', totals: { captured_minor: 20100 }, flags: ['paid_twice'] },
  ],
  [
    'two charges of a subscription',
    ['1', '2'].map((second) =>
      payment('A-1', { created_at: at(Number(second)), recurring: { id: uuid, status: 'active' } }),
    ),
    { status: 'success', totals: { captured_minor: 20100 } },
  ],
  [
    'another amount and currency than asked for, and an odd shape',
    [
      { ...purchase, amount: 1, processed_amount: 0.5, processed_currency: 'USD' },
      { ...purchase, amount: 1, status: 'pending', processed_at: at(1) },
      { order_id: 'A-1', amount: 'much' },
      secondary('A-1', 'refund', { amount: 3, currency: 'EUR' }),
    ],
    {
      status: 'success',
      totals: { captured_minor: 100, refunded_minor: 0 },
      flags: ['amount_mismatch', 'currency_mismatch', 'unexpected_shape'],
    },
  ],
]

it.each(SCENARIOS)('gives one state for any order and duplication of %s', (_, events, wanted) => {
  const random = createRandom(seedOfRun())
  const known = summaries(...events)
  const expected = JSON.stringify(foldSummaries('A-1', known, expectedPayment))
  expect(JSON.parse(expected)).toMatchObject({ flags: [], ...wanted })
  for (let run = 0; run < 500; run++) {
    const sequence = shuffled([...known, ...known.filter(() => random() < 0.5)], random)
    const result = foldSummaries('A-1', sequence, expectedPayment)
    if (JSON.stringify(result) !== expected) expect(result).toEqual(JSON.parse(expected))
  }
})

const runs = isLong() ? 100_000 : 2_000
it(`gives one state for any order of random events (${runs} runs)`, () => {
  const seed = seedOfRun()
  const random = createRandom(seed)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const randomSummary = (): EventSummary => {
    const summary: object = {
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
    return summary as EventSummary
  }
  for (let run = 0; run < runs; run++) {
    const all = Array.from({ length: 1 + Math.floor(random() * 9) }, randomSummary)
    // An id stands for one event: the last one drawn under it.
    const events = [...new Map(all.map((summary) => [summary.id, summary])).values()]
    const known = pick([undefined, expectedPayment])
    const expected = JSON.stringify(foldSummaries('A-1', events, known))
    const again = shuffled([...events, ...events.filter(() => random() < 0.5)], random)
    const result = JSON.stringify(foldSummaries('A-1', again, known))
    if (result !== expected) throw new Error(`Run ${run} of EDGETILL_SEED=${seed}: ${expected} is not ${result}`)
  }
  expect(foldSummaries('A-1', [], expectedPayment).events).toEqual([])
})

it('takes for events without a time a few times as long as for whole ones', () => {
  const some = (more: object) =>
    summaries(...Array.from({ length: 4000 }, (_, i) => payment('A-1', { payment_id: `p-${i}`, ...more })))
  const timeOf = (events: ReturnType<typeof some>) => {
    const times = Array.from({ length: 5 }, () => {
      // Time of the processor: other work on the machine does not count.
      const start = process.cpuUsage()
      expect(foldSummaries('A-1', events).operations).toHaveLength(events.length)
      return process.cpuUsage(start).user
    })
    return Math.min(...times)
  }
  // A quadratic fold takes more than 20 times as long.
  expect(timeOf(some({ created_at: undefined })) / timeOf(some({}))).toBeLessThan(10)
})

it('does not change what it is given', async () => {
  const events = Object.freeze(summaries(auth, capture, refund).map((summary) => Object.freeze(summary)))
  expect(foldSummaries('A-1', events).operations).toHaveLength(3)
})

it('never fails, whatever the metadata of a key holds', () => {
  for (const metadata of [null, undefined, 7, [], { kind: 'x', amount: 'y' }, { method: 7, fee_amount: {} }]) {
    const order = foldSummaries('A-1', [readSummary('id', metadata)])
    expect(order).toMatchObject({ status: null, flags: ['unexpected_shape'] })
  }
})

it('counts in minor units, exactly', async () => {
  const cents = Array.from({ length: 10 }, (_, i) => payment('A-1', { amount: [0.29, 0.57, 1.13, 8.2, 1.1][i % 5] }))
  expect(foldSummaries('A-1', summaries(...cents)).totals.captured_minor).toBe(2 * (29 + 57 + 113 + 820 + 110))
})
