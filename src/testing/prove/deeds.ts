import type { Emulator, TestCardName } from '../../emulator/index.ts'
import type { Payload } from './bodies.ts'

/** The order at the emulator, and an action's amount and outcome, if it is not a success. */
type At = Pick<Emulator, 'control' | 'pay'> & {
  id: string
  order: { order_id: string; amount: number; currency: string }
  url: string
  amount: number
  outcome?: { status_code: string } | undefined
}
type Sends = (events: Payload[], before: Payload[][], amount: number) => Payload[]
/** An action in words (`{}` is the amount), its calls of the emulator, and its webhooks if they differ from these. */
type Deed = readonly [says: string, does: (at: At) => unknown, sends?: Sends]
const by = (card: TestCardName) => (at: At) => at.pay(at.url, { card })
const create = (method: 'credit' | 'p2p' | 'lookup') => (at: At) => at.control.createPayment({ ...at.order, method })
const WAITS = { status: 'pending', status_code: '2122', status_description: '3-D Secure verification is required' }
const PROCESSED = { status: 'processing', status_code: '2119', status_description: 'Processing' }
const waiting: Sends = ([first, ...paid]) => [{ ...first, ...WAITS }, ...paid]
const processed: Sends = ([paid]) => [{ ...paid, ...PROCESSED }, paid as Payload]
const adjusted: Sends = (_, before, amount) => {
  const operation = { operation_id: crypto.randomUUID(), mode: 'direct', method: 'adjustment' }
  return [{ ...before[0]?.at(-1), ...operation, amount }]
}

/** The actions at the service. The first action of a story creates the order. */
export const DEEDS: Readonly<Record<string, Deed>> = {
  pay: ['the customer pays {}', by('success')],
  decline: ["the customer's card is declined for {}", by('declined')],
  decline_then_pay: ['the first card is declined, a second one pays {}', by('success')],
  abandon_then_pay: ['the customer leaves during 3-D Secure, then pays {} with a second card', by('success'), waiting],
  process_then_pay: ["the service says 'processing', then the customer pays {}", by('success'), processed],
  adjust: ["the service sends {} by 'adjustment', a method that the API document does not name", () => {}, adjusted],
  three_d_secure: ['after 3-D Secure the customer pays {}', by('three_d_secure')],
  three_d_secure_declined: ['after 3-D Secure the card is declined for {}', by('three_d_secure_declined')],
  abandon: ['the customer leaves during 3-D Secure, with {}', by('three_d_secure'), (events) => events.slice(0, 1)],
  authorize: ['the customer authorizes {}', by('success')],
  subscribe: ['the customer pays, to be repeated each month, {}', by('success')],
  cancel: ['the unpaid order is cancelled, of {}', ({ control, id }) => control.cancelPayment(id)],
  credit: ['the customer is paid out (credit) {}', create('credit')],
  p2p: ['one card sends to another (p2p) {}', create('p2p')],
  lookup: ['a card is checked (lookup), with {}', create('lookup')],
  charge: ['the next month is charged, {}', ({ control, id }) => control.chargeRecurring(id)],
  void: ['the authorization is voided', ({ control, id, outcome }) => control.voidPayment(id, outcome)],
  capture: ['{} is captured', ({ control, id, amount, outcome }) => control.capturePayment(id, amount, outcome)],
  refund: ['{} is refunded', ({ control, id, amount, outcome }) => control.refundPayment(id, amount, outcome)],
  increment: ['{} is added to the hold', ({ control, id, amount }) => control.incrementAuth(id, amount)],
}
