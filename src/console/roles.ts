import type { ConsoleRole } from './options.ts'

/** What can be done to an order. */
export type Act = 'capture' | 'refund' | 'void' | 'cancel' | 'resend' | 'settle' | 'replay' | 'erase'

/** Whether a role allows an act at all; {@link refundLimit} says how much. */
export const isAllowed = (role: ConsoleRole, act: Act): boolean =>
  role === 'all' || (act === 'refund' && refundLimit(role) !== 0)

/** Minor units of one order that a role may refund; undefined: without a limit. */
export const refundLimit = (role: ConsoleRole): number | undefined => {
  if (role === 'all') return undefined
  return role !== null && typeof role === 'object' && role.refund > 0 ? Math.floor(role.refund * 100 + 1e-6) : 0
}

/** Whether a role may leave notes. */
export const mayWrite = (role: ConsoleRole): boolean => role === 'all' || refundLimit(role) !== 0
