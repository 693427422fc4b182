import { describe, expect, it } from 'vitest'
import type { OrderOperation } from '../../src/orders/order.ts'
import {
  chooseAttempt,
  committed,
  leftOf,
  type Message,
  type MoneyOperation,
  type MoneyRequest,
  type OrderFacts,
  type OrderState,
  step,
  versionOf,
} from '../../src/till/protocol.ts'

// The rules of one order's money, each at its edge. The model of test/simulator plays them in every order.

const NOW = 1_000_000_000
const TOTALS = { authorized_minor: 10_000, captured_minor: 10_000, refunded_minor: 0, voided_minor: 0, fee_minor: null }

/** An operation as the service shows it. */
const shown = (id: string, amount: number, more: Partial<OrderOperation> = {}): OrderOperation => ({
  ...{ id, amount, method: 'refund', status: 'success', status_code: null, created_at: null, processed_at: null },
  ...more,
})
const orderOf = (operations: OrderOperation[] = [], more: Partial<OrderFacts> = {}): OrderFacts => ({
  ...{ order_id: 'A-1', isKnown: true, isAddressable: true, totals: TOTALS, operations },
  ...{ operation_ids: operations.map(({ id }) => id), ...more },
})
const request = (more: Partial<MoneyRequest> = {}): Message => ({
  type: 'request',
  request: {
    ...{ id: 'new', kind: 'refund', keyHash: 'k', fingerprint: 'f', amount: 20, hasCurrency: true, hasServerUrl: true },
    ...more,
  },
})
/** A refund of 20.00 that was made a second ago. */
const made = (more: Partial<MoneyOperation> = {}): MoneyOperation => ({
  ...{ id: 'm', kind: 'refund', keyHash: 'k', fingerprint: 'f', amount: 20, started_at: NOW - 1_000, expected: 2_000 },
  ...{ known: [], ...more },
})
const play = (message: Message, state: Partial<OrderState> = {}, now = NOW) => {
  const { state: after, commands } = step({ order: orderOf(), operations: [], ...state }, message, now)
  const answers = commands.flatMap((command) => (command.type === 'answer' ? command.answer : []))
  return { after, answer: answers.at(-1), types: commands.map(({ type }) => type), commands }
}
const DONE = { code: 'executed', record: { status: 'success', amount: 20 } } as const
const done = (more: Partial<MoneyOperation> = {}) =>
  made({ outcome: 'done', answer: DONE, operation_id: 'r-1', ...more })
const NOT = { code: 'not_executed', kind: 'refund' } as const

describe('a key', () => {
  it('is one request, and gets one answer', () => {
    expect(play(request(), { operations: [done()] })).toMatchObject({ answer: DONE, types: ['answer'] })
    const rejected = made({ outcome: 'rejected', answer: NOT })
    expect(play(request(), { operations: [rejected] }).answer).toEqual(NOT)
    expect(play(request({ fingerprint: 'other' }), { operations: [done()] }).answer).toEqual({ code: 'key_reused' })
  })

  it('is free again where nothing was sent', () => {
    const unsent = made({ outcome: 'not_sent', fingerprint: 'other', answer: NOT })
    expect(play(request(), { operations: [unsent] }).types).toEqual(['store', 'then'])
  })

  it('belongs to one attempt at paying the order', () => {
    const [paid, unpaid] = ['A-1', 'A-1~2'].map((order_id, n) => ({
      ...{ order_id, holdsMoney: n === 0, isUnsettled: false, hasKey: false },
    })) as [Parameters<typeof chooseAttempt>[0][0], Parameters<typeof chooseAttempt>[0][0]]
    expect(chooseAttempt([paid, unpaid])).toBe('A-1')
    expect(chooseAttempt([{ ...paid, holdsMoney: false }, unpaid])).toEqual({ code: 'not_paid' })
    const both = { code: 'paid_twice', order_ids: ['A-1', 'A-1~2'] }
    expect(chooseAttempt([paid, { ...unpaid, isUnsettled: true }])).toEqual(both)
    expect(chooseAttempt([paid, { ...unpaid, hasKey: true }])).toBe('A-1~2')
    expect(chooseAttempt([paid, { ...unpaid, hasKey: true }], 'A-1')).toEqual({ code: 'key_reused' })
    expect([chooseAttempt([unpaid]), chooseAttempt([paid, unpaid], 'A-1~2')]).toEqual(['A-1~2', 'A-1~2'])
    expect(chooseAttempt([])).toEqual({ code: 'unknown_order' })
  })
})

