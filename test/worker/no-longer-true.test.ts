// An answer of the engine that an event contradicts later: the key, the order, its record, the alert and attention agree.
import { describe, expect, it } from 'vitest'
import type { Alert } from '../../src/shop/options.ts'
import { secondary } from './support/events.ts'
import { made, send } from './support/money.ts'
import { type Answer, World } from './support/world.ts'

const ID = 'A-1'
const refund = (world: World, key: string, refund_amount = 30): Promise<Answer> =>
  send(world, 'refund', key, { refund_amount })
const attentionOf = async (world: World) =>
  ((await (await world.settled('/api/attention')).json()) as { items: { kind: string }[] }).items
const recordOf = async (world: World) =>
  ((await world.order(ID)) as unknown as { record: { action: string; result: string }[] }).record.map(
    ({ action, result }) => `${action} ${result}`,
  )

async function paid(card = 'success') {
  const alerts: Alert[] = []
  const world = new World({ kind: 'strict', onAlert: (alert) => void alerts.push(alert) })
  await world.pay(await world.open(await world.link({ order_id: ID })), card as never)
  await world.advance(15_000)
  return { world, alerts }
}

/** A refund that counts as not executed, which the service executes after all. */
async function executedLate() {
  const { world, alerts } = await paid()
  let held: [string, RequestInit | undefined] | undefined
  world.intercept = (url, init) => {
    if (!url.endsWith('/refund')) return undefined
    held = [url, init]
    return Promise.reject(new TypeError('reset'))
  }
  expect((await refund(world, 'k')).status).toBe(502)
  for (let i = 0; i < 8; i++) await world.advance(120_000)
  expect(await refund(world, 'k')).toMatchObject({ status: 409, body: { code: 'refund_not_executed' } })
  world.intercept = undefined
  const [url = '', init] = held ?? []
  await world.emulator.fetch(url, { ...init, signal: null })
  await world.emulator.deliveries.idle()
  await world.advance(30_000)
  return { world, alerts }
}

describe('a refund that is executed after it was counted as not executed', () => {
  it('is said wherever the first answer was, until a person has said which of the two counts', async () => {
    const { world, alerts } = await executedLate()
    const response = await refund(world, 'k')
    expect(response).toMatchObject({ status: 502, body: { code: 'outcome_unknown', record: { amount: 30 } } })
    const { attempt_id } = response.body
    const contradicted = { kind: 'operation_contradicted', order_id: ID, operation: 'refund', attempt_id }
    // Once, however late the next webhook comes.
    await world.advance(7_200_000)
    await world.deliver(secondary(ID, 'refund', { amount: 1, status: 'failure' }))
    await world.idle()
    expect(alerts.filter(({ kind }) => kind === 'operation_contradicted')).toMatchObject([contradicted])
    expect(await attentionOf(world)).toMatchObject([contradicted])
    expect(await world.order(ID)).toMatchObject({ totals: { refunded_minor: 3000 }, attempts: [{ id: attempt_id }] })
    expect(await recordOf(world)).toContain('refund outcome_unknown')
    expect(await refund(world, 'new')).toMatchObject({ status: 409, body: { code: 'refund_unsettled', attempt_id } })

    expect((await send(world, `attempts/${attempt_id}/settle`, 's', { executed: true })).status).toBe(200)
    expect(await refund(world, 'k')).toMatchObject({ status: 200, body: { amount: 30 } })
    expect([await attentionOf(world), (await world.order(ID))?.attempts]).toEqual([[], []])
    expect(await recordOf(world)).toContain('refund done')
    expect((await refund(world, 'new', 5)).status).toBe(200)
    expect(made(world, 'refund')).toHaveLength(2)
  })

  it('stays as it was said where a person knows that the one that is shown is another', async () => {
    const { world } = await executedLate()
    const { attempt_id } = (await refund(world, 'k')).body
    await send(world, `attempts/${attempt_id}/settle`, 's', { executed: false })
    expect(await refund(world, 'k')).toMatchObject({ status: 409, body: { code: 'refund_not_executed' } })
    expect([await attentionOf(world), (await world.order(ID))?.attempts]).toEqual([[], []])
  })
})

it('a refund that was sent again while it was not known is recorded as it ended', async () => {
  const { world } = await paid()
  world.intercept = (url) => (url.endsWith('/refund') ? Promise.reject(new TypeError('reset')) : undefined)
  expect([(await refund(world, 'k')).status, (await refund(world, 'k')).body.code]).toEqual([502, 'refund_unsettled'])
  expect(await recordOf(world)).toEqual(['refund outcome_unknown'])
  for (let i = 0; i < 8; i++) await world.advance(120_000)
  expect(await recordOf(world)).toEqual(['refund not_executed'])
})

it('answers 409 with the record for a refund that the bank declines, and says so under its key, also when it was erased', async () => {
  const { world } = await paid('refund_declined')
  const declined = await refund(world, 'k')
  const record = { status: 'failure', amount: 30 }
  expect(declined).toMatchObject({ status: 409, body: { code: 'declined', record } })
  expect(await refund(world, 'k')).toEqual(declined)
  expect(await recordOf(world)).toEqual(['refund rejected'])
  await world.api(`/api/orders/${ID}/personal-data`, { method: 'DELETE' })
  expect(await refund(world, 'k')).toMatchObject({ status: 409, body: { code: 'declined', record } })
  expect(world.emulator.orders.get(ID)?.operations).toHaveLength(1)
})

it('says of a refund that was pending that it was declined', async () => {
  const { world, alerts } = await paid()
  world.emulator.faults.next({ kind: 'status_code', status_code: '2000', on: 'refund-payment' })
  const pending = await refund(world, 'k')
  expect(pending).toMatchObject({ status: 200, body: { status: 'pending' } })
  await world.advance(15_000)
  await world.deliver({ ...(pending.body as object), status: 'failure', status_code: '4153' })
  await world.idle()
  const { operation_id } = pending.body
  expect(await refund(world, 'k')).toMatchObject({
    status: 409,
    body: { code: 'declined', record: { operation_id, status: 'failure' } },
  })
  expect(alerts.map(({ kind }) => kind)).toContain('operation_declined')
  expect(await attentionOf(world)).toMatchObject([{ kind: 'operation_declined', order_id: ID }])
  expect(await recordOf(world)).toEqual(['refund rejected'])
})

it('leaves the key of a request free that the SDK rejects after the route has accepted it', async () => {
  const world = new World({ kind: 'strict' })
  const long = 'a-33-character-id-of-an-old-shop-'
  const body = { refund_amount: 5, order_currency: 'UAH', server_url: 'https://shop.example.com/webhooks' }
  const first = await world.send(`/api/orders/${long}/refund`, body, 'k')
  expect(first).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  expect(await world.send(`/api/orders/${long}/refund`, { ...body, refund_amount: 6 }, 'k')).toMatchObject({
    ...{ status: 400, body: { code: 'invalid_input' } },
  })
})
