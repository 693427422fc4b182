import { createClient } from '../../client/client.ts'
import { createEmulator, type Emulator, type TestCardName } from '../../emulator/index.ts'
import { dressed } from './bodies.ts'
import type { Resolved } from './options.ts'
import { type Action, decimals, otherCurrency, type Payload, paidAt, type Story } from './story.ts'

/** The service: it makes orders and their webhooks, and sends none of them. */
export interface Service {
  /** The webhooks of each action of a story. @throws {TypeError} when the service does not allow an action. */
  play(story: Story, order_id: string): Promise<Payload[][]>
}

const DAY = 86_400_000
const UUIDS = /\b[\da-f]{8}(?=(-[\da-f]{4}){3}-[\da-f]{12}\b)/g

/** @param run Different for each run: ids of payments are new in each, while everything else is decided by the seed. */
export function createService(options: Pick<Resolved, 'apiSecret' | 'posId' | 'seed'>, run: number): Service {
  const { apiSecret, posId, seed } = options

  const openEmulator = (story: Story): Emulator => {
    // An hour or days ago, and on with each look, so that no two things happen at the same moment.
    let now = Date.now() - (story.late ? 5 * DAY : DAY / 24)
    return createEmulator({
      seed: [...JSON.stringify(story)].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, seed),
      clock: { now: () => (now += 5) },
      credentials: { apiSecret, ...(posId !== undefined && { posId }) },
      perturbations: story.actions[0]?.do === 'decline_then_pay' ? ['second_card'] : [],
    })
  }

  /** The ids of this run and order. Fields that the service adds by chance are added by stories alone. */
  function fresh(event: Payload, order_id: string, pos: string, count: number): Payload {
    const { emulator_note: _, ...rest } = event
    const mark = (run ^ Math.imul(count, 0x9e3779b1)) >>> 0
    const ids = JSON.stringify({ ...rest, order_id, pos_id: '' }).replaceAll(UUIDS, (start) =>
      ((Number.parseInt(start, 16) ^ mark) >>> 0).toString(16).padStart(8, '0'),
    )
    return { ...JSON.parse(ids), pos_id: rest.pos_id ?? pos, ...(posId !== undefined && { pos_id: posId }) }
  }

  let count = 0
  return {
    async play(story, order_id) {
      const nth = ++count
      const pos = posId ?? ''
      const made = story.events ?? (await makeEvents(openEmulator(story), story, order_id))
      return made.map((events) => events.map((event) => special(fresh(event, order_id, pos, nth), story)))
    },
  }
}

/** The event as the story wants it. */
function special(event: Payload, story: Story): Payload {
  const { asked, mismatch, fields } = story
  const part = decimals(Math.max(1, Math.floor(asked / 10)))
  const processed: Payload =
    mismatch === 'processed_amount'
      ? { processed_amount: part, processed_currency: event.currency }
      : mismatch === 'processed_currency'
        ? { processed_amount: event.amount, processed_currency: otherCurrency(story) }
        : {}
  return dressed({ ...event, ...processed }, fields)
}

const OTHER = ['credit', 'p2p', 'lookup'] as const

async function makeEvents(emulator: Emulator, story: Story, order_id: string): Promise<Payload[][]> {
  const [first] = story.actions
  const { minor, currency } = paidAt(story)
  const asked = { order_id, amount: decimals(minor), currency }
  const other = OTHER.find((method) => method === first?.do)
  let url = ''
  if (other === undefined) {
    const client = createClient({ ...emulator.credentials, fetch: emulator.fetch, onWarning() {} })
    const checkout = await client.createPayment({
      ...asked,
      mode: 'hosted',
      method: first?.do === 'authorize' ? 'auth' : 'purchase',
      description: 'An order of edgetill prove',
      order_3ds_bypass: 'supported',
      customer_patronym: 'Ivanivna',
      customer_email: 'olena@example.com',
      customer_phone: '+380441234567',
      ...(first?.do === 'subscribe' && { init_recurring: { interval_unit: 'month', interval_count: 1 } }),
    } as Parameters<typeof client.createPayment>[0] & { mode: 'hosted'; method: 'purchase' })
    url = checkout.url
  }
  let seen = 0
  const made: Payload[][] = []
  for (const action of story.actions) {
    if (other !== undefined && action === first) emulator.control.createPayment({ ...asked, method: other })
    else await carryOut(emulator, order_id, url, action)
    const events = emulator.deliveries.slice(seen).map(({ event }) => event)
    seen += events.length
    made.push(action.do === 'abandon' ? events.slice(0, 1) : events)
  }
  return made
}

const CARDS: Partial<Record<Action['do'], TestCardName>> = {
  decline: 'declined',
  three_d_secure: 'three_d_secure',
  three_d_secure_declined: 'three_d_secure_declined',
  abandon: 'three_d_secure',
}
const FAILS = { status_code: '4153' }
const SUCCEEDS = { capture: '1000', refund: '1004', void: '1009', increment: '1000' }

async function carryOut(emulator: Emulator, order_id: string, url: string, action: Action): Promise<void> {
  const { control } = emulator
  if (action.do === 'cancel') return void control.cancelPayment(order_id)
  if (action.do === 'charge') return void control.chargeRecurring(order_id)
  if (!('minor' in action) && action.do !== 'void') {
    return void (await emulator.pay(url, { card: CARDS[action.do] ?? 'success' }))
  }
  const { ends = 'success' } = action
  const outcome = ends === 'failure' ? FAILS : ends.startsWith('pending') ? { status_code: '2000' } : undefined
  if (action.do === 'void') control.voidPayment(order_id, outcome)
  else if (action.do === 'capture') control.capturePayment(order_id, decimals(action.minor), outcome)
  else if (action.do === 'refund') control.refundPayment(order_id, decimals(action.minor), outcome)
  else control.incrementAuth(order_id, decimals(action.minor), outcome)
  if (ends === 'pending_success') control.conclude(order_id, SUCCEEDS[action.do])
  if (ends === 'pending_failure') control.conclude(order_id, FAILS.status_code)
}