describe('a request is rejected, and nothing written,', () => {
  const pending = orderOf([shown('r-1', 30, { status: 'pending' })])
  const version = versionOf(orderOf(), [])
  it.each<[string, Partial<MoneyRequest>, Partial<OrderState>, object]>([
    ['of unknown order', { hasCurrency: false }, { order: orderOf([], { isKnown: false }) }, { code: 'unknown_order' }],
    [
      ...(['whose webhooks have no address', { hasServerUrl: false }] as const),
      ...([{ order: orderOf([], { isAddressable: false }) }, { code: 'no_server_url' }] as const),
    ],
    ['where money was asked for since', { version }, { order: pending }, { code: 'order_changed' }],
    ['of all, while some is pending', { amount: null }, { order: pending }, { code: 'pending', left: 7_000 }],
    ['of more than a pending one leaves', { amount: 70.01 }, { order: pending }, { code: 'pending', left: 7_000 }],
    ['beyond a limit', { limit: 1_999 }, {}, { code: 'over_limit', limit: 1_999 }],
    ['of all, under a limit', { amount: null, limit: 99_999 }, {}, { code: 'over_limit' }],
    ['beyond a limit, with what is pending', { limit: 4_999 }, { order: pending }, { code: 'over_limit' }],
    [
      ...(['beyond a limit, with what was refunded of another attempt', { limit: 4_999 }] as const),
      ...([{ order: orderOf([], { refundedElsewhere: 3_000 }) }, { code: 'over_limit' }] as const),
    ],
    [
      ...(['of a kind of which a person has two accounts', {}] as const),
      ...([
        {
          operations: [
            made({ keyHash: 'o', outcome: 'rejected', answer: NOT, late: { outcome: 'done', answer: DONE } }),
          ],
        },
        { code: 'unsettled', isOwn: false },
      ] as const),
    ],
  ])('%s', (_, wanted, state, answer) => {
    expect(play(request(wanted), state)).toMatchObject({ answer, types: ['answer'] })
  })

  it('and up to the edge of each of these it is made', () => {
    for (const [wanted, state] of [
      [{ amount: 70 }, { order: pending }],
      [{ version }, {}],
      [{ limit: 2_000 }, {}],
      [{ limit: 5_000 }, { order: pending }],
      [{ limit: 0, kind: 'capture' }, {}],
      [{}, { order: orderOf([], { isKnown: false }) }],
    ] as [Partial<MoneyRequest>, Partial<OrderState>][])
      expect(play(request(wanted), state).types, JSON.stringify(wanted)).toEqual(['store', 'then'])
  })
})

it('an operation of another attempt stops a request, and money of another attempt is part of the version', () => {
  const openElsewhere = made({ id: 'b', keyHash: 'o', outcome: 'unknown' })
  const order = orderOf([], { openElsewhere })
  expect(play(request(), { order }).answer).toEqual({ code: 'unsettled', id: 'b', kind: 'refund', isOwn: false })
  expect(play(request(), { order, operations: [done()] }).answer).toEqual(DONE)
  const beside = orderOf([], { versionsBeside: ['A:1-1-0-0'] })
  expect(versionOf(beside, [])).toBe('A-1:10000-10000-0-0,A:1-1-0-0')
})

