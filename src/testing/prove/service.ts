import { createClient } from '../../client/client.ts'
import { createEmulator, type Emulator, type TestCardName } from '../../emulator/index.ts'
import { FIELDS, type Payload } from './bodies.ts'
import type { AskedOrder, Resolved } from './options.ts'
import { type Action, decimals, paidAt, type Story } from './story.ts'

/** Makes the webhooks of each action of a story, and sends none. @throws {TypeError} when an action is not allowed. */
export type Service = (story: Story, order_id: string) => Promise<Payload[][]>

const DAY = 86_400_000
const UUIDS = /\b[\da-f]{8}(?=(-[\da-f]{4}){3}-[\da-f]{12}\b)/g

/** @param run Different for each run: ids of payments are new in each, while everything else is decided by the seed. */
export function createService({ apiSecret, posId, seed }: Resolved, run: number): Service {
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
  function fresh({ emulator_note: _, ...event }: Payload, order_id: string, count: number): Payload {
    const mark = (run ^ Math.imul(count, 0x9e3779b1)) >>> 0
    const ids = JSON.stringify({ ...event, order_id, pos_id: '' }).replaceAll(UUIDS, (start) =>
      ((Number.parseInt(start, 16) ^ mark) >>> 0).toString(16).padStart(8, '0'),
    )
    return { ...JSON.parse(ids), pos_id: posId ?? event.pos_id ?? '' }
  }

  let count = 0
  return async (story, order_id) => {
    const nth = ++count
    const made = story.events ?? (await makeEvents(openEmulator(story), story, order_id))
    const dress = FIELDS[story.fields ?? '']?.[1] ?? ((event: Payload) => event)
    const own = (event: Payload) => dress({ ...fresh(event, order_id, nth), ...paidAt(story).processed })
    return made.map((events) => events.map(own))
  }
}

export type Credentials = Parameters<typeof createClient>[0]

/** Makes a checkout, and returns its address. */
export async function sell(credentials: Credentials, order: AskedOrder, more: object): Promise<string> {
  const client = createClient({ onWarning() {}, ...credentials })
  const asked = { mode: 'hosted', method: 'purchase', order_3ds_bypass: 'supported', description: 'An order of prove' }
  const checkout = await client.createPayment({ ...asked, ...order, ...more } as never)
  return (checkout as { url: string }).url
}

const PERSON = { customer_patronym: 'Ivanivna', customer_email: 'olena@example.com', customer_phone: '+380441234567' }

async function makeEvents(emulator: Emulator, story: Story, order_id: string): Promise<Payload[][]> {
  const { control, credentials, fetch, deliveries } = emulator
  const [{ do: first }] = story.actions as [Action]
  const { minor, currency } = paidAt(story)
  const asked = { order_id, amount: decimals(minor), currency }
  const method = (['credit', 'p2p', 'lookup'] as const).find((one) => one === first)
  const monthly = first === 'subscribe' && { init_recurring: { interval_unit: 'month', interval_count: 1 } }
  const held = first === 'authorize' && { method: 'auth' }
  const url = method ? '' : await sell({ ...credentials, fetch }, asked, { ...PERSON, ...monthly, ...held })
  const made: Payload[][] = []
  for (const action of story.actions) {
    const before = deliveries.length
    if (method !== undefined && action.do === method) control.createPayment({ ...asked, method })
    else await carryOut(emulator, order_id, url, action)
    const events = deliveries.slice(before).map(({ event }) => event)
    made.push(action.do === 'abandon' ? events.slice(0, 1) : events)
  }
  return made
}

const CARDS: Readonly<Record<string, TestCardName>> = { decline: 'declined', abandon: 'three_d_secure' }
const FAILS = '4153'

async function carryOut({ control, pay }: Emulator, order_id: string, url: string, action: Action): Promise<void> {
  const { do: deed, minor = 0, ends = 'success' } = action
  const [amount, [now, later]] = [decimals(minor), ends.split('_')]
  const outcome = { failure: { status_code: FAILS }, pending: { status_code: '2000' } }[now as string]
  if (deed === 'cancel') control.cancelPayment(order_id)
  else if (deed === 'charge') control.chargeRecurring(order_id)
  else if (deed === 'void') control.voidPayment(order_id, outcome)
  else if (deed === 'capture') control.capturePayment(order_id, amount, outcome)
  else if (deed === 'refund') control.refundPayment(order_id, amount, outcome)
  else if (deed === 'increment') control.incrementAuth(order_id, amount, outcome)
  else await pay(url, { card: CARDS[deed] ?? (/^three_d/.test(deed) ? (deed as TestCardName) : 'success') })
  const success = { void: '1009', refund: '1004' }[deed as string] ?? '1000'
  if (later !== undefined) control.conclude(order_id, later === 'success' ? success : FAILS)
}
