import { createClient } from '../../client/client.ts'
import type { Client } from '../../client/client-methods.ts'
import { isApiError, isOutcomeUnknownError, type OutcomeUnknownError } from '../../errors.ts'
import type { CallOptions } from '../../http/types.ts'
import type { WebhookEvent } from '../../webhooks/index.ts'
import { confirmed, requireAnswer, SEND_OPTIONS } from '../terminal/confirm.ts'
import { type ExitCode, errorLine, FailedError } from '../terminal/errors.ts'
import { amountOf } from '../terminal/option-values.ts'
import { planned } from '../terminal/preview.ts'
import { list, money, statusColour } from '../terminal/table.ts'
import { printable } from '../terminal/terminal.ts'
import { defineVerb, type Flags, flag, group, option, type Use, type Verb } from '../terminal/verb.ts'
import { SERVICE_OPTIONS } from './configuration.ts'
import { checkWhole, currencyOf, type Intent, repetition } from './order-guards.ts'
import { describeCode, EXIT, exitOf, idsOf, jsonOf } from './outcome.ts'
import { findOut, RESOLVE_OPTIONS } from './resolve.ts'
import { openSession, type Session } from './service.ts'

/** A verb that changes an order: its call, and its words for people. */
interface ChangeVerb extends Pick<Verb, 'summary' | 'description' | 'examples'> {
  name: 'capture' | 'refund' | 'void' | 'cancel'
  whole?: string
  /** Whether the service takes a currency, a comment and a webhook address. */
  takesDetails: boolean
  call(client: Client, change: Change, options: CallOptions): Promise<Changed>
  /** For verbs whose `status` does not show whether they were done. */
  isDone?: (record: Changed) => boolean
}

/** A call, once the order was looked up. `currency` is empty if the verb sends none. */
export type Change = { order_id: string; currency: string; flags: Flags<ChangeOptions> }

type Changed = { status: string; amount?: number | null | undefined } & {
  [K in 'currency' | 'status_code' | 'status_description' | 'operation_id' | 'payment_id']?: string | null | undefined
}

type ChangeOptions = ReturnType<typeof optionsOf>

/** With `--yes` the warning about a repetition is not read: the caller has to confirm it by a flag. */
const REPEAT_OPTIONS = {
  again: flag('send it although the same was sent before'),
  ifVersion: option('<VERSION>', 'send it only if the order still has this version, which "order --json" shows'),
}

function optionsOf({ whole, takesDetails }: ChangeVerb) {
  const amount = whole ? `80.25 (default: ${whole})` : "not sent: another amount than the order's stops it"
  const details = {
    comment: option('<TEXT>', 'at most 2048 characters'),
    serverUrl: option('<URL>', 'where its webhooks go (default: none is sent)'),
  }
  const sent = {
    currency: option('<CODE>', "ISO 4217 (default: the order's)"),
    amount: option('<AMOUNT>', amount, amountOf),
    ...(takesDetails ? details : ({} as typeof details)),
    ...SEND_OPTIONS,
    ...(whole ? REPEAT_OPTIONS : ({} as typeof REPEAT_OPTIONS)),
  }
  return { ...group('What is sent:', sent), ...RESOLVE_OPTIONS, ...SERVICE_OPTIONS }
}

export const changeVerb = (row: ChangeVerb): Verb =>
  defineVerb({
    ...row,
    heading: 'Payments',
    description: `${row.description} Shows what will be sent, and asks.`,
    argument: { name: '<ID>', says: 'your order_id' },
    options: optionsOf(row),
    run: (use) => changeOrder(row, use),
  })

