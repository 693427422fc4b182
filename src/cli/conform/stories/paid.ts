import { isFinal, isSuccess } from '../../../helpers/status.ts'
import type { DirectPurchaseInput } from '../../../operations/create-payment.ts'
import { type Answer, accepted, returned } from '../answer.ts'
import { direct, doubled, hosted } from '../inputs.ts'
import { ANOTHER_WORD, differs, holds, type Judgement, notTried } from '../judgement.ts'
import type { Project } from '../project.ts'
import { type Story, story } from '../statement.ts'

type Record = { [name in 'method' | 'status_code' | 'amount']?: unknown } & { status?: string }

/** Why a payment is of no use for the story; undefined for a success. */
function unpaid({ verdict, value, says }: Answer<Record>): string | undefined {
  if (verdict !== 'accepted') {
    return `the payment ${verdict === 'rejected' ? 'was' : 'may have been taken, its response is not known:'} ${says}`
  }
  if (isSuccess(value)) return undefined
  if (!/^(init|pending|failure)$/.test(String(value?.status))) return ANOTHER_WORD
  const code = /^\d{4}$/.test(String(value?.status_code)) ? ` (${value?.status_code})` : ''
  return isFinal(value) ? `the card was declined${code}` : `it is pending${code}: use a card without 3-D Secure`
}

/** Makes a call for a payment that succeeded. */
async function onceFor<T>(paid: Answer<Record>, { ask }: Project, call: Call<T>): Promise<Answer<T>> {
  const says = unpaid(paid)
  return says === undefined ? await ask(call) : { verdict: 'none', at: 0, says }
}
type Call<T> = (options: { signal: AbortSignal }) => Promise<T>

/** Whether an operation returned its record. A declined or pending operation decides nothing about an assumption. */
function operation(answer: Answer<Record>, method: string, amount?: number): Judgement {
  return returned(answer, (record) => {
    if (!isSuccess(record)) return notTried('it did not succeed with this card')
    if (record.method !== method) return differs('a record of another method')
    if (amount !== undefined && Number(record.amount) === Math.round(amount * 100))
      return notTried('in minor units: see amount_size')
    return amount === undefined || Number(record.amount) === amount ? holds(answer.says) : differs('another amount')
  })
}

const complete = (listed: Answer<readonly unknown[]>, wanted: number): Judgement =>
  returned(listed, ({ length: n }) => (n < wanted ? differs(`${n} of ${wanted} records`) : holds(`${n} records`)))

/** A payment with the test card, written down before it is sent. */
async function pay(project: Project, what: 'authorization' | 'purchase', change: Partial<DirectPurchaseInput> = {}) {
  const { client, ask, newOrder, state } = project
  const method = what === 'purchase' ? 'purchase' : 'auth'
  const order_id = await newOrder(what, change.amount)
  const input = { ...direct(project, order_id), method, ...change } as DirectPurchaseInput
  const paid = await ask((options) => client.createPayment(input, options))
  const order = state.made.find((one) => one.order_id === order_id)
  if (order && paid.verdict === 'rejected') order.now = 'rejected'
  else if (order) order.sent = true
  return { order_id, paid }
}

const captured = story('captured', ['card'], async (project) => {
  const { client, amount, currency: order_currency } = project
  const { order_id, paid } = await pay(project, 'authorization', { amount: doubled(amount) })
  const input = { order_id, order_currency }
  const once = <T>(call: Call<T>) => onceFor(paid, project, call)
  return {
    amount,
    paid,
    capture: await once((options) => client.capturePayment({ ...input, charge_amount: amount }, options)),
    refund: await once((options) => client.refundPayment({ ...input, refund_amount: amount }, options)),
    listed: await once((options) => client.listOrderOperations({ order_id }, options)),
  }
}).judgedBy({
  direct_record: ({ paid }) => accepted(paid),
  exp_year_two_digits: ({ paid }) => {
    const code = String((paid.value as Record | undefined)?.status_code)
    return ['4001', '4144'].includes(code) ? differs(`declined with ${code}`) : accepted(paid)
  },
  capture_part: ({ capture, amount }) => operation(capture, 'capture', amount),
  refund_part: ({ paid, capture, refund, amount }) => {
    const isCaptured = capture.verdict === 'other' || isSuccess(capture.value) || !isSuccess(paid.value)
    return isCaptured ? operation(refund, 'refund', amount) : notTried('nothing was captured')
  },
  list_complete: ({ listed, capture, refund }) => {
    const wanted = [capture, refund].filter(({ verdict }) => verdict === 'accepted').length + 1
    return listed.verdict === 'other' ? notTried(listed.says) : complete(listed, wanted)
  },
})

