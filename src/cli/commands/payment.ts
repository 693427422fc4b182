import { isOutcomeUnknownError, type OutcomeUnknownError } from '../../errors.ts'
import { type Checkout, isCheckout } from '../../operations/purchase.ts'
import type { Payment } from '../../schemas/payment.ts'
import { SERVICE_OPTIONS } from '../service/configuration.ts'
import { type HostedOrder, hostedOrder, NEW_ORDER, ORDER_OPTIONS } from '../service/hosted-order.ts'
import { describeCode, EXIT, jsonOf } from '../service/outcome.ts'
import { findOut, RESOLVE_OPTIONS, type ResolveFlags } from '../service/resolve.ts'
import { openSession, type Session } from '../service/service.ts'
import { type ExitCode, errorLine } from '../terminal/errors.ts'
import { printable } from '../terminal/terminal.ts'
import { defineVerb, flag, unlisted, type Verb } from '../terminal/verb.ts'

export const verb: Verb = defineVerb({
  name: 'payment',
  heading: 'Payments',
  summary: 'create a hosted payment and print the address of its page',
  description: 'Creates a hosted payment, prints the address of its page, and moves no money.',
  examples: ['payment A-1 --amount 5 --currency UAH', 'payment --amount 5 --currency UAH --set customer_lang=UK'],
  argument: NEW_ORDER,
  // For scripts that pass --yes to every verb: nothing is asked here.
  options: { ...ORDER_OPTIONS, ...RESOLVE_OPTIONS, ...unlisted({ yes: flag('') }), ...SERVICE_OPTIONS },
  async run(use) {
    const session = await openSession(use)
    const { client, terminal, signal, wait } = session
    const order = hostedOrder(use.argument, use.flags)
    const { order_id } = order
    // Before the call: after a failure it is the only way to find the payment.
    terminal.err(`order_id ${order_id}`)
    try {
      return report(order_id, await wait<Checkout | Payment>(client.createPayment(order, { signal })), session)
    } catch (error) {
      if (!isOutcomeUnknownError(error)) throw error
      return await unknown(order, error, use.flags, session)
    }
  },
})

function report(order_id: string, result: Checkout | Payment, { terminal, json }: Session): ExitCode {
  if (isCheckout(result)) {
    terminal.out(json ? JSON.stringify({ order_id, ...result }) : result.url)
    return EXIT.done
  }
  const { status, status_code, status_description, user_action_url } = result
  if (json) terminal.out(jsonOf(result))
  else terminal.out(printable(user_action_url ?? `${status} ${describeCode(status_code, status_description)}`))
  return status === 'failure' ? EXIT.failed : EXIT.done
}

async function unknown({ order_id }: HostedOrder, error: OutcomeUnknownError, flags: ResolveFlags, session: Session) {
  const { terminal, json } = session
  const resolved = await findOut(error, flags, session, {})
  const { outcome = 'unknown' } = resolved ?? {}
  if (json) terminal.out(errorLine(error, { outcome, order_id, reason: error.reason }))
  if (resolved?.outcome === 'executed') {
    terminal.err(`Its status is ${printable(resolved.record.status)}; the address of its page is lost.`)
    terminal.err(
      `Look it up first: edgetill order ${order_id}. ` +
        `If it is not paid, cancel it (edgetill cancel ${order_id}), then use a new ID.`,
    )
  }
  if (outcome !== 'unknown') return EXIT.failed
  terminal.err(`Find out with: edgetill order ${order_id}`)
  terminal.err('If the service does not know it, run the command again with this ID: it cannot be paid twice.')
  return EXIT.unknown
}
