import { baseOrderId } from '../../src/shop/lib/attempt-id.ts'
import { listedRows } from './judges.ts'
import type { Simulation } from './simulation.ts'

/** Whether a death or a failure of storage, KV or `onEvent` was part of the schedule: what is made up for later may be late. */
export const hasFailed = ({ steps }: Simulation): boolean =>
  steps.log.some((line) => / fails$|the gates die$/.test(line))

type Rows = readonly (readonly [key: string, row: Record<string, unknown>])[]
const rowsOf = (play: Simulation, base: string): Rows => [...play.gate.rows(base)]
const publishedOf = (rows: Rows, order_id: unknown) => rows.find(([key]) => key === `published/${order_id}`)?.[1]
const listedOf = (play: Simulation, base: string) => listedRows(play).find(({ order_id }) => order_id === base)
const timesOf = (rows: Rows): number[] =>
  rows.flatMap(([, { next_at, entry }]) => (typeof next_at === 'number' && entry !== null ? next_at : []))

/** Holds whenever nothing goes on: the alarm is in time, and the list has what the gate believes that it has. */
function judgeRest(play: Simulation, base: string): void {
  const rows = rowsOf(play, base)
  // A watched entry may be put off.
  const soon = timesOf(rows.filter(([key]) => !key.startsWith('task/')))
  const [alarm, due] = [play.gate.nextAlarm() ?? Infinity, Math.max(Math.min(...soon), play.time)]
  if (alarm > due && !hasFailed(play)) play.wrong.add(`an alarm comes ${alarm - due} ms late`)
  const { version, next_at } = publishedOf(rows, base) ?? {}
  if (next_at !== null) return
  const listed = listedOf(play, base)
  if (listed?.version !== version)
    play.wrong.add(`version ${version} is published, and the list has ${listed?.version}`)
  const due_at = Number(listed?.due_at)
  if (due_at > play.time && !timesOf(rows).includes(due_at)) play.wrong.add(`the list says that ${due_at} is due`)
}

/** Time in which nobody asks, and the cron does not run. */
async function letAlarmsRing(play: Simulation, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    play.time += 61_000
    await play.emulator.clock.advance({})
    await play.emulator.deliveries.idle()
    await play.alarms()
  }
}

/**
 * The state four minutes later, by the alarms alone.
 *
 * @param isVisited A customer who opens the link at the moment of the payment has it watched once more.
 */
export async function judgeSoon(play: Simulation, order_id: string, isVisited = false): Promise<void> {
  judgeRest(play, baseOrderId(order_id))
  await letAlarmsRing(play, 4)
  const late = await judgeMinutesLater(play, order_id, isVisited)
  // Where a gate dies between two writes, or cannot read after a call, the list waits for its alarm: a quarter of an hour at most.
  const mayWait = play.steps.log.some((line) => /^the gates die$|^get .* fails$/.test(line))
  if (mayWait && late.length > 0) await letAlarmsRing(play, 12)
  for (const text of mayWait && late.length > 0 ? await judgeMinutesLater(play, order_id, isVisited) : late)
    play.wrong.add(`minutes later ${text}`)
}

/** @returns What may be right a few minutes later. */
async function judgeMinutesLater(play: Simulation, order_id: string, isVisited: boolean): Promise<string[]> {
  const base = baseOrderId(order_id)
  const wrong = (text: string) => play.wrong.add(`minutes later ${text}`)
  const later: string[] = []
  const late = (text: string) => later.push(text)
  judgeRest(play, base)
  const rows = rowsOf(play, base)
  const [alarm, due] = [play.gate.nextAlarm() ?? Infinity, Math.min(...timesOf(rows))]
  // Either the due work is overdue, or the alarm is for nothing. A visit that puts its own checkout off lets it ring once more.
  const isPutOff = rows.some(([key, { next_at }]) => next_at === due && key.startsWith('task/open/'))
  if (alarm > due || (alarm < due && !(isPutOff && alarm > play.time && due - alarm <= 300_000)))
    late(`the alarm is in ${alarm - play.time} ms, and something is due in ${due - play.time} ms`)
  const kv = play.kv.dump()
  for (const [key] of rows) if (key.startsWith('event/') && !kv.has(key)) wrong(`KV has no ${key}`)
  const { body } = await play.api('calm', `/api/orders/${order_id}`)
  if (body.order_id === undefined) return later
  const textOf = (one: Record<string, unknown> = {}) => JSON.stringify([one.status, one.totals, one.flags])
  const listed = async (query: string) =>
    ((await play.api('calm', `/api/orders${query}`)).body.orders as Record<string, unknown>[]).find(
      (one) => one.order_id === body.order_id,
    )
  const written = publishedOf(rows, body.order_id)?.written
  const [stored] = [...kv]
    .flatMap(([key, { value }]) => (key.startsWith('order/') ? [JSON.parse(value)] : []))
    .filter((one) => one.order_id === body.order_id)
  const [shown, inList, inKv] = [textOf(body), textOf(await listed('')), textOf(stored)]
  if (inList !== shown) late(`the list says ${inList}, the order ${shown}`)
  if (written !== null && inKv !== shown) late(`KV says ${inKv}, the order ${shown}`)
  const versions = [listedOf(play, base), publishedOf(rows, base)].map((row) => row?.version)
  if (versions[0] !== versions[1]) late(`the list has version ${versions[0]} of ${versions[1]}`)
  const tasks = rows.flatMap(([key, { task }]) => (key.startsWith('task/open/') ? [JSON.parse(String(task))] : []))
  const isOpen = (await listed('?open=true')) !== undefined
  if (isOpen !== tasks.some((task) => task.listed)) late(`the list says ${isOpen ? 'open' : 'not open'}`)
  const attempts = body.attempts as { id: string; state: string }[]
  if (hasFailed(play)) return later
  if (attempts.some(({ state }) => state === 'unknown') && !isOpen) wrong('nobody sees that an outcome is unknown')
  for (const { attempt_id, order_id: its } of tasks) {
    const known = !isVisited && its === body.order_id && /^(success|failure)$/.test(String(body.status))
    const isOver = attempt_id === undefined ? known : attempts.every(({ id }) => id !== attempt_id)
    if (isOver) wrong(`${attempt_id ?? its} is watched, and has ended`)
  }
  return later
}
