import { describe, expect, it } from 'vitest'
import { type ProveOptions, prove } from '../../../src/testing/index.ts'
import type { Cause } from '../../../src/testing/prove/causes.ts'
import { causeOf } from '../../../src/testing/prove/diagnose.ts'
import { compare, type Difference, expectedOf, verdictOf } from '../../../src/testing/prove/judge.ts'
import { attacks, createPlan } from '../../../src/testing/prove/plan.ts'
import { attacksOf, COURSES, isRace, ORDER_KINDS, type Story, storyOf } from '../../../src/testing/prove/story.ts'
import { createWebhookHandler } from '../../../src/webhooks/index.ts'
import { receiver } from './support/receiver.ts'

const STORY: Story = { asked: 10_050, late: false, actions: [{ do: 'pay' }], sendings: [] }
const AUTHORIZED: Story = { ...STORY, actions: [{ do: 'authorize' }] }
const SUBSCRIPTION: Story = { ...STORY, actions: [{ do: 'subscribe' }] }
const event = (method: string, amount: number, more: object = {}) => {
  return { method, amount, status: 'success', currency: 'UAH', payment_id: 'p', created_at: '1', ...more }
}
const HELD = event('auth', 100.5)
const PAID = event('purchase', 100.5)
const CHARGED = event('purchase', 100.5, { payment_id: 'q' })
const REFUNDED = event('refund', 30.2, { operation_id: 'r' })
const state = (paid: number, refunded = 0, shipped?: number) => ({
  paid,
  refunded,
  ...(shipped !== undefined && { shipped }),
})

/** The service's statements, the shop's, and the mistakes between them. */
const TABLE: readonly [string, Story, object[], ReturnType<typeof state>, Difference | undefined, string?][] = [
  ['right', STORY, [PAID], state(100.5, 0, 1), undefined],
  ['a copy is one payment', STORY, [PAID, PAID], state(100.5, 0, 1), undefined],
  ['one sale shipped twice', STORY, [PAID], state(100.5, 0, 2), 'shipped_more', 'shipped twice'],
  ['two charges, two parcels', SUBSCRIPTION, [PAID, CHARGED], state(201, 0, 2), undefined],
  ['two charges, three parcels', SUBSCRIPTION, [PAID, CHARGED], state(201, 0, 3), 'shipped_more', 'shipped twice'],
  ['one sale in two charges ships once', STORY, [PAID, CHARGED], state(201, 0, 2), 'shipped_more', 'shipped twice'],
  ['a capture beyond the price is withheld', AUTHORIZED, [HELD, event('capture', 110)], state(0, 0, 0), undefined],
  ['a capture is lost', AUTHORIZED, [HELD, event('capture', 100)], state(0, 0, 0), 'paid_less', 'paid but not shipped'],
  ['two charges are not one', SUBSCRIPTION, [PAID, CHARGED], state(100.5, 0, 1), 'paid_less', 'a payment was lost'],
  [
    'a pending pays nothing',
    STORY,
    [event('purchase', 100.5, { status: 'pending' })],
    state(0, 0, 1),
    'shipped_more',
    'shipped but not paid',
  ],
  ['a hold is unpaid', STORY, [event('auth', 100.5)], state(100.5, 0, 0), 'paid_more', 'counted as paid but not paid'],
  ['a hold may be shipped', STORY, [event('auth', 100.5)], state(0, 0, 1), undefined],
  ['a refund twice', STORY, [PAID, REFUNDED], state(100.5, 60.4, 1), 'refunded_more', 'refund counted twice'],
  ['a refund whole', STORY, [PAID, REFUNDED], state(100.5, 100.5, 1), 'refunded_more', 'more was refunded than came'],
  [
    'a failed refund',
    STORY,
    [PAID, { ...REFUNDED, status: 'failure' }],
    state(100.5, 30.2, 1),
    'refunded_more',
    'more was refunded than came',
  ],
  ['a refund lost', STORY, [PAID, REFUNDED], state(100.5, 0, 1), 'refunded_less', 'refund lost'],
  ['never shipped', STORY, [PAID], state(100.5, 0, 0), 'shipped_less', 'paid but not shipped'],
  ['a refunded sale may stay unshipped', STORY, [PAID, REFUNDED], state(100.5, 30.2, 0), undefined],
  ['a changed amount counts', STORY, [event('purchase', 100.5, { processed_amount: 10 })], state(10, 0, 0), undefined],
  [
    'a cent less is not the price',
    { ...STORY, mismatch: 'cent_less' },
    [event('purchase', 100.49)],
    state(100.49, 0, 1),
    'shipped_more',
    'another amount was taken for the price',
  ],
  ['a cent more', { ...STORY, mismatch: 'cent_more' }, [event('purchase', 100.51)], state(100.51, 0, 1), undefined],
]

