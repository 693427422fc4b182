import type { DurableObjectStorage, DurableObjectTransaction } from '@cloudflare/workers-types'
import { attempt } from './kv.ts'

/** The part of a Durable Object's storage that the gate uses. */
export type GateStorage = Pick<DurableObjectStorage, 'get' | 'put' | 'delete' | 'list' | 'transaction'>

/** Until what failed is tried again. */
const PAUSE_MS = 15 * 60_000

/** Moves a gate's one alarm forward to this time, if it would come later or not at all. */
export async function alarmBy(
  transaction: Pick<DurableObjectTransaction, 'getAlarm' | 'setAlarm'>,
  at: number,
): Promise<void> {
  const alarm = await transaction.getAlarm()
  if (alarm === null || alarm > at) await transaction.setAlarm(at)
}

interface Due {
  next_at?: number
  given_up?: true
}

/** Sets a gate's one alarm for what is due next: an event for `onEvent`, something open to ask about, an order's row, a task. */
export function scheduleAlarm(storage: GateStorage, now: number): Promise<void> {
  return attempt('write', () =>
    storage.transaction(async (transaction) => {
      const outbox = [...(await transaction.list<Due>({ prefix: 'outbox/' })).values()]
      const open = [...(await transaction.list<Due>({ prefix: 'open/' })).values()]
      const tasks = [...(await transaction.list<Due>({ prefix: 'task/' })).values()]
      const rows = [...(await transaction.list<Due>({ prefix: 'row/' })).values()]
      const times = [
        ...outbox.filter(({ given_up }) => !given_up),
        // What is still due could not be dealt with.
        ...[...open, ...tasks].map(({ next_at = 0 }) => ({ next_at: next_at > now ? next_at : now + PAUSE_MS })),
        ...rows,
      ].flatMap(({ next_at }) => (next_at === undefined ? [] : [next_at]))
      if (times.length > 0) await transaction.setAlarm(Math.min(...times))
    }),
  )
}
