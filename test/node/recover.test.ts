import { expect, it } from 'vitest'
import { World } from '../worker/support/world.ts'

// A shop whose database was restored takes back from KV the events that the backup lacks.
it('takes the events back without onEvent, sends no lost key again, and erases again', async () => {
  const heard: string[] = []
  const world = new World({ canMove: true, onEvent: ({ event }) => void heard.push(event.kind) })
  const { emulator } = world
  const sell = async (order_id: string) => world.pay(await world.open(await world.link({ order_id })))
  await sell('A-1')
  await world.advance(60_000)
  const since = world.time
  await world.advance(60_000)
  expect((await world.send('/api/orders/A-1/refund', { refund_amount: 30 }, 'press')).status).toBe(200)
  await emulator.deliveries.idle()
  await sell('B-2')
  await world.advance(60_000)
  expect((await world.api('/api/orders/B-2/personal-data', { method: 'DELETE' })).status).toBe(200)
  await world.advance(120_000)
  const { totals } = (await world.order('A-1')) ?? {}

  const { sql } = world.object.storage()
  for (const table of ['log', 'order', 'money', 'copy', 'act', 'erasure']) {
    const later = { log: 'written_at', order: 'since', money: 'at', copy: 'written_at', act: 'at', erasure: 'next_at' }
    sql.exec(`DELETE FROM edgetill_${table} WHERE ${later[table as 'log']} > ?`, since)
  }
  heard.length = 0
  const body = (time: number, cursor?: string) => ({ since: new Date(time).toISOString(), ...(cursor && { cursor }) })
  expect((await world.send('/api/recover', body(world.time + 60_000))).status).toBe(400)
  expect((await world.send('/api/recover', body(since, 'x'))).status).toBe(400)
  const recovered = { since: new Date(since).toISOString(), events: 2, erased: 1, cursor: null }
  expect(await world.send('/api/recover', body(since))).toEqual({ status: 200, body: recovered })
  expect((await world.send('/api/recover', body(since))).body).toMatchObject({ events: 0 })
  await world.advance(600_000)
  expect(heard).toEqual([])

  expect((await world.order('A-1'))?.totals).toEqual(totals)
  expect((await world.order('B-2'))?.totals.captured_minor).toBe(10050)
  expect(JSON.stringify([...world.rows('B-2').values()])).not.toMatch(/380441|olena/)
  const pressed = await world.send('/api/orders/A-1/refund', { refund_amount: 30 }, 'press')
  expect(pressed).toMatchObject({ status: 409, body: { code: 'outcome_unknown' } })
  expect(emulator.orders.get('A-1')?.operations.filter(({ method }) => method === 'refund')).toHaveLength(1)
})
