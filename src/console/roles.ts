import type { ConsoleRole } from './options.ts'

/** The acts on an order. */
export type Act = 'capture' | 'refund' | 'void' | 'cancel' | 'resend' | 'settle' | 'replay' | 'erase'

/** Whether a role allows an act at all; {@link refundLimit} says how much. */
export const isAllowed = (role: ConsoleRole, act: Act): boolean =>
  role === 'all' || (act === 'refund' && refundLimit(role) !== 0)

/** Minor units of one order that a role may refund; undefined: without a limit. */
export const refundLimit = (role: ConsoleRole): number | undefined => {
  if (role === 'all') return undefined
  const { refund = 0 } = role !== null && typeof role === 'object' ? role : {}
  return refund > 0 ? Math.floor(refund * 100 + 1e-6) : 0
}

/** Whether a role may make links and close them. */
export const maySell = (role: ConsoleRole): boolean =>
  role === 'all' || role === 'sell' || (role !== null && typeof role === 'object' && role.sell === true)

/** Whether a role may leave notes. */
export const mayWrite = (role: ConsoleRole): boolean => maySell(role) || refundLimit(role) !== 0
