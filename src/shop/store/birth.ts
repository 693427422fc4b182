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

/** Key `born`; kept permanently. */
export const putBirth = (store: OrderStore, birth: Birth): Promise<void> => store.put('born', birth)
