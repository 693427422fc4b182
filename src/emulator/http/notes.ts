import type { Context } from '../context.ts'
import { note } from '../context.ts'
import type { LoggedRequest } from '../state/activity.ts'
import { timestamp } from '../state/time.ts'
import { Problem } from './problem.ts'

/** "Works here, may be rejected there": behaviour that a request relies on without a promise of the API document. */
export interface RequestNotes {
  /** @throws {Problem} 400 with the same words under `strict`. */
  add(field: string | readonly string[], text: string): void
  publish(): void
}

export function createNotes(context: Context, entry: LoggedRequest): RequestNotes {
  const noted: { field: string; text: string }[] = []
  return {
    add(field, text) {
      const fields = typeof field === 'string' ? [field] : field
      if (context.options.strict) {
        const violations = fields.map((field_name) => ({ field_name, violation: text }))
        throw new Problem(context.rules.wire.invalid, text, violations)
      }
      noted.push({ field: fields.join(', '), text })
    },
    publish() {
      const at = timestamp(context.scheduler.now())
      const { id: request_id, order_id, operation } = entry
      const order = context.state.orders.get(order_id ?? '')
      for (const { field, text } of noted) {
        context.activity.note({ at, request_id, order_id, operation: operation ?? '', field, text })
        if (order !== undefined) note(context, order, text, true)
      }
    },
  }
}
