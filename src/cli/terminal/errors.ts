import { CommanderError } from 'commander'
import { type ApiError, isConfigError, isInvalidInputError, isOutcomeUnknownError } from '../../errors.ts'

/** The command line or its configuration cannot be used; nothing was done. The exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Ctrl-C before anything was sent. The exit code is 130. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError'
}

/** The verb failed, said in the command line's own words; `cause` is the SDK's error. The exit code is 1. */
export class FailedError extends Error {
  override readonly name = 'FailedError'
}

/** How the command ended: 0 done, 1 rejected or failed, 2 wrong usage, 3 the outcome is unknown, 130 Ctrl-C. */
export type ExitCode = 0 | 1 | 2 | 3 | 130

export function exitCodeOf(error: unknown): ExitCode {
  // commander throws for `--help` and `--version` too; its help on stderr means that the verb was missing.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof UsageError || isConfigError(error) || isInvalidInputError(error)) return 2
  if (error instanceof InterruptedError) return 130
  return isOutcomeUnknownError(error) ? 3 : 1
}

/** A secret that was given as an unknown option or as an argument too many must not be repeated. */
export function withoutValues(text: string): string {
  return text
    .replace(/^(error: unknown option '-+[\w-]+)=.*'/s, "$1'")
    .replace(/^(error: too many arguments[^:]*):.*$/s, '$1.\n')
}

/** An error as `--json` prints it: `{"error":{"code","status","apiCode","message"}}`, the last line on stdout. */
export function errorLine(error: unknown, more: object = {}): string {
  const cause = (error instanceof FailedError ? (error.cause ?? {}) : error) as Partial<ApiError>
  const isUsage = error instanceof UsageError || error instanceof CommanderError
  const code = isUsage ? 'usage' : error instanceof InterruptedError ? 'interrupted' : (cause.code ?? 'failed')
  const { status = null, apiCode = null } = cause
  const text = withoutValues(error instanceof Error ? error.message : String(error))
  return JSON.stringify({ ...more, error: { code, status, apiCode, message: text.replace(/^error: /, '').trim() } })
}
