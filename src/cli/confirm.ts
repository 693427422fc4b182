import { UsageError } from './errors.ts'
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
}

/**
 * Shows what will be sent, and asks. It needs a terminal.
 * @returns whether to send it.
 * @throws {UsageError} without a terminal and without `--yes`.
 */
export async function confirmed(verb: string, subject: string, confirmation: Confirmation): Promise<boolean> {
  const { terminal, request, yes, whole } = confirmation
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
  const answer = await terminal.ask('Send this? [y/N] ')
  if (/^y(es)?$/i.test(answer)) return true
  terminal.err('Nothing was sent.')
  return false
}
