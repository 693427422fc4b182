import type { OrderStore } from './order-store.ts'

/** How a gate began: the value of `born`, the first row of its storage. */
export interface Birth {
  /** Milliseconds since 1970. */
  at: number
  /** When it was rebuilt: its storage was lost. */
  rebuilt_at?: number
  /** Whether the service has been asked since for every operation of the order. */
  asked?: boolean
}

export const getBirth = async (store: OrderStore): Promise<Birth | undefined> =>
  (await store.get('born')) as Birth | undefined

/** Writes it unless there is one: a money call and an event may find none at the same moment. @returns The one that counts. */
export async function addBirth(store: OrderStore, birth: Birth): Promise<Birth> {
  store.all("INSERT OR IGNORE INTO fact (key, value) VALUES ('born', ?)", JSON.stringify(birth))
  return (await getBirth(store)) as Birth
}

/** Key `born`; kept permanently. */
export const putBirth = (store: OrderStore, birth: Birth): Promise<void> => store.put('born', birth)
