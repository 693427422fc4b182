import { FailedError, InterruptedError, UsageError } from './errors.ts'
import type { PlannedRequest } from './preview.ts'
import { list } from './table.ts'
import type { Terminal } from './terminal.ts'
import { type Flags, flag } from './verb.ts'

export const SEND_OPTIONS = {
  yes: flag('send it without asking; needed without a terminal'),
  dryRun: flag('print the request, and send nothing'),
}

type SendFlags = Flags<typeof SEND_OPTIONS>

/** @throws {UsageError} without a terminal, `--yes` and `--dry-run`: known before the service is asked anything. */
export function requireAnswer({ interactive }: Terminal, { yes, dryRun }: SendFlags): void {
  if (interactive || yes || dryRun) return
  throw new UsageError(
    'There is no terminal to confirm on, so nothing was sent. Add --yes to send it, or --dry-run to see the request.',
  )
}

/** `signal` is aborted on a signal. A Ctrl-C at the question is typed, and not a signal. */
type Confirmation = { terminal: Terminal; request: PlannedRequest; whole?: string | undefined; signal: AbortSignal } & {
  flags: SendFlags & { json?: boolean }
}

/**
 * Shows the request, and waits for a yes. False for `--dry-run`. @throws {FailedError} on no, {InterruptedError} on ^C.
 */
export async function confirmed(verb: string, subject: string, confirmation: Confirmation): Promise<boolean> {
  const { terminal, request, flags, whole, signal } = confirmation
  const { method, url, body } = request
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  const fields = Object.entries(body).map(([name, value]): [string, string] => [name, text(value)])
  const lines = [`${verb} ${subject}`, `${method} ${url}`, ...(fields.length > 0 ? [list(fields)] : [])]
  const hasAmount = fields.some(([name]) => name.endsWith('amount'))
  if (whole !== undefined && !hasAmount) lines.push(`  without an amount: ${whole}`)
  if (flags.dryRun) {
    lines.push('Nothing was sent.')
    terminal.out(flags.json ? JSON.stringify({ dry_run: true, request }) : lines.join('\n'))
    return false
  }
  if (flags.yes) return true
  terminal.err(lines.join('\n'))
  const answer = await terminal.ask('Send this? [y/N] ', signal)
  if (answer === undefined) throw new InterruptedError('Nothing was sent.')
  if (!/^y(es)?$/i.test(answer)) throw new FailedError('Nothing was sent.')
  return true
}