/** Looks the order up, shows the call, waits for a yes, sends it once, and reports the outcome. */
async function changeOrder(verb: ChangeVerb, use: Use<ChangeOptions>): Promise<ExitCode> {
  const { flags, argument: order_id } = use
  const session = await openSession(use)
  const { config, terminal, signal } = session
  const { name, whole, takesDetails } = verb
  const { amount, currency } = flags
  requireAnswer(terminal, flags)
  const detailsIn = (known: string): Change => ({ order_id, currency: takesDetails ? known : '', flags })
  // A mistake in the command line is found before the service is asked; the currency may be the order's.
  const silent = { ...config, onWarning: () => {} }
  await planned(silent, (dry) => verb.call(dry, detailsIn(currency ?? 'XTS'), {}))
  const before = await session.wait(operationsBefore(session, order_id))
  const intent: Intent = { verb: name, order_id, amount, currency, before }
  const details = detailsIn(takesDetails ? currencyOf(intent) : '')
  if (whole === undefined) checkWhole(intent)
  const request = await planned(config, (dry) => verb.call(dry, details, {}))
  const warning = whole === undefined ? undefined : repetition(intent, flags)
  if (warning !== undefined) terminal.err(printable(warning))
  if (!(await confirmed(name, order_id, { terminal, request, flags, whole, signal }))) return EXIT.done
  try {
    // Its warnings were printed for the plan.
    const call = verb.call(createClient(silent), details, { signal })
    return report(verb, order_id, await session.wait(call), session)
  } catch (error) {
    if (!isOutcomeUnknownError(error)) throw error
    return await unknown(verb, error, details, before && idsOf(before), session)
  }
}

/** The operations of the order before the call; undefined if the service does not show them. */
async function operationsBefore({ client, signal }: Session, order_id: string): Promise<WebhookEvent[] | undefined> {
  return await client.listOrderOperations({ order_id }, { signal }).catch((error: unknown) => {
    if (isApiError(error) && error.status === 404) return undefined
    throw error
  })
}

function report(verb: ChangeVerb, order_id: string, record: Changed, { terminal, json }: Session): ExitCode {
  const { amount, currency, status_code, status_description, operation_id, payment_id } = record
  const status = printable(record.status)
  const { name } = verb
  const done = verb.isDone?.(record)
  const code = done === undefined ? exitOf(status) : done ? EXIT.done : EXIT.failed
  const shown = done ? terminal.paint('green', 'done') : terminal.paint(statusColour(status), status)
  const rows: [string, string | undefined][] = [
    ['amount', amount == null ? undefined : money(amount, currency)],
    ['status_code', describeCode(status_code, status_description)],
    operation_id == null ? ['payment_id', payment_id ?? undefined] : ['operation_id', operation_id],
  ]
  terminal.out(json ? jsonOf(record) : `${name} of order ${order_id}: ${shown}\n${list(rows)}`)
  if (code === EXIT.failed) terminal.err(`The ${name} was not done: the service declined it.`)
  if (code === EXIT.unknown) {
    terminal.err(`The ${name} is not finished (${status}). Do not repeat it: edgetill order ${order_id} shows it.`)
  }
  return code
}

async function unknown(
  verb: ChangeVerb,
  error: OutcomeUnknownError,
  { order_id, flags }: Change,
  known: readonly string[] | undefined,
  session: Session,
): Promise<ExitCode> {
  const { terminal, json } = session
  const resolved = await findOut(error, flags, session, { known })
  if (resolved?.outcome === 'executed') return report(verb, order_id, resolved.record, session)
  if (resolved?.outcome === 'not_executed') {
    const why = new FailedError(`The ${verb.name} was not executed.`, { cause: { code: 'not_executed' } })
    if (json) terminal.out(errorLine(why, { outcome: 'not_executed' }))
    return EXIT.failed
  }
  const { operation, amount, currency, sent_at, reason } = error
  const call = { operation, order_id, amount, currency, sent_at }
  // A program can go on with resolveOutcome(client, call, { known }).
  if (json) terminal.out(errorLine(error, { outcome: 'unknown', reason, why: resolved?.why, call, known }))
  const what = amount === undefined ? `a ${verb.name}` : `a ${verb.name} of ${money(amount, currency)}`
  const other = known?.length ? `, other than ${printable(known.join(', '))}` : ''
  const executed =
    verb.name === 'cancel'
      ? 'It was executed if the payment has the status_code 6007.'
      : `It was executed if the order shows ${what}${other}. If it shows none ten minutes later, it was not.`
  terminal.err(`Do NOT run this command again before you know. Find out with: edgetill order ${order_id}\n${executed}`)
  return EXIT.unknown
}