it('a request remembers each operation that cannot be its own', () => {
  const order = orderOf([shown('r-1', 5), shown('c-1', 5, { method: 'capture' })], { operation_ids: ['r-2'] })
  const { after } = play(request(), { order, operations: [done({ keyHash: 'o', operation_id: 'r-9' })] })
  expect(after.operations.at(-1)).toMatchObject({ expected: 2_000, started_at: NOW })
  expect(after.operations.at(-1)?.known.toSorted()).toEqual(['r-1', 'r-2', 'r-9'])
})

describe('time', () => {
  it('ends after thirty seconds for what was written and not sent', () => {
    const at = (ms: number) => play({ type: 'recorded', id: 'm' }, { operations: [made({ started_at: NOW - ms })] })
    expect(at(30_000).types).toEqual(['send'])
    expect(at(30_001)).toMatchObject({ types: ['answer'], answer: { code: 'in_progress', isOwn: true } })
  })

  it('is a minute for a call, before the service is asked or a person is believed', () => {
    const at = (ms: number, message: Message) => play(message, { operations: [made({ started_at: NOW - ms })] })
    const check: Message = { type: 'check', id: 'm' }
    expect([at(60_000, check).types, at(60_001, check).types]).toEqual([[], ['look_up']])
    const word: Message = { type: 'by_hand', id: 'm', executed: false, isListed: true }
    expect(at(60_000, word).answer).toEqual({ code: 'still_in_progress', kind: 'refund' })
    expect(at(60_001, word).answer).toEqual(NOT)
  })

  it('is none for a call whose outcome is unknown', () => {
    const operations = [made({ outcome: 'unknown' })]
    const { commands } = play({ type: 'check', id: 'm' }, { operations })
    expect(commands).toMatchObject([{ type: 'look_up', settleAfterMs: 120_000 }])
  })
})

describe('an open operation', () => {
  const operations = [made({ outcome: 'unknown' })]
  const check: Message = { type: 'check', id: 'm' }

  it('has become the one of its kind and amount that was not known before', () => {
    for (const one of [shown('r-1', 20), shown('r-1', 20, { status: 'pending' })])
      expect(play(check, { operations, order: orderOf([one]) }).after.operations[0]).toMatchObject({
        ...{ outcome: 'done', operation_id: 'r-1' },
        answer: { code: 'executed', record: { operation_id: 'r-1', order_id: 'A-1' } },
      })
    for (const one of [shown('r-1', 21), shown('r-1', 20, { method: 'capture' }), shown('old', 20)])
      expect(
        play(check, { operations: [made({ outcome: 'unknown', known: ['old'] })], order: orderOf([one]) }).types,
      ).toEqual(['look_up'])
    const releases = [made({ kind: 'void', amount: null, expected: 0, outcome: 'unknown' })]
    const order = orderOf([shown('v-1', 99, { method: 'void' })])
    expect(play(check, { operations: releases, order }).after.operations[0]).toMatchObject({ operation_id: 'v-1' })
  })

  it('stays open between two that it may be, and where one may be that of a request that a person has settled', () => {
    expect(play(check, { operations, order: orderOf([shown('r-1', 20), shown('r-2', 20)]) }).types).toEqual([])
    const byHand = done({ id: 'other', keyHash: 'o', operation_id: undefined })
    expect(play(check, { operations: [byHand, ...operations], order: orderOf([shown('r-1', 20)]) }).types).toEqual([])
  })

  it('lets another request wait, which goes on once it is settled', () => {
    const waits = play(request({ keyHash: 'other' }), { operations })
    expect(waits.types).toEqual(['look_up'])
    const absent: Message = { type: 'looked_up', id: 'm', outcome: 'not_executed' }
    expect(play(absent, waits.after)).toMatchObject({ types: ['store', 'store', 'then'] })
    const unknown = play({ ...absent, outcome: 'unknown' }, waits.after)
    expect(unknown).toMatchObject({ types: ['answer'], answer: { code: 'unsettled', id: 'm', isOwn: false } })
  })

  it('counts as not made for no look-up that shows one like it', () => {
    const absent: Message = { type: 'looked_up', id: 'm', outcome: 'not_executed' }
    const order = orderOf([shown('r-1', 20), shown('r-2', 20)])
    expect(play(absent, { operations, order }).types).toEqual([])
  })
})

