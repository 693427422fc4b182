import { describe, expect, it } from 'vitest'
import { newOrderId, World, type WorldOptions } from './support/world.ts'

async function reserved(options: WorldOptions = {}, world = new World(options)): Promise<{ world: World; id: string }> {
  const id = newOrderId('auth')
  await world.pay(await world.open(await world.link({ order_id: id, method: 'auth' })))
  await world.advance(2_000)
  return { world, id }
}

const capture = (world: World, id: string, key: string, fields: object = { charge_amount: 10 }) =>
  world.send(`/api/orders/${id}/capture`, fields, key)

const made = (world: World, id: string) =>
  (world.emulator.orders.get(id)?.operations ?? []).filter(({ method }) => method === 'capture')

describe('a capture', () => {
  it('that was never made does not return an earlier one that was found out by asking', async () => {
    const { world, id } = await reserved()
    // The webhooks stay away: only asking tells.
    world.emulator.faults.next({ kind: 'delay', ms: 86_400_000, on: 'webhook' }, 9)
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
    expect((await capture(world, id, 'parcel-1')).status).toBe(502)
    await world.advance(2_000)
    world.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
    expect((await capture(world, id, 'parcel-2')).status).toBe(502)
    await world.advance(2_000)
    expect(await capture(world, id, 'parcel-2')).toMatchObject({ status: 409, body: { code: 'capture_unsettled' } })
    await world.advance(121_000)
    expect(await capture(world, id, 'parcel-2')).toMatchObject({ status: 409, body: { code: 'capture_not_executed' } })
    expect(made(world, id)).toHaveLength(1)
  })

  it.each([408, 425, 499])(
    'that a proxy responds to with %d may have been made: it is found out, not made twice',
    async (status) => {
      let interferes = false
      const world: World = new World({
        fetch: (async (input: string, init: RequestInit) => {
          const response = await world.emulator.fetch(input, init)
          const isCapture = interferes && String(input).includes('/capture')
          return isCapture ? new Response('{}', { status }) : response
        }) as typeof fetch,
      })
      await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
      await world.advance(2_000)
      interferes = true
      const lost = await capture(world, 'A-1', 'one')
      expect(lost).toMatchObject({ status: 502, body: { code: 'outcome_unknown' } })
      expect(lost.body.detail).toMatch(/same Idempotency-Key/)
      interferes = false
      await world.advance(2_000)
      expect(await capture(world, 'A-1', 'one')).toMatchObject({ status: 200, body: { amount: 10 } })
      expect(made(world, 'A-1')).toHaveLength(1)
    },
  )

  it('is not made for another POS, under which nobody would look for it, or for another order than the address', async () => {
    const { world, id } = await reserved({ failures: 0 })
    const body = (pos_id: string) => ({ charge_amount: 10, pos_id })
    const foreign = await capture(world, id, 'foreign', body('3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11'))
    expect(foreign).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    for (const path of ['capture', 'refund', 'void', 'resend']) {
      const other = await world.send(`/api/orders/${id}/${path}`, { order_id: 'B-2', operation: 'auth' })
      expect([path, other]).toMatchObject([
        path,
        { status: 400, body: { title: expect.stringMatching(/^order_id must be left out/) } },
      ])
    }
    expect(made(world, id)).toHaveLength(0)
    const own = { ...body(world.env().POS_ID.toUpperCase()), order_id: id }
    expect((await capture(world, id, 'own', own)).status).toBe(200)
  })

  it('that the service executes minutes later shows in the order, beside the one that was made instead', async () => {
    let late: (() => Promise<Response>) | undefined
    const world: World = new World({
      fetch: (async (input: string, init: RequestInit) => {
        if (late || !String(input).includes('/capture')) return world.emulator.fetch(input, init)
        late = () => world.emulator.fetch(input, { ...init, signal: null })
        throw new TypeError('The connection was closed.')
      }) as typeof fetch,
    })
    await world.pay(await world.open(await world.link({ order_id: 'A-2', method: 'auth' })))
    await world.advance(2_000)
    expect(await capture(world, 'A-2', 'one')).toMatchObject({ status: 502, body: { code: 'outcome_unknown' } })
    await world.advance(121_000)
    expect(await capture(world, 'A-2', 'one')).toMatchObject({ status: 409, body: { code: 'capture_not_executed' } })
    expect((await capture(world, 'A-2', 'two')).status).toBe(200)
    expect((await late?.())?.status).toBe(200)
    await world.advance(2_000)
    expect(await world.order('A-2')).toMatchObject({ totals: { captured: 2_000 }, attempts: [] })
  })

  it('has its webhook sent to the shop’s own address, whatever host the API was called by', async () => {
    const { world, id } = await reserved({ env: { PUBLIC_ORIGIN: '' } })
    const addresses: string[] = []
    const service = world.emulator.fetch
    ;(world.emulator as { fetch: unknown }).fetch = (async (input: string, init: RequestInit) => {
      if (input.includes('/capture')) addresses.push((await new Response(init.body).json()).server_url)
      return service(input, init)
    }) as typeof service
    const answer = await world.send(`http://internal-binding/api/orders/${id}/capture`, { charge_amount: 20 }, 'one')
    expect(answer.status).toBe(200)
    expect(addresses).toEqual([
      expect.stringMatching(/^https:\/\/pay\.shop\.example\.com\/webhooks\?expected=[\w-]{60,200}$/),
    ])
    // The response counts like a webhook: nothing was delivered yet.
    const order = await (await world.api(`/api/orders/${id}`)).json()
    expect(order).toMatchObject({ totals: { captured: 2_000 } })
  })

  it('of an order that the worker does not know is a 404 that says what to send', async () => {
    for (const PUBLIC_ORIGIN of ['https://pay.shop.example.com', '']) {
      const world = new World({ env: { PUBLIC_ORIGIN } })
      const { status, body } = await capture(world, 'nobody-1', 'one')
      expect([status, body.code]).toEqual([404, 'not_found'])
      expect(body.detail).toMatch(/order_currency/)
    }
  })
})
