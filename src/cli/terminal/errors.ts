import { CommanderError } from 'commander'
import { isConfigError, isInvalidInputError, isOutcomeUnknownError } from '../../errors.ts'

/** The command line or its configuration cannot be used; nothing was done. The exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Ctrl-C before anything was sent. The exit code is 130. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError'
}

/** How the command ended: 0 done, 1 rejected or failed, 2 wrong usage, 3 the outcome is unknown, 130 Ctrl-C. */
export type ExitCode = 0 | 1 | 2 | 3 | 130

/** The exit code of what a verb threw. */
export function exitCodeOf(error: unknown): ExitCode {
  // commander throws for `--help` and `--version` too; its help on stderr means that the verb was missing.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof UsageError || isConfigError(error) || isInvalidInputError(error)) return 2
  if (error instanceof InterruptedError) return 130
  return isOutcomeUnknownError(error) ? 3 : 1
}

/** What stderr says about it; undefined for what commander has printed itself. */
export function messageOf(error: unknown): string | undefined {
  if (error instanceof CommanderError) return undefined
  return error instanceof Error ? error.message : String(error)
}
