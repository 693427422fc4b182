import { operationKey } from '../../src/orders/index.ts'
import { orderKey } from '../../src/orders/order-key.ts'
import { readEvent } from '../../src/webhooks/index.ts'
import { ORDER } from '../worker/support/world.ts'
import { personIn } from './on-event.ts'
import type { Simulation } from './simulation.ts'

type Json = Record<string, unknown>
interface Totals {
  captured_minor: number
  refunded_minor: number
  voided_minor: number
}

/** So long after the last step everything has ended: payments that nobody makes have expired, and no operation is watched. */
const END_HOURS = 200

/** Each webhook was taken, and `onEvent` has handled each. */
export function judgeEvents(play: Simulation): void {
  for (const { event, attempts } of play.emulator.deliveries) {
    if (!attempts.some(({ status }) => status === 200)) play.wrong.add('a webhook was never taken')
    if (!play.onEvent.handled.includes(operationKey(readEvent(event)))) play.wrong.add('onEvent missed an event')
  }
}

/** Everything that is said of an order in the end agrees, nothing is left over, and its customer can be forgotten. */
export async function judgeOrder(play: Simulation, order_id: string): Promise<void> {
  const base = order_id.replace(/~.*/, '')
  for (let time = 0; time < 3; time++) await play.pass(0.5)
  const shown = (await play.api('calm', `/api/orders/${base}`)).body
  if (shown.status !== 'success') for (let time = 0; time < 4; time++) await play.pass(END_HOURS / 4)
  await judgeAttention(play, base)
  await judgeWhatIsSaid(play, base)
  await judgeLeftovers(play, base)
  await judgeDays(play)
  await judgeErasure(play, base)
}

/** Entries that need a person are shown, and no others. */
export async function judgeAttention(play: Simulation, order_id: string): Promise<void> {
  const { flags = [], attempts = [] } = (await play.api('calm', `/api/orders/${order_id}`)).body
  const flagged = (flags as string[]).filter((flag) => flag !== 'paid_after_failure').map((flag) => `flag ${flag}`)
  const unsettled = (attempts as Json[]).map(({ id }) => `operation_unsettled ${id}`)
  const { items } = (await play.api('calm', '/api/attention')).body
  const said = (items as Json[]).map(({ kind, flag, attempt_id }) => `${kind} ${flag ?? attempt_id ?? ''}`)
  compare(play, 'what needs a person', said.sort(), [...flagged, ...unsettled].sort())
  const { events } = (await play.api('calm', '/api/events?failing=true')).body
  if ((events as Json[]).length > 0) play.wrong.add('an event that was handled is listed as failing')
}

/** The order, the list, KV and the customer's page say the same. */
async function judgeWhatIsSaid(play: Simulation, base: string): Promise<void> {
  const { status: answer, body: order } = await play.api('calm', `/api/orders/${base}`)
  const order_id = String(order.order_id ?? base)
  const { body } = await play.api('calm', '/api/orders')
  const listed = (body.orders as Json[]).filter((one) => String(one.order_id).startsWith(base))
  if (answer === 404) return compare(play, 'the list of an order that is not known', listed, [])
  const ofOrder = ({ order_id, status, method, amount, totals, flags }: Json) => {
    return { order_id, status, method, amount, totals, flags }
  }
  compare(play, 'the list', listed.map(ofOrder), [ofOrder(order)])
  const stored = play.kv.dump().get(`order/${await orderKey(order_id)}`)
  const hasEvents = play.host === 'worker' && (order.events as unknown[]).length > 0
  compare(play, 'KV', stored && ofOrder(JSON.parse(stored.value)), hasEvents ? ofOrder(order) : undefined)
  const url = play.emulator.orders.get(order_id)?.payments[0]?.result_url
  const page = url?.includes('/return/') ? await (await play.request('calm', new Request(url))).text() : undefined
  const heading = /<h1[^>]*>([^<]*)/.exec(page ?? '')?.[1] ?? ''
  const { status, totals } = order
  // Of other terms the heading says other sums.
  if (page !== undefined && order.amount === ORDER.amount && !headingOf(status, totals as Totals).test(heading))
    play.wrong.add(`of ${status} ${JSON.stringify(totals)} the page says “${heading}”`)
}

