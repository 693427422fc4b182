import { type Answer, World, type WorldOptions } from './world.ts'

/** A world whose order A-1 is an authorization of 100.50 that succeeded. */
export async function authorized(options: WorldOptions = {}): Promise<World> {
  const world = new World(options)
  await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
  await world.advance(2_000)
  return world
}

/** A request about A-1 with an Idempotency-Key. */
export const send = (world: World, path: string, key: string, fields: object = {}): Promise<Answer> =>
  world.send(`/api/orders/A-1/${path}`, fields, key)

/** The operations of a kind that the service has made. */
export const made = (world: World, method: string) =>
  (world.emulator.orders.get('A-1')?.operations ?? []).filter(
    (one) => one.method === method && one.status === 'success',
  )

/** Responds in place of the service. @returns The bodies that are sent to it. */
export function instead(world: World, respond: (method: string | undefined) => Response): Record<string, unknown>[] {
  const bodies: Record<string, unknown>[] = []
  world.intercept = async (_, init) => {
    if (init?.method === 'POST') bodies.push(await new Response(init.body).json())
    return respond(init?.method)
  }
  return bodies
}

/** A call may have been executed, and no look-up says so. */
export const silent = (method: string | undefined) => new Response('', { status: method === 'POST' ? 500 : 403 })

/** The next capture loses its response. */
export function loseCapture(world: World, when: 'before_commit' | 'after_commit'): void {
  world.emulator.faults.next({ kind: 'reset', when, on: 'capture-payment' })
}

/** From now on webhooks are a day late: only asking tells. */
export function delayWebhooks(world: World): void {
  world.emulator.faults.next({ kind: 'delay', ms: 86_400_000, on: 'webhook' }, 9)
}

/** Rows of `/api` with the names that the tests have: without the mark of hundredths. */
export const unmarked = <T>(rows: readonly object[]): T[] =>
  rows.map(
    (row) => Object.fromEntries(Object.entries(row).map(([name, one]) => [name.replace(/_minor$/, ''), one])) as T,
  )