describe('a response after the operation was settled', () => {
  const settled = made({ outcome: 'rejected', answer: NOT })
  const responded: Message = { type: 'responded', id: 'm', outcome: 'done', answer: DONE, operation_id: 'r-1' }
  it.each<[string, MoneyOperation, Message, string[], object]>([
    ['otherwise is kept', settled, responded, ['contradict', 'store_response', 'answer'], { code: 'contradicted' }],
    ['by the same operation is the same', done(), responded, ['store_response', 'answer'], DONE],
    [
      'by another operation is not',
      done({ operation_id: 'r-2' }),
      responded,
      ['contradict', 'store_response', 'answer'],
      { record: {} },
    ],
    ['that is unknown changes nothing', done(), { ...responded, outcome: 'unknown', answer: NOT }, ['answer'], DONE],
    ['that was rejected is the same', settled, { ...responded, outcome: 'rejected', answer: NOT }, ['answer'], NOT],
  ])('%s', (_, operation, message, types, answer) => {
    expect(play(message, { operations: [operation] })).toMatchObject({ types, answer })
  })
})

describe('an operation that was pending', () => {
  const operations = [done({ answer: { code: 'executed', record: { status: 'pending', amount: 20 } } })]

  it('has its final status, and another one for another answer', () => {
    const succeeded = orderOf([shown('r-1', 20)])
    expect(play(request(), { operations, order: succeeded }).answer).toMatchObject({ record: { status: 'success' } })
    const declined = orderOf([shown('r-1', 20, { status: 'failure' })])
    expect(play(request(), { operations, order: declined }).answer).toMatchObject({ record: { status: 'failure' } })
  })

  it('counts as asked for until then, and no longer once it was declined', () => {
    const order = orderOf([shown('r-1', 20, { status: 'pending' })])
    expect(leftOf(order, operations).refund).toBe(8_000)
    expect(leftOf(orderOf([shown('r-1', 20, { status: 'failure' })]), operations).refund).toBe(10_000)
  })
})

it('money that was asked for is not left: pending, in progress or unknown, once each', () => {
  const held = orderOf([], { totals: { ...TOTALS, captured_minor: 2_500 } })
  const capture = made({ kind: 'capture', expected: 5_000 })
  expect(leftOf(held, [capture])).toEqual({ capture: 2_500, refund: 2_500, void: 2_500 })
  expect(leftOf(held, [{ ...capture, expected: 9_000 }])).toEqual({ capture: 0, refund: 2_500, void: 0 })
  for (const outcome of ['rejected', 'not_sent'] as const)
    expect(leftOf(held, [{ ...capture, outcome }]).capture).toBe(7_500)
  const more = { ...capture, maybeLost: true as const }
  expect(leftOf(held, [more]).capture).toBe(7_500)
  // The service shows it: it is in the totals, or pending there.
  const both = { ...held, operations: [shown('c-1', 50, { method: 'capture', status: 'pending' })] }
  expect(committed(both, [capture]).captured_minor).toBe(7_500)
  expect(leftOf(orderOf([], { totals: { ...TOTALS, refunded_minor: 12_000 } }), []).refund).toBe(0)
  expect(versionOf(orderOf([], { order_id: 'a b' }), [made()])).toBe('a%20b:10000-10000-2000-0')
})

