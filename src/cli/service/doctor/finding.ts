/** One thing that `doctor` looked at. */
export interface Finding {
  check: string
  result: 'ok' | 'warning' | 'failed' | 'skipped'
  message: string
  /** What to do about it. */
  fix?: string
}

export const ok = (check: string, message: string): Finding => ({ check, result: 'ok', message })

export const skipped = (check: string, message: string): Finding => ({ check, result: 'skipped', message })

export const failed = (check: string, message: string, fix: string): Finding => ({
  check,
  result: 'failed',
  message,
  fix,
})

export const warning = (check: string, message: string, fix: string): Finding => ({
  check,
  result: 'warning',
  message,
  fix,
})
