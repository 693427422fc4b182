import type { Verb } from '../terminal/verb.ts'

/** All verbs, in the order of the help. A file is loaded only when its verb is used. */
export const VERBS: Readonly<Record<string, () => Promise<Verb>>> = {
  init: async () => (await import('./init.ts')).verb,
  dev: async () => (await import('./dev.ts')).verb,
  emulator: async () => (await import('./emulator.ts')).verb,
  payment: async () => (await import('./payment.ts')).verb,
  link: async () => (await import('./link.ts')).verb,
  order: async () => (await import('./order.ts')).verb,
  capture: async () => (await import('./change-order.ts')).capture,
  refund: async () => (await import('./change-order.ts')).refund,
  void: async () => (await import('./change-order.ts')).voidVerb,
  cancel: async () => (await import('./change-order.ts')).cancel,
  'recurring-cancel': async () => (await import('./change-order.ts')).recurringCancel,
  balances: async () => (await import('./balances.ts')).verb,
  listen: async () => (await import('./listen.ts')).verb,
  replay: async () => (await import('./replay.ts')).verb,
  trigger: async () => (await import('./trigger.ts')).verb,
  verify: async () => (await import('./verify.ts')).verb,
  sign: async () => (await import('./sign.ts')).verb,
  resend: async () => (await import('./resend.ts')).verb,
  doctor: async () => (await import('./doctor.ts')).verb,
  prove: async () => (await import('./prove.ts')).verb,
  load: async () => (await import('./load.ts')).verb,
  mcp: async () => (await import('./mcp.ts')).verb,
  completion: async () => (await import('./completion.ts')).completionOf(VERBS),
}
