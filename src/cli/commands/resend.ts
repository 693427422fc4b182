import { Command } from 'commander'
import { type Client, isApiError, type WebhookEvent } from '../../index.ts'
import type { ServiceFlags } from '../service/configuration.ts'
import { describeCode, EXIT, jsonOf } from '../service/outcome.ts'
import { addServiceOptions, type Session, surroundings, withService } from '../service/service.ts'
import { type ExitCode, FailedError } from '../terminal/errors.ts'
import { list, money } from '../terminal/table.ts'
import { printable } from '../terminal/terminal.ts'

interface ResendFlags extends ServiceFlags {
  operation?: string
  transactionId?: string
}

/** `edgetill resend ID` */
export function command(around = surroundings): Command {
  const verb = new Command('resend')
    .description("Asks the service to send an operation's webhook again, and shows what it says.")
    .argument('<ID>', 'your order_id')
    .optionsGroup('What is asked for:')
    .option('--operation <NAME>', 'purchase, auth, capture, refund, void … (default: purchase, then auth)')
    .option('--transaction-id <ID>', 'one charge of a subscription (default: the latest)')
  return addServiceOptions(verb).action((id: string, flags: ResendFlags) =>
    withService(flags, around(), (session) => resend(id, flags, session)),
  )
}

async function resend(order_id: string, flags: ResendFlags, session: Session): Promise<ExitCode> {
  const { client, terminal, json, wait } = session
  const event = await wait(latest(client, order_id, flags, session.signal))
  if (json) terminal.out(jsonOf(event.record))
  else terminal.out(describe(event, order_id))
  return EXIT.done
}

/** A payment is a `purchase` or an `auth`; which of the two need not be known. */
async function latest(
  client: Client,
  order_id: string,
  { operation, transactionId }: ResendFlags,
  signal: AbortSignal,
): Promise<WebhookEvent> {
  let notFound: unknown
  for (const name of operation === undefined ? ['purchase', 'auth'] : [operation]) {
    try {
      const input = name === 'purchase' || operation !== undefined ? { transactionId } : {}
      return await client.resendWebhook({ order_id, operation: name, ...input }, { signal })
    } catch (error) {
      if (!isApiError(error) || error.status !== 404) throw error
      notFound = error
    }
  }
  throw new FailedError(
    `The service does not know an operation ${operation ?? 'purchase or auth'} of order ${order_id} (404).\n` +
      'Check the ID and EDGETILL_POS_ID, or name another --operation.',
    { cause: notFound },
  )
}

function describe(event: WebhookEvent, order_id: string): string {
  const { method, status, status_code, status_description, amount, currency, processed_at, created_at } = event.record
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
  const rows: [string, string | undefined][] = [
    ['status', text(status)],
    ['status_code', describeCode(text(status_code), text(status_description))],
    ['amount', typeof amount === 'number' ? money(amount, text(currency)) : undefined],
    ['created_at', text(created_at)],
    ['processed_at', text(processed_at)],
  ]
  const what = printable(`${text(method) ?? event.kind} of order ${order_id}`)
  return `${what}; its webhook is sent again\n${list(rows)}`
}
