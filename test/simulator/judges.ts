import { operationKey } from '../../src/index.ts'
import { readEvent } from '../../src/webhooks/index.ts'
import type { Simulation } from './simulation.ts'

/** Each webhook was taken, and `onEvent` has handled each. */
export function judgeEvents(play: Simulation, wasErased = false): void {
  for (const { event, attempts } of play.emulator.deliveries) {
    if (!attempts.some(({ status }) => status === 200)) play.wrong.add('a webhook was never taken')
    if (!wasErased && !play.handled.includes(operationKey(readEvent(event)))) play.wrong.add('onEvent missed an event')
  }
}

/** Everything that is said of an order in the end agrees, and nothing is left over. */
export async function judgeOrder(play: Simulation, order_id: string): Promise<void> {
  // What was said since the last alarm is published by the next ones.
  for (let time = 0; time < 3; time++) await play.pass(0.5)
  const late = play.gate.nextAlarm()
  if (late !== undefined && late <= play.time) play.wrong.add(`an alarm is ${play.time - late} ms in the past`)
  const rows = [...play.gate.rows(order_id.replace(/~.*/, ''))]
  for (const [key, row] of rows) if (key.startsWith('queue/') && row.entry !== null) play.wrong.add(`${key} waits`)
  for (const [key] of rows) if (key.startsWith('task/open/')) play.wrong.add(`${key} is watched for ever`)
  const { status, totals, flags } = (await play.api('calm', `/api/orders/${order_id}`)).body
  const { body } = await play.api('calm', '/api/orders')
  const listed = (body.orders as Record<string, unknown>[]).find((order) => order.order_id === order_id)
  const texts = [
    { status, totals, flags },
    { status: listed?.status, totals: listed?.totals, flags: listed?.flags },
  ].map((value) => JSON.stringify(value))
  if (texts[0] !== texts[1]) play.wrong.add(`the list says ${texts[1]}, the order ${texts[0]}`)
  const url = play.emulator.orders.get(order_id)?.payments[0]?.result_url
  const page = url ? await (await play.request('calm', new Request(url))).text() : ''
  const heading = /<h1[^>]*>([^<]*)/.exec(page)?.[1] ?? ''
  if (status === 'success' && url?.includes('/return/') && !headingOf(totals as Totals).test(heading))
    play.wrong.add(`of ${JSON.stringify(totals)} the page says “${heading}”`)
}

interface Totals {
  captured: number
  refunded: number
  voided: number
}

/** What the customer's page says of a payment of 100.50 that succeeded. */
function headingOf({ captured, refunded, voided }: Totals): RegExp {
  if (voided > 0) return /was released|part/
  if (refunded > 0) return /refunded/
  if (captured === 0) return /is reserved/
  return captured < 10_050 ? /^A part/ : /was successful/
}
