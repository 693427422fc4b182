import { writeFile } from 'node:fs/promises'
import { Command } from 'commander'
import { foldOrder, fromMinorUnits, isApiError, type Order } from '../../index.ts'
import type { ShownOrder } from '../../shop/flows/order-page.ts'
import type { ServiceFlags } from '../service/configuration.ts'
import { describeCode, EXIT } from '../service/outcome.ts'
import {
  addServiceOptions,
  conclude,
  type Session,
  type Surroundings,
  signalOf,
  surroundings,
  withService,
} from '../service/service.ts'
import { addWorkerOptions, callWorker, type WorkerFlags, workerOf } from '../service/worker.ts'
import { orderFile, type TakenEvent } from '../take-home/order-file.ts'
import { type ExitCode, FailedError, UsageError } from '../terminal/errors.ts'
import { money, statusColour, table } from '../terminal/table.ts'
import { printable } from '../terminal/terminal.ts'

/** `edgetill order ID` */
export function command(around = surroundings): Command {
  const verb = new Command('order')
    .description('Shows every operation of an order, and what they add up to. Changes nothing.')
    .argument('<ID>', 'your order_id')
    .optionsGroup('An order of your worker, taken home:')
    .option('--export <FILE>', 'write the order and its events into a file, for `edgetill step`')
    .option('--with-personal-data', 'with --export: keep every field but card tokens')
  addWorkerOptions(verb, 'the worker that has the order (or EDGETILL_WORKER_URL)')
  return addServiceOptions(verb).action((id: string, flags: Flags) => {
    if (flags.export !== undefined) return take(id, flags.export, flags, around())
    if (flags.workerUrl ?? flags.tokenFile ?? flags.withPersonalData)
      throw new UsageError('--worker-url, --token-file and --with-personal-data are for --export FILE.')
    return withService(flags, around(), (session) => show(id, session))
  })
}

interface Flags extends ServiceFlags, WorkerFlags {
  export?: string
  withPersonalData?: true
}

async function take(id: string, file: string, flags: Flags, around: Surroundings): Promise<void> {
  const worker = await workerOf(flags, around)
  const signal = signalOf(around)
  await conclude(around, flags.json, signal, async () => {
    const get = (call: string, holds: string) =>
      callWorker(worker, `GET ${call}`, around, { signal, timeoutMs: 30_000, holds })
    const order = (await get(pathOf(id), 'events')) as unknown as ShownOrder
    const events: TakenEvent[] = []
    for (const { id } of order.events) {
      const event = await get(`${pathOf(order.order_id)}/events/${id}`, 'event')
      events.push({ ...(event as unknown as TakenEvent), id })
    }
    const taken = orderFile(order, events, flags.withPersonalData ?? false)
    await writeFile(file, `${JSON.stringify(taken, null, 2)}\n`, { mode: 0o600 })
    around.terminal.err(`${file}: order ${printable(order.order_id)}, ${events.length} events`)
    return EXIT.done
  })
}

const pathOf = (order_id: string): string => `/api/orders/${encodeURIComponent(order_id)}`

async function show(order_id: string, session: Session): Promise<ExitCode> {
  const { client, config, terminal, json, signal } = session
  try {
    const events = await session.wait(client.listOrderOperations({ order_id }, { signal }))
    const order = foldOrder(events, { pos_id: config.posId })
    if (json) terminal.out(JSON.stringify({ ...order, order_id: order.order_id ?? order_id, totals: decimal(order) }))
    else terminal.out(describe(order, order_id, session))
    return EXIT.done
  } catch (error) {
    if (!isApiError(error) || error.status !== 404) throw error
    throw new FailedError(
      `The service does not show an order ${order_id} (404): check the ID and EDGETILL_POS_ID.\n` +
        `This look-up is beyond the API document. The documented one delivers the webhook again: edgetill resend ${order_id}`,
      { cause: error },
    )
  }
}

/** The wire's decimals, as every amount of the output; the fold counts in hundredths. */
const decimal = ({ totals }: Order) =>
  Object.fromEntries(Object.entries(totals).map(([name, minor]) => [name, fromMinorUnits(minor)]))

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
    .filter((name) => totals[name] !== 0)
    .map((name) => `${name} ${money(fromMinorUnits(totals[name]), currency)}`)
  const lines = [
    printable(
      `Order ${order_id}: ${method ?? 'unknown'} ${status ?? 'unknown'}${updated_at ? `, last change ${updated_at}` : ''}`,
    ),
    '',
    table(terminal, titles, rows, [3]),
    '',
    sums.length === 0 ? 'No money has moved.' : sums.join(', '),
  ]
  if (flags.length > 0) lines.push(terminal.paint('yellow', `Look at it: ${flags.join(', ')}`))
  return lines.join('\n')
}
