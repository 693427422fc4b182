import { baseOrderId } from '../../src/shop/store/checkouts.ts'
import type { Simulation } from './simulation.ts'

/** Whether a death or a failure of storage, KV or `onEvent` was part of the schedule: what is made up for later may be late. */
export const hasFailed = ({ steps }: Simulation): boolean =>
  steps.log.some((line) => / fails$|the gates die$/.test(line))

/**
 * What holds four minutes later by the alarms alone: nobody asks, and the cron does not run.
 *
 * @param isVisited A customer who opens the link at the moment of the payment has it watched once more.
 */
export async function judgeSoon(play: Simulation, order_id: string, isVisited = false): Promise<void> {
  for (let minute = 0; minute < 4; minute++) {
    play.time += 61_000
    await play.emulator.clock.advance({})
    await play.emulator.deliveries.idle()
    await play.alarms()
  }
  const wrong = (text: string) => play.wrong.add(`minutes later ${text}`)
  // Where a gate dies between two writes, the list waits for its next alarm: a quarter of an hour at most.
  const late = (text: string) => play.steps.log.includes('the gates die') || wrong(text)
  const rows = [...play.gate.rows(baseOrderId(order_id))]
  const times = rows.flatMap(([, { next_at, entry }]) => (typeof next_at === 'number' && entry !== null ? next_at : []))
  const [alarm, due] = [play.gate.nextAlarm() ?? Number.POSITIVE_INFINITY, Math.min(...times)]
  // Set for anything else, it would ring for nothing; or what is due is overdue.
  if (alarm !== due) late(`the alarm is in ${alarm - play.time} ms, and something is due in ${due - play.time} ms`)
  const kv = play.kv.dump()
  for (const [key] of rows) if (key.startsWith('event/') && !kv.has(key)) wrong(`KV has no ${key}`)
  const { body } = await play.api('calm', `/api/orders/${order_id}`)
  if (body.order_id === undefined) return
  const textOf = (one: Record<string, unknown> = {}) => JSON.stringify([one.status, one.totals, one.flags])
  const listed = async (query: string) =>
    ((await play.api('calm', `/api/orders${query}`)).body.orders as Record<string, unknown>[]).find(
      (one) => one.order_id === body.order_id,
    )
  const written = rows.find(([key]) => key === `published/${body.order_id}`)?.[1].written
  const [stored] = [...kv]
    .flatMap(([key, { value }]) => (key.startsWith('order/') ? [JSON.parse(value)] : []))
    .filter((one) => one.order_id === body.order_id)
  const [shown, inList, inKv] = [textOf(body), textOf(await listed('')), textOf(stored)]
  if (inList !== shown) late(`the list says ${inList}, the order ${shown}`)
  if (written !== null && inKv !== shown) late(`KV says ${inKv}, the order ${shown}`)
  const listedVersion = play.gate
    .storage('2026-03', 'shop/')
    .sql.exec('SELECT version FROM listed WHERE order_id = ?', baseOrderId(order_id))
    .toArray()[0]?.version
  const { version } = rows.find(([key]) => key === `published/${baseOrderId(order_id)}`)?.[1] ?? {}
  if (listedVersion !== version) late(`the list has version ${listedVersion} of ${version}`)
  const tasks = rows.flatMap(([key, { task }]) => (key.startsWith('task/open/') ? [JSON.parse(String(task))] : []))
  const isOpen = (await listed('?open=true')) !== undefined
  if (isOpen !== tasks.some((task) => task.listed)) late(`the list says ${isOpen ? 'open' : 'not open'}`)
  const attempts = body.attempts as { id: string; state: string }[]
  if (hasFailed(play)) return
  if (attempts.some(({ state }) => state === 'unknown') && !isOpen) wrong('nobody sees that an outcome is unknown')
  for (const { attempt_id, order_id: its } of tasks) {
    const known = !isVisited && its === body.order_id && /^(success|failure)$/.test(String(body.status))
    const isOver = attempt_id === undefined ? known : attempts.every(({ id }) => id !== attempt_id)
    if (isOver) wrong(`${attempt_id ?? its} is watched, and has ended`)
  }
}
