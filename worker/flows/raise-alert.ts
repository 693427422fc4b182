import type { Context } from '../context.ts'
import { describeError, report } from '../lib/log.ts'
import type { Alert, OnAlert } from '../on-alert.ts'
import { HOUR_MS, mayRaise } from '../store/alert-guard.ts'
import { StorageError } from '../store/kv.ts'

/** How long `onAlert` may take until the log says that it has not finished. */
const ON_ALERT_MS = 10_000
/** What this isolate remembers of each `onAlert`: spares reads, and is all there is while the storage fails. */
const REMEMBERED = 500

/**
 * Writes an alert to the log and passes it to the merchant's `onAlert`, unless the same one was passed within an hour.
 * Nothing waits for it, and nothing that goes wrong with it gets out.
 */
export function raiseAlert(context: Context, alert: Alert): void {
  const { kind, ...fields } = alert
  report(kind, fields)
  const { onAlert, waitUntil } = context
  if (!onAlert || wasJustRaised(onAlert, JSON.stringify(alert), context.now())) return
  const raised = deliver(context, onAlert, alert).catch((error: unknown) => {
    report('on_alert_failed', { alert: kind, order_id: alert.order_id, ...describeError(error) })
  })
  waitUntil?.(raised)
}

const remembered = new WeakMap<OnAlert, Map<string, number>>()

function wasJustRaised(onAlert: OnAlert, id: string, now: number): boolean {
  const times = remembered.get(onAlert) ?? new Map<string, number>()
  const last = times.get(id)
  if (last !== undefined && now - last < HOUR_MS) return true
  if (times.size >= REMEMBERED) times.clear()
  remembered.set(onAlert, times.set(id, now))
  return false
}

async function deliver({ store, now, env }: Context, onAlert: OnAlert, alert: Alert): Promise<void> {
  // A storage that fails may be the very trouble; one that was just written to has seen this alert elsewhere.
  const isNew = await mayRaise(store, alert, now()).catch((error: unknown) => {
    return !(error instanceof StorageError && error.tooSoon)
  })
  if (!isNew) return
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException('onAlert took too long', 'TimeoutError')), ON_ALERT_MS)
  })
  try {
    await Promise.race([onAlert(alert, env), limit])
  } finally {
    clearTimeout(timer)
  }
}
