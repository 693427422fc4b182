import { hostedOrder, NEW_ORDER, ORDER_OPTIONS } from '../service/hosted-order.ts'
import { callWorker, workerOf, workerOptions } from '../service/worker.ts'
import { milliseconds } from '../terminal/option-values.ts'
import { printable } from '../terminal/terminal.ts'
import { defaulting, defineVerb, flag, group, option, type Verb } from '../terminal/verb.ts'

export const verb: Verb = defineVerb({
  name: 'link',
  heading: 'Payments',
  summary: 'make a checkout link of your worker',
  description: 'Makes a checkout link of your worker, for one payment. No money moves.',
  examples: ['link --amount 5 --currency UAH', 'link A-3 --amount 5 --currency UAH --email a@example.com'],
  readOn: 'worker/README.md',
  argument: NEW_ORDER,
  options: {
    ...ORDER_OPTIONS,
    ...group('The link:', {
      expiresAt: option('<TIME>', '2026-12-31T23:59:59Z (default: in 24 hours)'),
      reference: option('<TEXT>', 'your own; it comes back in onEvent and in the order'),
      landing: flag('shows the purchase and a button first'),
      longOrderId: flag('an ID of up to 253 characters, which no refund takes'),
    }),
    ...group('The worker:', {
      ...workerOptions("the worker's origin (or EDGETILL_WORKER_URL)"),
      envFile: option('<FILE>', 'a file with these variables; it comes first'),
      timeout: defaulting(option('<TIME>', 'how long to wait', milliseconds), 30_000, '30s'),
      allowInsecureHttp: flag('http:// beyond loopback: others can read the token'),
    }),
    ...group('Output:', { json: flag('print JSON, for programs') }),
  },
  async run(use) {
    const { argument, flags, terminal, signal } = use
    const worker = await workerOf(flags, use)
    const order = hostedOrder(argument, flags)
    const { expiresAt: expires_at, reference, landing, longOrderId, email: customer_email } = flags
    const input = { order, expires_at, reference, landing, longOrderId, customer_email }
    const options = { input, signal, timeoutMs: flags.timeout, holds: 'url' }
    const call = callWorker(worker, 'POST /api/links', use, options)
    const body = await call.finally(terminal.progress('Waiting for the worker'))
    if (flags.json) return terminal.out(JSON.stringify({ order_id: order.order_id, ...body }))
    terminal.err(`order_id ${order.order_id}, valid until ${printable(String(body.expires_at))}`)
    terminal.out(printable(String(body.url)))
  },
})
