import { Command } from 'commander'
import { isOutcomeUnknownError, type OutcomeUnknownError } from '../../index.ts'
import type { ServiceFlags } from '../service/configuration.ts'
import { EXIT, jsonOf } from '../service/outcome.ts'
import { addResolve, findOut, type ResolveFlags } from '../service/resolve.ts'
import { addServiceOptions, type Session, surroundings, withService } from '../service/service.ts'
import { addSendOptions, confirmed, requireAnswer, type SendFlags } from '../terminal/confirm.ts'
import { type ExitCode, errorLine } from '../terminal/errors.ts'
import { planned } from '../terminal/preview.ts'
import { printable } from '../terminal/terminal.ts'

interface Flags extends ServiceFlags, ResolveFlags, SendFlags {
  order?: string
}

/** `edgetill recurring-cancel ID` */
export function command(around = surroundings): Command {
  const verb = new Command('recurring-cancel')
    .description('Ends a subscription: no further charge is made. Shows what will be sent, and asks.')
    .argument('<ID>', "recurring.id of the subscription's first payment")
    .optionsGroup('What is sent:')
  addResolve(addSendOptions(verb)).option('--order <ID>', 'its first order, which --resolve looks up')
  return addServiceOptions(verb).action((id: string, flags: Flags) =>
    withService(flags, around(), (session) => cancel(id, flags, session)),
  )
}

async function cancel(recurring_id: string, flags: Flags, session: Session): Promise<ExitCode> {
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

async function unknown(id: string, error: OutcomeUnknownError, flags: Flags, session: Session): Promise<ExitCode> {
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
