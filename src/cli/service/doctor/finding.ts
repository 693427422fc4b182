export type Finding = { check: string; result: 'ok' | 'warning' | 'failed' | 'skipped'; message: string; fix?: string }

const findingOf =
  (result: Finding['result']) =>
  (check: string, message: string, fix: string): Finding => ({ check, result, message, fix })

export const ok = (check: string, message: string): Finding => ({ check, result: 'ok', message })
export const skipped = (check: string, message: string): Finding => ({ check, result: 'skipped', message })
export const failed: ReturnType<typeof findingOf> = findingOf('failed')
export const warning: ReturnType<typeof findingOf> = findingOf('warning')
