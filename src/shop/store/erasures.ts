import type { GateStorage } from '../runtime.ts'
import { alarmBy } from './alarm.ts'
import { orderKeyOf } from './event-log.ts'
import { ignoreOutage, orStorageError } from './kv.ts'

/** When the personal data of an order is removed: the value of `erase/<order key>`, in its gate. */
interface Erasure {
  order_id: string
  /** Milliseconds since 1970. */
  next_at: number
}

/** The erasures that RETENTION_DAYS asks for. */
export interface Erasures {
  /** Has an order's personal data removed at this time, unless it is to be removed before. */
  eraseAt(order_id: string, at: number): Promise<void>
  /**
   * Does what is due; an erasure that fails is tried again later.
   *
   * @param erase Removes an order's personal data. @returns When the rest of it is due.
   */
  run(now: number, erase: (order_id: string) => Promise<number | undefined>): Promise<void>
}

const PREFIX = 'erase/'

export function openErasures(storage: GateStorage): Erasures {
  const put = (key: string, erasure: Erasure): Promise<void> =>
    orStorageError('write', () =>
      storage.transaction(async (transaction) => {
        await transaction.put(key, erasure)
        await alarmBy(transaction, erasure.next_at)
      }),
    )
  return {
    async eraseAt(order_id, next_at) {
      const key = PREFIX + (await orderKeyOf(order_id))
      const before = await orStorageError('read', () => storage.get<Erasure>(key))
      if (!before || before.next_at > next_at) await put(key, { order_id, next_at })
    },
    async run(now, erase) {
      const work = async (key: string, { order_id }: Erasure): Promise<void> => {
        const next_at = await erase(order_id)
        if (next_at === undefined) await orStorageError('delete', () => storage.delete(key))
        else await put(key, { order_id, next_at })
      }
      const erasures = await orStorageError('list', () => storage.list<Erasure>({ prefix: PREFIX }))
      for (const [key, erasure] of erasures) if (erasure.next_at <= now) await work(key, erasure).catch(ignoreOutage)
    },
  }
}
