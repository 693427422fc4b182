import { writeFile } from 'node:fs/promises'
import { isApiError } from '../../errors.ts'
import { fromMinorUnits } from '../../helpers/amount.ts'
import { foldOrder, type Order } from '../../orders/index.ts'
import type { ShownOrder } from '../../shop/order/order-page.ts'
import { SERVICE_OPTIONS } from '../service/configuration.ts'
import { describeCode } from '../service/outcome.ts'
import { openSession, type Session } from '../service/service.ts'
import { callWorker, workerOf, workerOptions } from '../service/worker.ts'
import { orderFile, type TakenEvent } from '../take-home/order-file.ts'
import { FailedError, UsageError } from '../terminal/errors.ts'
import { money, statusColour, table } from '../terminal/table.ts'
import { printable } from '../terminal/terminal.ts'
import { defineVerb, flag, group, option, type Use, type Verb } from '../terminal/verb.ts'

const OPTIONS = {
  ...group('An order of your worker, taken home:', {
    export: option('<FILE>', 'write the order and its events into a file, for `edgetill step`'),
    withPersonalData: flag('with --export: keep every field but card tokens'),
    ...workerOptions('the worker that has the order (or EDGETILL_WORKER_URL)'),
  }),
  ...SERVICE_OPTIONS,
}

export const verb: Verb = defineVerb({
  name: 'order',
  heading: 'Payments',
  summary: "show an order's operations and what they add up to",
  description: 'Shows every operation of an order, and what they add up to. Changes nothing.',
  examples: ['order A-1', 'order A-1 --json --env-file shop.env'],
  argument: { name: '<ID>', says: 'your order_id' },
  options: OPTIONS,
  async run(use) {
    const { flags, argument: id } = use
    if (flags.export !== undefined) return await take(id, flags.export, use)
    if (flags.workerUrl ?? flags.tokenFile ?? flags.withPersonalData)
      throw new UsageError('--worker-url, --token-file and --with-personal-data are for --export FILE.')
    await show(id, await openSession(use))
  },
})

async function take(id: string, file: string, use: Use<typeof OPTIONS>): Promise<void> {
  const { flags, terminal, signal } = use
  const worker = await workerOf(flags, use)
  const get = (call: string, holds: string) =>
    callWorker(worker, `GET ${call}`, use, { signal, timeoutMs: 30_000, holds })
  const order = (await get(pathOf(id), 'events')) as unknown as ShownOrder
  const events: TakenEvent[] = []
  for (const { id } of order.events) {
    const event = await get(`${pathOf(order.order_id)}/events/${id}`, 'event')
    events.push({ ...(event as unknown as TakenEvent), id })
  }
  const taken = orderFile(order, events, flags.withPersonalData ?? false)
  await writeFile(file, `${JSON.stringify(taken, null, 2)}\n`, { mode: 0o600 })
  terminal.err(`${file}: order ${printable(order.order_id)}, ${events.length} events`)
}

const pathOf = (order_id: string): string => `/api/orders/${encodeURIComponent(order_id)}`

async function show(order_id: string, session: Session): Promise<void> {
  const { client, config, terminal, json, signal } = session
  const listed = client.listOrderOperations({ order_id }, { signal }).catch((error: unknown) => {
    if (!isApiError(error) || error.status !== 404) throw error
    throw new FailedError(
      `The service does not show an order ${order_id} (404): check the ID and EDGETILL_POS_ID.\n` +
        `This look-up is beyond the API document. The documented one delivers the webhook again: edgetill resend ${order_id}`,
      { cause: error },
    )
  })
  const order = foldOrder(await session.wait(listed), { pos_id: config.posId })
  if (json) terminal.out(JSON.stringify({ ...order, order_id: order.order_id ?? order_id, totals: decimal(order) }))
  else terminal.out(describe(order, order_id, session))
}

/** The wire's decimals, as every amount of the output; the fold counts in hundredths. */
const decimal = ({ totals }: Order) => {
  const entries = Object.entries(totals)
  return Object.fromEntries(entries.map(([name, minor]) => [name, minor === null ? null : fromMinorUnits(minor)]))
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
    .filter((name) => totals[name])
    .map((name) => `${name} ${money(fromMinorUnits(totals[name] ?? 0), currency)}`)
  const change = updated_at ? `, last change ${updated_at}` : ''
  const title = printable(`Order ${order_id}: ${method ?? 'unknown'} ${status ?? 'unknown'}${change}`)
  const moved = sums.length === 0 ? 'No money has moved.' : sums.join(', ')
  const lines = [title, '', table(terminal, titles, rows, [3]), '', moved]
  if (flags.length > 0) lines.push(terminal.paint('yellow', `Look at it: ${flags.join(', ')}`))
  return lines.join('\n')
}
