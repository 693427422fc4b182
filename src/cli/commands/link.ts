import { Command, Option } from 'commander'
import { addOrderOptions, hostedOrder, type OrderFlags } from '../service/hosted-order.ts'
import { EXIT } from '../service/outcome.ts'
import { conclude, type Surroundings, signalOf, surroundings } from '../service/service.ts'
import { addWorkerOptions, callWorker, type WorkerFlags, workerOf } from '../service/worker.ts'
import { milliseconds } from '../terminal/option-values.ts'
import { printable } from '../terminal/terminal.ts'

interface Flags extends OrderFlags, WorkerFlags {
  expiresAt?: string
  reference?: string
  landing?: true
  longOrderId?: true
  timeout: number
  json?: boolean
}

/** `edgetill link [ID]` */
export function command(around = surroundings): Command {
  const verb = addOrderOptions(new Command('link'))
    .description('Makes a checkout link of your worker, for one payment. No money moves.')
    .optionsGroup('The link:')
    .option('--expires-at <TIME>', '2026-12-31T23:59:59Z (default: in 24 hours)')
    .option('--reference <TEXT>', 'your own; it comes back in onEvent and in the order')
    .option('--landing', 'shows what is bought and a button first')
    .option('--long-order-id', 'an ID of up to 253 characters, which no refund takes')
    .optionsGroup('The worker:')
  return addWorkerOptions(verb, "the worker's origin (or EDGETILL_WORKER_URL)")
    .option('--env-file <FILE>', 'a file with these variables; it comes first')
    .addOption(new Option('--timeout <TIME>', 'how long to wait').argParser(milliseconds).default(30_000, '30s'))
    .option('--allow-insecure-http', 'http:// beyond loopback: others can read the token')
    .optionsGroup('Output:')
    .option('--json', 'print JSON, for programs')
    .action((id: string | undefined, flags: Flags) => makeLink(id, flags, around()))
}

async function makeLink(id: string | undefined, flags: Flags, around: Surroundings): Promise<void> {
  const worker = await workerOf(flags, around)
  const { terminal } = around
  const order = hostedOrder(id, flags)
  const { expiresAt: expires_at, reference, landing, longOrderId, email: customer_email } = flags
  const input = { order, expires_at, reference, landing, longOrderId, customer_email }
  const signal = signalOf(around)
  await conclude(around, flags.json, signal, async () => {
    const done = terminal.progress('Waiting for the worker')
    const sent = { input, signal, timeoutMs: flags.timeout, holds: 'url' }
    const body = await callWorker(worker, 'POST /api/links', around, sent).finally(done)
    if (flags.json) terminal.out(JSON.stringify({ order_id: order.order_id, ...body }))
    else {
      terminal.err(`order_id ${order.order_id}, valid until ${printable(String(body.expires_at))}`)
      terminal.out(printable(String(body.url)))
    }
    return EXIT.done
  })
}
