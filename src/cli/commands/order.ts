import { isApiError } from '../../errors.ts'
import { fromMinorUnits } from '../../helpers/amount.ts'
import { foldOrder, type Order } from '../../orders/index.ts'
import { SERVICE_OPTIONS } from '../service/configuration.ts'
import { versionOf } from '../service/order-guards.ts'
import { describeCode } from '../service/outcome.ts'
import { openSession, type Session } from '../service/service.ts'
import { FailedError } from '../terminal/errors.ts'
import { money, statusColour, table } from '../terminal/table.ts'
import { printable } from '../terminal/terminal.ts'
import { defineVerb, type Verb } from '../terminal/verb.ts'

export const verb: Verb = defineVerb({
  name: 'order',
  heading: 'Payments',
  summary: "show an order's operations and their sums",
  description: 'Shows every operation of an order, and their sums. Changes nothing.',
  examples: ['order A-1', 'order A-1 --json --env-file shop.env'],
  argument: { name: '<ID>', says: 'your order_id' },
  options: SERVICE_OPTIONS,
  async run(use) {
    await show(use.argument, await openSession(use))
  },
})

async function show(order_id: string, session: Session): Promise<void> {
  const { client, config, terminal, json, signal } = session
  const listed = client.listOrderOperations({ order_id }, { signal }).catch((error: unknown) => {
    if (!isApiError(error) || error.status !== 404) throw error
    throw new FailedError(
      `The service does not show an order ${order_id} (404): check the ID and EDGETILL_POS_ID.\n` +
        'This look-up is beyond the API document. The documented one delivers the webhook again: ' +
        `edgetill resend ${order_id}`,
      { cause: error },
    )
  })
  const events = await session.wait(listed)
  const order = foldOrder(events, { pos_id: config.posId })
  const version = versionOf(order_id, events)
  if (json) terminal.out(JSON.stringify({ ...order, order_id: order.order_id ?? order_id, version }))
  else terminal.out(describe(order, order_id, session))
}

function describe(order: Order, order_id: string, { terminal }: Session): string {
  const { operations, totals, currency, status, method, flags, updated_at } = order
  const rows = operations.map((one) => [
    one.created_at ?? '-',
    one.method,
    { text: one.status ?? '-', colour: statusColour(one.status) },
    money(one.amount, currency),
    describeCode(one.status_code),
    one.id,
  ])
  const titles = ['created_at', 'method', 'status', 'amount', 'status_code', 'id']
  const sums = (['authorized', 'captured', 'refunded', 'voided', 'fee'] as const)
    .filter((name) => totals[`${name}_minor`])
    .map((name) => `${name} ${money(fromMinorUnits(totals[`${name}_minor`] ?? 0), currency)}`)
  const change = updated_at ? `, last change ${updated_at}` : ''
  const title = printable(`Order ${order_id}: ${method ?? 'unknown'} ${status ?? 'unknown'}${change}`)
  const moved = sums.length === 0 ? 'No money has moved.' : sums.join(', ')
  const lines = [title, '', table(terminal, titles, rows, [3]), '', moved]
  if (flags.length > 0) lines.push(terminal.paint('yellow', `Look at it: ${flags.join(', ')}`))
  return lines.join('\n')
}
