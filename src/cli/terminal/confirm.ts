import { InterruptedError, UsageError } from './errors.ts'
import type { PlannedRequest } from './preview.ts'
import { list } from './table.ts'
import type { Terminal } from './terminal.ts'

export interface Confirmation {
  terminal: Terminal
  request: PlannedRequest
  /** `--yes`: nothing is asked. */
  yes: boolean
  /** What it means that no amount is sent, where that means something. */
  whole?: string | undefined
  /** Aborted on a signal. A Ctrl-C at the question is typed, and not a signal. */
  signal: AbortSignal
}

/**
 * Shows what will be sent, and asks. It needs a terminal.
 * @returns whether to send it.
 * @throws {UsageError} without a terminal and without `--yes`.
 * @throws {InterruptedError} on Ctrl-C at the question.
 */
export async function confirmed(verb: string, subject: string, confirmation: Confirmation): Promise<boolean> {
  const { terminal, request, yes, whole, signal } = confirmation
  if (yes) return true
  const { method, url, body } = request
  terminal.err(`${verb} ${subject}\n${method} ${url}`)
  const fields = Object.entries(body).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  if (fields.length > 0) terminal.err(list(fields))
  const hasAmount = fields.some(([name]) => name.endsWith('amount'))
  if (whole !== undefined && !hasAmount) terminal.err(`  without an amount: ${whole}`)
  if (!terminal.interactive) {
    throw new UsageError('There is no terminal to ask on, so nothing was sent. Add --yes to send exactly this.')
  }
  const answer = await terminal.ask('Send this? [y/N] ', signal)
  if (answer === undefined) throw new InterruptedError('Nothing was sent.')
  if (/^y(es)?$/i.test(answer)) return true
  terminal.err('Nothing was sent.')
  return false
}