/** The customer's page for a payment of 100.50. */
function headingOf(status: unknown, totals: Totals): RegExp {
  if (status === 'failure') return /^Payment (failed|cancelled)/
  if (status !== 'success') return /is being confirmed/
  if (totals.voided_minor > 0) return /was released|part/
  if (totals.refunded_minor > 0) return /refunded/
  if (totals.captured_minor === 0) return /is reserved/
  return totals.captured_minor < 10_050 ? /^A part/ : /was successful/
}

/** Nothing waits, is looked at, or is due any more. */
async function judgeLeftovers(play: Simulation, base: string): Promise<void> {
  for (const { kind, id, next_at, unlisted } of play.logOf(base)) {
    if (next_at !== null) play.wrong.add(`${kind} ${id} waits for ever`)
    if (unlisted !== null) play.wrong.add(`the list is behind by ${kind} ${id}`)
  }
  if (play.rows('SELECT * FROM edgetill_copy WHERE due_at IS NOT NULL').length > 0)
    play.wrong.add('an order was not published')
  const { orders } = (await play.api('calm', '/api/orders?open=true')).body
  if ((orders as Json[]).length > 0) play.wrong.add('the list shows a settled order as open')
}

/** The totals of the days are what the service has. */
async function judgeDays(play: Simulation): Promise<void> {
  const { days } = (await play.api('calm', '/api/days?from=2026-02-28&to=2026-05-01')).body
  const said = new Map<string, number>()
  const truth = new Map<string, number>()
  const add = (to: Map<string, number>, kind: string, amount: number) => to.set(kind, (to.get(kind) ?? 0) + amount)
  const kinds = { purchase: 'paid', auth: 'authorized', capture: 'captured', refund: 'refunded', void: 'voided' }
  for (const [method, kind] of Object.entries(kinds)) {
    for (const day of days as Record<string, number>[]) add(said, kind, day[`${kind}_minor`] ?? 0)
    for (const { payments, operations } of play.emulator.orders.list())
      for (const made of [...payments, ...operations])
        if (made.method === method && made.status === 'success') add(truth, kind, Math.round(made.amount * 100))
    compare(play, `the days' ${kind}`, said.get(kind) ?? 0, truth.get(kind) ?? 0)
  }
}

/** After its personal data was removed, an order is what it was, and leads to nobody. */
async function judgeErasure(play: Simulation, base: string): Promise<void> {
  const read = async () => {
    const { totals, status, flags, operations = [] } = (await play.api('calm', `/api/orders/${base}`)).body
    // A fee may be learnt from an event that KV alone had.
    const { fee_minor: _, ...sums } = (totals ?? {}) as Json
    // An event that KV alone had may name a payment by its transaction: one of the same moment then stands before it.
    const made = (operations as Json[]).map(({ method, status }) => `${method} ${status}`)
    return { sums, status, flags, operations: made.sort() }
  }
  const before = await read()
  const { status } = await play.api('calm', `/api/orders/${base}/personal-data`, { method: 'DELETE' })
  if (status !== 200) play.wrong.add(`the personal data could not be removed: ${status}`)
  await play.pass(0.5)
  compare(play, 'an order whose personal data was removed', await read(), before)
  const places = {
    KV: play.kv.dump(),
    'the log': play.logOf(base),
    'the list': play.rows('SELECT * FROM edgetill_order'),
    'the API': (await play.api('calm', `/api/orders/${base}`)).body,
  }
  for (const [place, content] of Object.entries(places)) {
    const found = personIn(content)
    if (found) play.wrong.add(`${found} is still in ${place}`)
  }
}

function compare(play: Simulation, what: string, said: unknown, truth: unknown): void {
  const texts = [said, truth].map((value) => JSON.stringify(value))
  if (texts[0] !== texts[1]) play.wrong.add(`${what}: ${texts[0]}, and not ${texts[1]}`)
}