const refunded = story('refunded', ['card'], async (project) => {
  const { client, amount, currency: order_currency } = project
  const { order_id, paid } = await pay(project, 'purchase')
  const refund: Call<Record> = (options) => client.refundPayment({ order_id, order_currency }, options)
  return { amount, refund: await onceFor(paid, project, refund) }
}).judgedBy({ refund_whole: ({ refund, amount }) => operation(refund, 'refund', amount) })

const voided = story('voided', ['card'], async (project) => {
  const { client, ask, currency: order_currency } = project
  const accounts = () => ask((options) => client.listAccounts({}, options))
  const before = await accounts()
  const { order_id, paid } = await pay(project, 'authorization')
  const call: Call<Record> = (options) => client.voidPayment({ order_id, order_currency }, options)
  return { before, released: await onceFor(paid, project, call), after: await accounts() }
}).judgedBy({
  void_record: ({ released }) => operation(released, 'void'),
  hold_fee: ({ before, released, after }) => {
    if (!isSuccess(released.value) || before.verdict !== 'accepted') return notTried('nothing was released, or read')
    const isSame = JSON.stringify(before.value) === JSON.stringify(after.value)
    return returned(after, () => (isSame ? holds('no account has changed') : differs('an account has changed')))
  },
})

const subscription = story('subscription', ['card', 'apiUrl'], async (project) => {
  const { client, ask } = project
  const { paid } = await pay(project, 'purchase', { init_recurring: { interval_unit: 'year', interval_count: 1 } })
  const recurring_id = paid.value?.recurring?.id
  const ended = recurring_id ? await ask((options) => client.cancelRecurring({ recurring_id }, options)) : undefined
  return { paid, recurring_id, ended }
}).judgedBy({
  recurring_id: ({ paid, recurring_id }) =>
    returned(paid, () => (recurring_id === undefined ? differs('no recurring.id') : holds('recurring.id'))),
  recurring_cancel: ({ ended }) => {
    if (ended === undefined) return notTried('there was no recurring.id')
    return returned(ended, ({ recurring_status: is }) => (is === 'canceled' ? holds(is) : differs('another status')))
  },
})

/** Looks every three seconds, for ten minutes. */
const [LOOK_MS, LOOKS] = [3_000, 200]

const byHand = story('by_hand', ['payByHand'], async (project) => {
  const { client, ask, amount, currency: order_currency, newOrder, pause, payByHand } = project
  const order_id = await newOrder('purchase', doubled(amount))
  const look = () => ask((options) => client.listOrderOperations({ order_id }, options))
  const input = { ...hosted(project, order_id), amount: doubled(amount) }
  const created = await ask((options) => client.createPayment(input, options))
  if (created.verdict === 'accepted') await payByHand?.((created.value as { url: string }).url)
  let listed = await look()
  const isOpen = () => created.verdict === 'accepted' && !listed.value?.some((one) => isFinal(one as Record))
  for (let looks = 0; looks < LOOKS && isOpen(); looks++) {
    await pause(LOOK_MS)
    listed = await look()
  }
  const paid = { ...listed, value: listed.value?.[0] } as Answer<Record>
  const refundInput = { order_id, order_currency, refund_amount: amount }
  const refund = await onceFor<Record>(paid, project, (options) => client.refundPayment(refundInput, options))
  return { amount, refund, listed: refund.verdict === 'accepted' ? await look() : undefined }
}).judgedBy({
  by_hand_refund: ({ refund, amount }) => operation(refund, 'refund', amount),
  by_hand_list: ({ listed }) => (listed === undefined ? notTried('there was no refund') : complete(listed, 2)),
})

export const PAID: readonly Story[] = [captured, refunded, voided, subscription, byHand]