describe('the judge of prove', () => {
  it.each(TABLE)('%s', (_, story, events, seen, difference, verdict) => {
    const expected = expectedOf(events as never)
    expect(compare({ story, expected, seen })).toBe(difference)
    if (difference) expect(verdictOf({ story, difference, expected, seen, sent: events as never })).toBe(verdict)
  })

  it('counts an amount of another currency only where the shop names that currency', () => {
    const story: Story = { ...STORY, mismatch: 'currency' }
    const paid = expectedOf([{ ...PAID, currency: 'USD' }] as never)
    const seenIn = (currency?: string) =>
      compare({ story, expected: paid, seen: { ...state(100.5), ...(currency && { currency }) } })
    expect([seenIn(), seenIn('UAH'), seenIn('USD')]).toEqual(['paid_more', 'paid_more', undefined])
  })

  it('tells payments without an operation_id apart by their transaction and time', () => {
    const sumOf = (...more: object[]) => expectedOf(more.map((one) => ({ ...PAID, ...one })) as never).paid
    expect(sumOf({ transaction_id: 'a' }, { transaction_id: 'b' })).toBe(20_100)
    expect(sumOf({ created_at: '1' }, { created_at: '2' })).toBe(20_100)
    expect(sumOf({ transaction_id: 'a' }, { transaction_id: 'a' })).toBe(10_050)
  })

  it('before the last webhook, too much is wrong and too little is not', () => {
    const none = expectedOf([])
    expect(compare({ story: STORY, expected: none, seen: state(0, 0, 1) }, true)).toBe('shipped_more')
    expect(compare({ story: STORY, expected: expectedOf([PAID] as never), seen: state(0) }, true)).toBeUndefined()
  })
})

/** A shop that knows no capitals, and has only the first of two orders. */
function lowerCase(): Pick<ProveOptions, 'fetch' | 'state'> {
  const orders = new Map<string, { paid: number; refunded: number }>()
  const handle = createWebhookHandler({
    secrets: 'emulator-api-secret',
    onEvent({ record: { order_id, amount } }) {
      const id = String(order_id).toLowerCase()
      if (!orders.has(id)) orders.set(id, { paid: Number(amount), refunded: 0 })
    },
  })
  return { fetch: (input, init) => handle(new Request(input, init)), state: (id) => orders.get(id.toLowerCase()) }
}

const PAYS = storyOf('pay')
const HALF = storyOf('authorize capture:5025')
const TWICE: Story = { ...HALF, sendings: HALF.sendings.map((one) => ({ ...one, way: 'lost_answer' })) }

it.each<[what: string, shop: ReturnType<typeof lowerCase>, story: Story, causes: Cause[]]>([
  ['one order in the place of another', lowerCase(), { ...PAYS, twin: 'case' }, ['confuses_order_ids']],
  ['a copy of a half that makes a whole', receiver('adds_up_copies'), TWICE, ['adds_up_copies']],
  ['dollars that are not another currency', receiver(), { ...PAYS, currency: 'USD', mismatch: 'currency' }, []],
])('prove judges %s', async (_, shop, story, causes) => {
  const url = 'https://shop.example.com/webhooks'
  const { findings } = await prove({ url, settleMs: 0, ...shop, story: { edgetill_story: 1, story } })
  expect(findings.map(({ cause }) => cause)).toEqual(causes)
})

it('a race is the cause where a story is right without it, whatever else it may take to meet', async () => {
  const story: Story = { ...STORY, asked: 435, sendings: [{ action: 0, nth: 0, way: 'hang_up' }] }
  const sent = [PAID] as never
  const played = { story, order_id: 'A-1', at: 0, steps: [], sent, expected: expectedOf(sent), seen: state(201) }
  const difference = (one: Story): Difference | undefined =>
    one.asked === 435 && isRace(one) ? 'paid_more' : undefined
  const play = async (one: Story) => ({ ...played, difference: difference(one) })
  const player = { play, learnt: {} } as never
  expect(await causeOf(story, { ...played, difference: 'paid_more' }, player)).toBe('not_atomic')
})

it('webhooks of a refund come before those of its payment in one of the fixed stories', () => {
  const { fixed } = createPlan(1, { kinds: ORDER_KINDS, create: true, restart: true, anyIds: true })
  const refunded = storyOf('pay refund:10050')
  expect(fixed).toContainEqual({ ...refunded, sendings: [...refunded.sendings].reverse() })
})

it('each attack, each kind of order and each odd amount is among the fixed stories', () => {
  const { fixed } = createPlan(5, { kinds: ORDER_KINDS, create: true, restart: true, anyIds: true })
  expect(new Set(fixed.flatMap(attacksOf))).toEqual(attacks())
  expect(fixed.map(({ asked }) => asked)).toEqual(expect.arrayContaining([1_999, 435, 29, 2_147_483_650, 10_000, 900]))
  const courses = Object.values(COURSES).flatMap((one) => one.split(/\s+\| /))
  const actions = courses.map((one) => storyOf(one).actions)
  expect(fixed.map((story) => story.actions)).toEqual(expect.arrayContaining(actions))
})
