import { isOutcomeUnknownError, type OutcomeUnknownError } from '../../errors.ts'
import { confirmed, requireAnswer, SEND_OPTIONS } from '../terminal/confirm.ts'
import { type ExitCode, errorLine } from '../terminal/errors.ts'
import { planned } from '../terminal/preview.ts'
import { printable } from '../terminal/terminal.ts'
import { group, option, type Use } from '../terminal/verb.ts'
import { SERVICE_OPTIONS } from './configuration.ts'
import { EXIT, jsonOf } from './outcome.ts'
import { findOut, RESOLVE_OPTIONS } from './resolve.ts'
import { openSession, type Session } from './service.ts'

export const CANCEL_OPTIONS = {
  ...group('What is sent:', SEND_OPTIONS),
  ...RESOLVE_OPTIONS,
  ...group('Afterwards:', { order: option('<ID>', 'its first order, which --resolve looks up') }),
  ...SERVICE_OPTIONS,
}
type CancelUse = Use<typeof CANCEL_OPTIONS>

export async function cancelSubscription(use: CancelUse): Promise<ExitCode> {
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
    return await unknown(use, error, session)
  }
}

async function unknown({ flags, argument }: CancelUse, error: OutcomeUnknownError, session: Session) {
  const { terminal, json } = session
  const resolved = await findOut(error, flags, session, { order_id: flags.order })
  const { outcome = 'unknown' } = resolved ?? {}
  const result = { outcome, reason: error.reason }
  if (json) terminal.out(outcome === 'executed' ? JSON.stringify(result) : errorLine(error, result))
  if (outcome !== 'unknown') return outcome === 'executed' ? EXIT.done : EXIT.failed
  const order = flags.order ?? 'ID-OF-THE-FIRST-ORDER'
  terminal.err(`Find out with: edgetill resend ${order} --operation purchase --json (recurring.status is canceled).`)
  terminal.err(`Cancelling again moves no money: edgetill recurring-cancel ${argument}`)
  return EXIT.unknown
}
