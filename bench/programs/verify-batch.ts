import type { EventKind } from './events.ts'
import { type Contender, contendersFor, POOL } from './verify-contenders.ts'

const prepared = new Map<EventKind, Contender[]>()

/** The contenders for a kind of event, each shown to have returned the event itself. */
export async function prepare(kind: EventKind): Promise<Contender[]> {
  let contenders = prepared.get(kind)
  if (contenders) return contenders
  contenders = await contendersFor(kind)
  for (const { name, role, verify } of contenders) {
    if (role === 'part') continue
    const event = (await verify(1)) as { order_id?: unknown; issues?: readonly unknown[] } | undefined
    if (event?.order_id !== 'mugs-000001' || event.issues?.length) throw new Error(`${name} does not return the event`)
  }
  prepared.set(kind, contenders)
  return contenders
}

/** Verifies `count` webhooks, one after the other, as a server does that responds to each before the next. */
export async function runBatch({ verify }: Contender, count: number): Promise<void> {
  if (verify(0) instanceof Promise) for (let i = 0; i < count; i++) await verify(i % POOL)
  else for (let i = 0; i < count; i++) verify(i % POOL)
}
