import { setTimeout as wait } from 'node:timers/promises'
import type { OutcomeUnknownError } from '../../errors.ts'
import { resolveOutcome, type UnresolvedCall } from '../../outcome/resolve-outcome.ts'
import { milliseconds } from '../terminal/option-values.ts'
import { printable } from '../terminal/terminal.ts'
import { defaulting, type Flags, flag, group, option } from '../terminal/verb.ts'
import type { Session } from './service.ts'

export const RESOLVE_OPTIONS = group('Afterwards:', {
  resolve: flag('look up an unknown outcome; it is never sent again'),
  settleAfter: defaulting(option('<TIME>', 'when an absence means not executed', milliseconds), 600_000, '10m'),
})

export type ResolveFlags = Flags<typeof RESOLVE_OPTIONS>

/** The order to look up, if the call named none, and its operations from before the call. */
type Clues = { order_id?: string | undefined; known?: readonly string[] | undefined }

/** Reports an unknown outcome, without the SDK's advice for programs, and with `--resolve` finds out. */
export async function findOut(error: OutcomeUnknownError, flags: ResolveFlags, session: Session, clues: Clues) {
  const { order_id, known } = clues
  const { terminal, signal } = session
  terminal.err(printable(error.message.replace(` ${error.howToFindOut}`, '')))
  if (!flags.resolve || signal.aborted) return undefined
  const { operation, amount, currency, sent_at } = error
  const call = { operation, amount, currency, sent_at, order_id: error.order_id ?? order_id }
  const settled = settle(call, flags.settleAfter, known, session)
  const outcome = await settled.finally(terminal.progress('Finding out what happened'))
  if (outcome.outcome === 'unknown') terminal.err(`Still unknown: ${outcome.why}`)
  else if (outcome.outcome === 'executed') terminal.err('Found out: it was executed.')
  else terminal.err('Found out: it was not executed. You can run the same command again.')
  return outcome
}

/** Waits before each look-up, in milliseconds; the last wait is repeated. */
const PAUSES_MS = [0, 2_000, 5_000, 15_000, 30_000, 60_000]

/**
 * Looks up until the outcome is known, or until an absence counts and still nothing is certain. Never sends the call
 * again.
 */
async function settle(
  call: UnresolvedCall & { sent_at: string },
  settleAfterMs: number,
  known: Clues['known'],
  { client, signal }: Session,
) {
  const settlesAt = Date.parse(call.sent_at) + settleAfterMs
  for (let tries = 0; ; tries++) {
    const ms = Math.min(PAUSES_MS[tries] ?? 60_000, Math.max(0, settlesAt - Date.now()))
    // Rejects on Ctrl-C, which ends the wait.
    if (ms > 0) await wait(ms, undefined, { signal }).catch(() => {})
    const isLast = Date.now() >= settlesAt
    const outcome = await resolveOutcome(client, call, { known, settleAfterMs, signal })
    if (outcome.outcome !== 'unknown' || signal.aborted || isLast || call.order_id === undefined) return outcome
  }
}
