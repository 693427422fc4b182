import { isOutcomeUnknownError, type OutcomeUnknownError } from '../../errors.ts'
import { confirmed, requireAnswer, type SEND_OPTIONS } from '../terminal/confirm.ts'
import { type ExitCode, errorLine } from '../terminal/errors.ts'
import { planned } from '../terminal/preview.ts'
import { printable } from '../terminal/terminal.ts'
import type { Flags, OptionRow, Use } from '../terminal/verb.ts'
import type { SERVICE_OPTIONS } from './configuration.ts'
import { EXIT, jsonOf } from './outcome.ts'
import { findOut, type RESOLVE_OPTIONS } from './resolve.ts'
import { openSession, type Session } from './service.ts'

type Options = typeof SERVICE_OPTIONS &
  typeof RESOLVE_OPTIONS &
  typeof SEND_OPTIONS & { order: OptionRow<string | undefined> }

/** Shows what will be sent, asks, and ends a subscription. */
export async function cancelSubscription(use: Use<Options>): Promise<ExitCode> {
  const { flags, argument: recurring_id } = use
  const session = await openSession(use)
  const { config, client, terminal, json, signal, wait } = session
  requireAnswer(terminal, flags)
  const request = await planned(config, (dry) => dry.cancelRecurring({ recurring_id }))
  if (!(await confirmed('recurring-cancel', recurring_id, { terminal, request, flags, signal }))) return EXIT.done
  try {
    const record = await wait(client.cancelRecurring({ recurring_id }, { signal }))
    const { recurring_status } = record
    terminal.out(json ? jsonOf(record) : printable(`subscription ${recurring_id}: ${recurring_status}`))
    if (recurring_status === 'canceled') return EXIT.done
    terminal.err('The subscription was not cancelled: the service declined it.')
    return EXIT.failed
  } catch (error) {
    if (!isOutcomeUnknownError(error)) throw error
    return await unknown(recurring_id, error, flags, session)
  }
}

async function unknown(
  id: string,
  error: OutcomeUnknownError,
  flags: Flags<Options>,
  session: Session,
): Promise<ExitCode> {
  const { terminal, json } = session
  const resolved = await findOut(error, flags, session, { order_id: flags.order })
  const { outcome = 'unknown' } = resolved ?? {}
  const result = { outcome, reason: error.reason }
  if (json) terminal.out(outcome === 'executed' ? JSON.stringify(result) : errorLine(error, result))
  if (outcome !== 'unknown') return outcome === 'executed' ? EXIT.done : EXIT.failed
  const order = flags.order ?? 'ID-OF-THE-FIRST-ORDER'
  terminal.err(`Find out with: edgetill resend ${order} --operation purchase --json (recurring.status is canceled).`)
  terminal.err(`Cancelling again moves no money: edgetill recurring-cancel ${id}`)
  return EXIT.unknown
}
