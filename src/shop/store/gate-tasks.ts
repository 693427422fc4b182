import type { GateStorage } from '../runtime.ts'
import { alarmBy } from './alarm.ts'
import { orderKeyOf } from './event-log.ts'
import { ignoreOutage, orStorageError } from './kv.ts'

/** What a gate does later, by its alarm: the value of `task/<kind>/<name>`, in its storage alone. */
export interface GateTask {
  /** `delete`: the row `name` of its storage. `erase`: the personal data of the order `name`. */
  kind: 'delete' | 'erase'
  name: string
  /** Milliseconds since 1970. */
  next_at: number
}

export interface GateTasks {
  /** Has an order's personal data removed at this time, unless it is to be removed before. */
  eraseAt(order_id: string, at: number): Promise<void>
  /**
   * Does what is due; what fails is tried again later.
   *
   * @param erase Removes an order's personal data. @returns When the rest of it is due.
   */
  run(now: number, erase: (order_id: string) => Promise<number | undefined>): Promise<void>
}

const PREFIX = 'task/'
const keyOf = async ({ kind, name }: GateTask): Promise<string> => `${PREFIX}${kind}/${await orderKeyOf(name)}`

/** Adds or replaces a task, together with the alarm for it and with these rows. */
export async function putTask(storage: GateStorage, task: GateTask, rows: object = {}): Promise<void> {
  const key = await keyOf(task)
  await orStorageError('write', () =>
    storage.transaction(async (transaction) => {
      await transaction.put({ ...rows, [key]: task })
      await alarmBy(transaction, task.next_at)
    }),
  )
}

export function openGateTasks(storage: GateStorage): GateTasks {
  const remove = (key: string) => orStorageError('delete', () => storage.delete(key))
  return {
    async eraseAt(name, next_at) {
      const task: GateTask = { kind: 'erase', name, next_at }
      const key = await keyOf(task)
      const before = await orStorageError('read', () => storage.get<GateTask>(key))
      if (!before || before.next_at > next_at) await putTask(storage, task)
    },
    async run(now, erase) {
      const tasks = await orStorageError('list', () => storage.list<GateTask>({ prefix: PREFIX }))
      const work = async (key: string, task: GateTask): Promise<void> => {
        const next_at = task.kind === 'erase' ? await erase(task.name) : void (await remove(task.name))
        if (next_at === undefined) await remove(key)
        else await putTask(storage, { ...task, next_at })
      }
      for (const [key, task] of tasks) if (task.next_at <= now) await work(key, task).catch(ignoreOutage)
    },
  }
}