describe('after a loss of the keys', () => {
  const loss = { at: NOW - 60_000, isAsked: false }
  const asked = { ...loss, isAsked: true }
  const order = orderOf([shown('r-1', 10), shown('r-2', 20)])

  it('nothing is sent for a minute, nor before the service was asked', () => {
    expect(play(request(), { loss }, NOW - 1).answer).toEqual({ code: 'order_rebuilt' })
    expect(play(request(), { loss }).types).toEqual(['list_all'])
    expect(play(request(), { loss: asked }).types).toEqual(['store', 'then'])
  })

  it('a key waits for a person while the service shows an operation of its kind that no key explains', () => {
    const { answer, after } = play(request(), { loss: asked, order })
    expect(answer).toEqual({ code: 'unexplained', id: 'new', kind: 'refund', operation_id: 'r-1' })
    expect(after.operations).toMatchObject([{ outcome: 'unknown', maybeLost: true, known: [] }])
    expect(play(request({ kind: 'capture' }), { loss: asked, order }).types).toEqual(['store', 'then'])
    expect(play(request(), { loss: { ...asked, keyless: ['r-1', 'r-2'] }, order }).types).toEqual(['store', 'then'])
  })

  it('a person says which of them is its own: the one of its amount, if there is one', () => {
    const operations = [made({ outcome: 'unknown', maybeLost: true })]
    const word: Message = { type: 'by_hand', id: 'm', executed: true, isListed: true }
    const { after, answer } = play(word, { loss: asked, order, operations })
    expect(after.operations[0]).toMatchObject({ outcome: 'done', operation_id: 'r-2' })
    expect(answer).toMatchObject({ code: 'executed', record: { operation_id: 'r-2' } })
    const other = play(word, { loss: asked, order: orderOf([shown('r-1', 10)]), operations })
    expect(other.after.operations[0]).toMatchObject({ operation_id: 'r-1' })
    expect(play({ ...word, executed: false }, { loss: asked, order, operations }).answer).toEqual(NOT)
  })

  it('or accounts for an operation that is no key’s', () => {
    const word = (id: string, executed = true): Message => ({ type: 'by_hand', id, executed, isListed: true })
    const state = { loss: asked, order }
    expect(play(word('r-9'), state).answer).toEqual({ code: 'unknown_operation' })
    expect(play(word('r-1', false), state).answer).toEqual({ code: 'already_settled' })
    const { after, types } = play(word('r-1'), state)
    expect([types, after.operations]).toMatchObject([['store', 'answer'], [{ keyHash: '', operation_id: 'r-1' }]])
    const waiting = [made({ outcome: 'unknown', maybeLost: true })]
    expect(play(word('r-2'), { ...state, operations: waiting }).after.operations).toMatchObject([
      { id: 'm', outcome: 'done', operation_id: 'r-2' },
    ])
  })

  it('a key that waited was not executed once each operation belongs to another one', () => {
    const waiting = made({ outcome: 'unknown', maybeLost: true })
    expect(play(request(), { loss: asked, order, operations: [waiting] }).answer).toMatchObject({ code: 'unexplained' })
    const others = ['r-1', 'r-2'].map((id) => done({ id, keyHash: id, operation_id: id }))
    expect(play(request(), { loss: asked, order, operations: [waiting, ...others] })).toMatchObject({
      ...{ answer: NOT, types: ['store', 'answer'] },
    })
  })
})

describe('a person’s word', () => {
  const word: Message = { type: 'by_hand', id: 'm', executed: true, isListed: true }
  it('needs the list first, and counts where nothing is shown', () => {
    const operations = [made({ outcome: 'unknown' })]
    expect(play({ ...word, isListed: false }, { operations }).types).toEqual(['list'])
    expect(play(word, { operations }).answer).toMatchObject({ code: 'executed', record: { settled_by_hand: true } })
    expect(play(word, { operations, order: orderOf([shown('r-1', 20)]) }).answer).toEqual({ code: 'already_settled' })
    expect(play(word, { operations: [done()] }).answer).toEqual({ code: 'already_settled' })
  })

  it('chooses between two ends, and the other one is never its own again', () => {
    const late = { outcome: 'done' as const, answer: DONE, operation_id: 'r-1' }
    const operations = [made({ outcome: 'rejected', answer: NOT, late })]
    const yes = play(word, { operations })
    expect([yes.answer, yes.after.operations[0]]).toMatchObject([DONE, { operation_id: 'r-1', late: undefined }])
    const no = play({ ...word, executed: false }, { operations })
    expect([no.answer, no.after.operations[0]]).toMatchObject([NOT, { outcome: 'rejected', known: ['r-1'] }])
  })
})
