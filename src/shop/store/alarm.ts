import type { GateStorage, GateTransaction } from '../runtime.ts'
import { orStorageError } from './kv.ts'

/** Until what failed is tried again. */
const PAUSE_MS = 15 * 60_000

/** Moves a gate's one alarm forward to this time, if it would come later or not at all. */
export async function alarmBy(transaction: Pick<GateTransaction, 'getAlarm' | 'setAlarm'>, at: number): Promise<void> {
  const alarm = await transaction.getAlarm()
  if (alarm === null || alarm > at) await transaction.setAlarm(at)
}

interface Due {
  next_at?: number
  given_up?: true
}

/**
 * Sets a gate's one alarm for what is due next: an event for `onEvent`, something open to ask about, an order's row, an erasure.
 * An item that no run can handle is never left due in the past: the runtime would run the alarm again at once, endlessly.
 *
 * @param hasOnEvent Without it the queue of events waits. With it, what is due came in the meantime or is the rest of a batch.
 */
export function scheduleAlarm(storage: GateStorage, now: number, hasOnEvent: boolean): Promise<void> {
  const notNow = ({ next_at = 0 }: Due) => ({ next_at: next_at > now ? next_at : now + PAUSE_MS })
  return orStorageError('write', () =>
    storage.transaction(async (transaction) => {
      const outbox = [...(await transaction.list<Due>({ prefix: 'outbox/' })).values()]
      const open = [...(await transaction.list<Due>({ prefix: 'open/' })).values()]
      const erasures = [...(await transaction.list<Due>({ prefix: 'erase/' })).values()]
      const rows = [...(await transaction.list<Due>({ prefix: 'row/' })).values()]
      const events = outbox.filter(({ given_up }) => !given_up)
      const times = [
        ...(hasOnEvent ? events : events.map(notNow)),
        // What is still due could not be dealt with.
        ...[...open, ...erasures].map(notNow),
        ...rows,
      ].flatMap(({ next_at }) => (next_at === undefined ? [] : [next_at]))
      if (times.length > 0) await transaction.setAlarm(Math.min(...times))
      else await transaction.deleteAlarm()
    }),
  )
}
