import { createEmulator, type Emulator } from '../../emulator/index.ts'
import { sell } from '../buttons.ts'
import { FIELDS, type Payload } from './bodies.ts'
import { DEEDS } from './deeds.ts'
import type { Resolved } from './options.ts'
import { type Action, decimals, paidAt, type Story } from './story.ts'

/** Makes the webhooks of each action of a story, and sends none. @throws {TypeError} when an action is not allowed. */
export type Service = (story: Story, order_id: string) => Promise<Payload[][]>
const DAY = 86_400_000
const UUIDS = /\b[\da-f]{8}(?=(-[\da-f]{4}){3}-[\da-f]{12}\b)/g

/** @param run Different for each run: ids of payments are new in each, while everything else is decided by the seed. */
export function createService({ apiSecret, posId, seed }: Resolved, run: number): Service {
  const openEmulator = (story: Story): Emulator => {
    // Start an hour or days ago, and move on with each look, so that no two events have the same time.
    let now = Date.now() - (story.late ? 5 * DAY : DAY / 24)
    return createEmulator({
      seed: [...JSON.stringify(story)].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, seed),
      clock: { now: () => (now += 5) },
      credentials: { apiSecret, ...(posId !== undefined && { posId }) },
      perturbations: /^(decline|abandon)_then_pay$/.test(story.actions[0]?.do ?? '') ? ['second_card'] : [],
    })
  }

  /** An event with the ids of this run and order. */
  function fresh(event: Payload, order_id: string, count: number): Payload {
    const mark = (run ^ Math.imul(count, 0x9e3779b1)) >>> 0
    const ids = JSON.stringify({ ...event, order_id, pos_id: '' }).replaceAll(UUIDS, (start) =>
      ((Number.parseInt(start, 16) ^ mark) >>> 0).toString(16).padStart(8, '0'),
    )
    return { ...JSON.parse(ids), pos_id: posId ?? event.pos_id ?? '' }
  }

  let count = 0
  return async (story, order_id) => {
    const nth = ++count
    const webhooks = await makeEvents(openEmulator(story), story, order_id)
    const dress = FIELDS[story.fields ?? '']?.[1] ?? ((event: Payload) => event)
    const ofOrder = (event: Payload) => dress({ ...fresh(event, order_id, nth), ...paidAt(story).processed })
    return webhooks.map((events) => events.map(ofOrder))
  }
}

const PERSON = { customer_patronym: 'Ivanivna', customer_email: 'olena@example.com', customer_phone: '+380441234567' }
/** The checkouts of some first actions. */
const SOLD: Readonly<Record<string, object>> = {
  subscribe: { init_recurring: { interval_unit: 'month', interval_count: 1 } },
  authorize: { method: 'auth' },
}
/** The status codes of operations that do not succeed at once, and of a later success (1000 by default). */
const CODES = { failure: '4153', pending: '2000' } as const
const LATER: Readonly<Record<string, string>> = { void: '1009', refund: '1004' }

async function makeEvents(emulator: Emulator, story: Story, order_id: string): Promise<Payload[][]> {
  const { control, pay, credentials, fetch, deliveries } = emulator
  const [{ do: first }] = story.actions as [Action]
  const { minor, currency } = paidAt(story)
  const order = { order_id, amount: decimals(minor), currency }
  const isHosted = !/^(credit|p2p|lookup)$/.test(first)
  const url = isHosted ? await sell({ ...credentials, fetch }, order, { ...PERSON, ...SOLD[first] }) : ''
  const webhooks: Payload[][] = []
  for (const { do: deed, minor = 0, ends = 'success' } of story.actions) {
    const [before, amount, [now, later]] = [deliveries.length, decimals(minor), ends.split('_')]
    const status_code = CODES[now as 'pending']
    const [, does, sends] = DEEDS[deed] ?? ['', () => {}]
    await does({ control, pay, id: order_id, order, url, amount, outcome: status_code && { status_code } })
    if (later !== undefined) control.conclude(order_id, later === 'success' ? (LATER[deed] ?? '1000') : CODES.failure)
    const events = deliveries.slice(before).map(({ event }) => event)
    webhooks.push(sends?.(events, webhooks, amount) ?? events)
  }
  return webhooks
}
