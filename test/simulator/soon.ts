import { baseOrderId } from '../../src/orders/attempt-id.ts'
import { orderKey } from '../../src/orders/order-key.ts'
import type { Simulation } from './simulation.ts'

/** Whether a death or a failure of storage, KV or `onEvent` was part of the schedule: what is made up for later may be late. */
export const hasFailed = ({ steps }: Simulation): boolean =>
  steps.log.some((line) => / fails$|isolate dies$/.test(line))

const MINUTE = 60_000

/**
 * The lists and KV say at once what the order says, and four minutes later, by the cron alone, nothing is overdue that could be done.
 * After a failure it may be 16 minutes.
 */
export async function judgeSoon(play: Simulation, order_id: string): Promise<void> {
  const said = hasFailed(play) ? [] : await judgeMinutesLater(play, order_id)
  for (const text of said) if (/ says? /.test(text)) play.wrong.add(`at once ${text}`)
  for (let minute = 0; minute < 4; minute++) await play.passMinute()
  let late = await judgeMinutesLater(play, order_id)
  for (let minute = 0; minute < 12 && late.length > 0 && hasFailed(play); minute++) {
    await play.passMinute()
    late = await judgeMinutesLater(play, order_id)
  }
  for (const text of late) play.wrong.add(`minutes later ${text}`)
}

/** @returns What is not as it has to be. */
async function judgeMinutesLater(play: Simulation, order_id: string): Promise<string[]> {
  const late: string[] = []
  const { body } = await play.api('calm', `/api/orders/${order_id}`)
  if (body.order_id === undefined) return late
  const kv = play.kv.dump()
  const log = play.logOf(baseOrderId(order_id))
  for (const { kind, id, next_at, unlisted } of log) {
    if (next_at !== null && next_at < play.time - MINUTE)
      late.push(`${kind} ${id} is overdue by ${play.time - next_at} ms`)
    if (unlisted !== null) late.push(`the list is behind by ${kind} ${id}`)
    const isCopied = play.host === 'server' || [...kv.keys()].some((key) => key.endsWith(`/${id}`))
    if (kind === 'event' && !isCopied) late.push(`KV has no event ${id}`)
  }
  const overdue = play.rows('SELECT * FROM edgetill_copy WHERE due_at < ?', play.time - MINUTE)
  if (overdue.length > 0) late.push('an order waits to be published')
  const textOf = (one: Record<string, unknown> = {}) => JSON.stringify([one.status, one.totals, one.flags])
  const listed = async (query: string) =>
    ((await play.api('calm', `/api/orders${query}`)).body.orders as Record<string, unknown>[]).find(
      (one) => one.order_id === body.order_id,
    )
  const stored = kv.get(`order/${orderKey(String(body.order_id))}`)
  const [shown, inList, inKv] = [textOf(body), textOf(await listed('')), textOf(stored && JSON.parse(stored.value))]
  if (inList !== shown) late.push(`the list says ${inList}, the order ${shown}`)
  if (play.host === 'worker' && (body.events as unknown[]).length > 0 && inKv !== shown)
    late.push(`KV says ${inKv}, the order ${shown}`)
  const isOpen = (await listed('?open=true')) !== undefined
  const unknown = (body.attempts as { state: string }[]).filter(({ state }) => state === 'unknown')
  if (unknown.length > 0 && !isOpen) late.push('nobody sees that an outcome is unknown')
  return late
}
