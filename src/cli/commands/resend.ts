import type { Client } from '../../client/client-methods.ts'
import { isApiError } from '../../errors.ts'
import type { CallOptions } from '../../http/types.ts'
import type { WebhookEvent } from '../../webhooks/index.ts'
import { SERVICE_OPTIONS } from '../service/configuration.ts'
import { describeCode, jsonOf } from '../service/outcome.ts'
import { openSession } from '../service/service.ts'
import { FailedError } from '../terminal/errors.ts'
import { list, money } from '../terminal/table.ts'
import { printable } from '../terminal/terminal.ts'
import { completed, defineVerb, group, option, type Verb } from '../terminal/verb.ts'

const OPERATIONS = ['purchase', 'auth', 'capture', 'refund', 'void', 'auth_increment', 'credit', 'p2p', 'lookup']

export const verb: Verb = defineVerb({
  name: 'resend',
  heading: 'Webhooks',
  summary: 'have a webhook sent again, and show its contents',
  description: "Asks the service to send an operation's webhook again, and shows its contents.",
  examples: ['resend A-1', 'resend A-1 --operation refund --json'],
  argument: { name: '<ID>', says: 'your order_id' },
  options: {
    ...group('The operation:', {
      operation: completed(
        OPERATIONS,
        option('<NAME>', 'purchase, auth, capture, refund, void … (default: purchase, then auth)'),
      ),
      transactionId: option('<ID>', 'one charge of a subscription (default: the latest)'),
    }),
    ...SERVICE_OPTIONS,
  },
  async run(use) {
    const { client, terminal, json, signal, wait } = await openSession(use)
    const { argument: order_id, flags } = use
    const event = await wait(latest(client, order_id, flags, { signal }))
    terminal.out(json ? jsonOf(event.record) : describe(event, order_id))
  },
})

type Wanted = { operation?: string; transactionId?: string }

/** A payment is a `purchase` or an `auth`; which of the two need not be known. */
async function latest(client: Client, order_id: string, { operation, transactionId }: Wanted, options: CallOptions) {
  let notFound: unknown
  for (const name of operation === undefined ? ['purchase', 'auth'] : [operation]) {
    try {
      const input = name === 'purchase' || operation !== undefined ? { transactionId } : {}
      return await client.resendWebhook({ order_id, operation: name, ...input }, options)
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
  const text = (name: string): string | undefined => {
    const value = event.record[name]
    return typeof value === 'string' ? value : undefined
  }
  const { amount } = event.record
  const rows: [string, string | undefined][] = [
    ['status', text('status')],
    ['status_code', describeCode(text('status_code'), text('status_description'))],
    ['amount', typeof amount === 'number' ? money(amount, text('currency')) : undefined],
    ...['created_at', 'processed_at'].map((name): [string, string | undefined] => [name, text(name)]),
  ]
  const what = printable(`${text('method') ?? event.kind} of order ${order_id}`)
  return `${what}; its webhook is sent again\n${list(rows)}`
}
