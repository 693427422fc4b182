import type { ShopEnv } from '../env.ts'
import type { MisconfiguredError } from '../lib/configuration.ts'
import { sha256 } from '../lib/crypto.ts'
import { describeError, logError } from '../lib/log.ts'
import type { Alert, OnAlert } from '../options.ts'
import type { OrderScope, Scope } from '../scope.ts'
import { StorageError } from '../store/kv.ts'
import type { OrderStore } from '../store/order-store.ts'

const HOUR_MS = 3_600_000
/** How long `onAlert` may take until the log says that it has not finished. */
const ON_ALERT_MS = 10_000
/** How many alerts this isolate remembers of each `onAlert`: spares reads, and works while the storage fails. */
const REMEMBERED = 500

/**
 * Writes an alert to the log and passes it to the merchant's `onAlert`, unless the same one was passed within an hour.
 * Nothing waits for it, and no failure of it gets out.
 */
export function raiseAlert(scope: Scope | OrderScope, alert: Alert): void {
  const { kind, ...fields } = alert
  logError(kind, fields)
  const { onAlert, waitUntil } = scope
  if (!onAlert || wasJustRaised(onAlert, JSON.stringify(alert), scope.now())) return
  const raised = deliver(scope, onAlert, alert).catch((error: unknown) => {
    logError('on_alert_failed', { alert: kind, order_id: alert.order_id, ...describeError(error) })
  })
  waitUntil?.(raised)
}

/** Raises the alert of a wrong configuration: the name of each binding, never its value. */
export function raiseMisconfigured(scope: Scope, { problems }: Pick<MisconfiguredError, 'problems'>): void {
  const misconfigured = problems.map(({ binding, problem }) => `${binding}: ${problem}`)
  raiseAlert(scope, { kind: 'configuration', order_id: null, misconfigured })
}

const remembered = new WeakMap<OnAlert<ShopEnv>, Map<string, number>>()

function wasJustRaised(onAlert: OnAlert, id: string, now: number): boolean {
  const times = remembered.get(onAlert) ?? new Map<string, number>()
  const last = times.get(id)
  if (last !== undefined && now - last < HOUR_MS) return true
  if (times.size >= REMEMBERED) times.clear()
  remembered.set(onAlert, times.set(id, now))
  return false
}

async function deliver(scope: Scope | OrderScope, onAlert: OnAlert, alert: Alert): Promise<void> {
  // An alert about the shop must be seen by all gates.
  const store = 'store' in scope && alert.order_id !== null ? scope.store : scope.kv
  // Alert even if the storage fails: that may be the problem. A 429 means that another isolate just recorded it.
  const isNew = await mayRaise(store, alert, scope.now()).catch((error: unknown) => {
    return !(error instanceof StorageError && error.tooSoon)
  })
  if (!isNew) return
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException('onAlert took too long', 'TimeoutError')), ON_ALERT_MS)
  })
  try {
    await Promise.race([onAlert(alert, scope.env), limit])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Whether the same alert was not raised within an hour.
 *
 * Key `alert/<hash of the alert>`, in the order's gate or, where it is about no order, in KV; gone after an hour.
 */
async function mayRaise(store: Pick<OrderStore, 'get' | 'put'>, alert: Alert, at: number): Promise<boolean> {
  const key = `alert/${await sha256(JSON.stringify(alert))}`
  const last = (await store.get(key)) as { at: number } | undefined
  if (last && at - last.at < HOUR_MS) return false
  await store.put(key, { at }, undefined, HOUR_MS / 1000)
  return true
}
