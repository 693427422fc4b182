import { describe, expect, it } from 'vitest'
import type { Alert } from '../../src/shop/index.ts'
import { unsealExpected } from '../../src/shop/lib/links.ts'
import { at, payment } from './support/events.ts'
import { instead } from './support/money.ts'
import { LINK_SECRET, newOrderId, World } from './support/world.ts'

async function declined(alerts: Alert[] = []): Promise<{ world: World; id: string; link: string }> {
  const world = new World({ failures: 0, onAlert: (alert) => void alerts.push(alert) })
  const id = newOrderId('mugs')
  const link = await world.link({ order_id: id })
  await world.pay(await world.open(link), 'declined')
  await world.advance(11_000)
  return { world, id, link }
}

/** A customer's card is declined; the same link leads to another try, which is paid. */
async function paidByASecondTry(alerts: Alert[] = []): Promise<{ world: World; id: string }> {
  const { world, id, link } = await declined(alerts)
  await world.pay(await world.open(link))
  await world.advance(11_000)
  return { world, id }
}

const refund = (world: World, id: string, key: string, fields: object = {}) =>
  world.send(`/api/orders/${encodeURIComponent(id)}/refund`, fields, key)
const DAY_MS = 86_400_000
const listed = async (world: World, query: string) =>
  ((await (await world.settled(`/api/orders?${query}`)).json()) as { orders: { order_id: string }[] }).orders
const refundsOf = (world: World, id: string) =>
  (world.emulator.orders.get(id)?.operations ?? []).filter(({ method }) => method === 'refund').length

describe('the id that the shop knows', () => {
  it('means the attempt that was paid, in GET, in the list and for a refund', async () => {
    const { world, id } = await paidByASecondTry()
    expect(await world.order(id)).toMatchObject({ order_id: `${id}~2`, replaces: id, status: 'success', flags: [] })
    expect(await world.order(`${id}~1`)).toMatchObject({ order_id: id, status: 'failure' })
    for (const named of [id, `${id}~1`]) {
      const { events = [] } = (await world.order(`${id}~1`)) ?? {}
      const shown = await world.api(`/api/orders/${encodeURIComponent(named)}/events/${events.at(-1)?.id}`)
      expect(await shown.json()).toMatchObject({ event: { order_id: id, status: 'failure' } })
    }
    expect(await listed(world, `search=${id}`)).toMatchObject([{ order_id: `${id}~2`, status: 'success' }])
    expect(await listed(world, 'status=failure')).toEqual([])
    const operations = [{ order_id: `${id}~2`, description: 'Two mugs', last_four: '1111' }]
    const taken = await world.api('/api/operations?from=2026-03-01&to=2026-03-01')
    expect(await taken.json()).toMatchObject({ operations })
    // Its response counts until its webhook comes, in KV too.
    world.emulator.faults.next({ kind: 'delay', ms: 60_000, on: 'webhook' })
    expect(await refund(world, id, 'back')).toMatchObject({ status: 200, body: { order_id: `${id}~2`, amount: 100.5 } })
    await world.advance(11_000)
    const copies = [...(await world.stored('order/')).values()]
    const copy = { order_id: `${id}~2`, totals: expect.objectContaining({ refunded_minor: 10_050 }) }
    expect(copies).toContainEqual(expect.objectContaining(copy))
    await world.advance(60_000)
    // The attempt belongs to the key, also when it holds no money any more.
    expect(await refund(world, id, 'back')).toMatchObject({ status: 200, body: { order_id: `${id}~2` } })
    await world.advance(2_000)
    expect(await refund(world, id, 'again')).toMatchObject({ status: 409, body: { code: 'not_paid' } })
    expect([refundsOf(world, id), refundsOf(world, `${id}~2`)]).toEqual([0, 1])
    // Each webhook's address says what was asked for, and opens for its own attempt alone.
    for (const { url, order_id } of world.emulator.deliveries) {
      const sealed = new URL(String(url)).searchParams.get('expected') ?? ''
      expect(await unsealExpected(sealed, order_id, [LINK_SECRET])).toMatchObject({ amount: 100.5, currency: 'UAH' })
    }
    // Another program's order may have such a name.
    await world.deliver(payment('cups~1'))
    expect(await world.order('cups~1')).toMatchObject({ order_id: 'cups~1', status: 'success' })
    expect(await listed(world, 'search=cups')).toMatchObject([{ order_id: 'cups~1', status: 'success' }])
    // The service is asked for a webhook by the id that it knows.
    const asked: string[] = []
    world.intercept = (url) => void asked.push(decodeURIComponent(new URL(url).pathname)) as undefined
    for (const named of [`${id}~1`, 'cups~1'])
      await world.send(`/api/orders/${named}/resend`, { operation: 'purchase' })
    expect(asked).toEqual([expect.stringContaining(`/${id}/`), expect.stringContaining('/cups~1/')])
    // What people wrote about it goes with its data.
    const note = 'Olena will call'
    expect((await world.send('/api/orders/cups~1/notes', { text: note })).status).toBe(201)
    const record = async () => JSON.stringify((await world.order('cups~1'))?.record)
    expect(await record()).toContain(note)
    expect((await world.api('/api/orders/cups~1/personal-data', { method: 'DELETE' })).status).toBe(200)
    expect(await record()).not.toContain(note)
  })

  it('names both attempts where both hold money, and takes the own id of one', async () => {
    const alerts: Alert[] = []
    const { world, id } = await paidByASecondTry(alerts)
    await world.deliver(payment(id))
    await world.idle()
    const flags = async (one: string) => (await world.order(one))?.flags
    expect(await flags(`${id}~1`)).toEqual(['paid_after_failure', 'paid_twice'])
    expect(await flags(`${id}~2`)).toEqual(['paid_twice'])
    const raised = alerts.filter(({ flag }) => flag === 'paid_twice')
    expect(raised).toMatchObject([
      { kind: 'flag', order_id: id, text: expect.stringContaining('refund one of the payments') },
    ])
    expect(await listed(world, 'flag=paid_twice')).toHaveLength(1)
    expect(await refund(world, id, 'which')).toMatchObject({
      status: 409,
      body: { code: 'paid_twice', attempts: [`${id}~1`, `${id}~2`] },
    })
    // The service knows the first one by the order's id.
    const sent: string[] = []
    world.intercept = (url) => void sent.push(new URL(url).pathname) as undefined
    await refund(world, `${id}~1`, 'first')
    expect(sent.filter((path) => path.endsWith('/refund'))).toHaveLength(1)
    expect(sent.join()).not.toContain('~1')
    expect(await refund(world, `${id}~2`, 'second')).toMatchObject({ status: 200 })
    await world.advance(2_000)
    expect([await flags(`${id}~1`), await flags(`${id}~2`)]).toEqual([['paid_after_failure'], []])
  })

  it('is one operation for each key, whatever name it is called by', async () => {
    const { world, id } = await paidByASecondTry()
    await world.deliver(payment(id))
    expect(await refund(world, `${id}~2`, 'one', { refund_amount: 1 })).toMatchObject({ status: 200 })
    for (const named of [`${id}~1`, `${id}~7`]) {
      const reused = { status: 422, body: { code: 'idempotency_key_reused' } }
      expect(await refund(world, named, 'one', { refund_amount: 1 })).toMatchObject(reused)
    }
    expect(await refund(world, id, 'one', { refund_amount: 1 })).toMatchObject({ body: { order_id: `${id}~2` } })
    expect([refundsOf(world, id), refundsOf(world, `${id}~2`)]).toEqual([0, 1])
  })

  it('stays with the attempt that was seen, although another one holds as much by now', async () => {
    const { world, id } = await paidByASecondTry()
    const version = '10050-10050-0-0'
    expect((await world.order(id))?.version).toBe(`${id}~2:${version}`)
    const sent = instead(world, () => new Response('', { status: 400 }))
    // Without a name it is of the first attempt.
    for (const other of [`${id}:${version}`, `${id}~3:${version}`, version]) {
      const headers = { 'idempotency-key': other.replace(id, 'x'), 'if-match': other }
      const init = { method: 'POST', headers, body: '{"refund_amount":1}' }
      expect((await world.api(`/api/orders/${id}/refund`, init)).status).toBe(412)
    }
    expect(sent).toEqual([])
  })

  it('is what the customer and the shop read of a further attempt', async () => {
    const calls: unknown[] = []
    const world = new World({
      onEvent: ({ event }, order) =>
        void (order.status === 'success' && calls.push(order.replaces ?? order.order_id, event.kind)),
    })
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'create-payment' })
    const link = await world.link({ order_id: 'mugs-2' })
    await world.pay(await world.open(link))
    await world.advance(2_000)
    expect(world.emulator.orders.get('mugs-2~2')?.payments[0]?.status).toBe('success')
    const page = await (await world.get((await world.get(link)).headers.get('location') ?? '')).text()
    expect(page).toContain('Your payment was successful')
    expect(page).toContain('<dd>mugs-2</dd>')
    expect(calls).toEqual(['mugs-2', 'purchase'])
    const paid = { order_id: 'mugs-2~2', status: 'success', replaces: 'mugs-2', totals: { captured_minor: 10_050 } }
    expect(await world.order('mugs-2')).toMatchObject({ ...paid, flags: [] })
    expect(await world.order('mugs-2~1')).toMatchObject({ status: 'failure', replaced_by: 'mugs-2~2', flags: [] })
  })

  it('leads to no further attempt where the service shows that another card has paid', async () => {
    const { world, id, link } = await declined()
    const paid = payment(id)
    world.intercept = (url) => {
      if (url.includes('callback=true')) return Response.json(paid)
      return url.endsWith(`/${id}`) ? Response.json([paid]) : undefined
    }
    expect(await world.open(link)).toContain(`/return/${id}?`)
    expect(world.emulator.orders.list().map(({ order_id }) => order_id)).toEqual([id])
    expect(await world.order(id)).toMatchObject({ status: 'success', flags: ['paid_after_failure'] })
  })
})

describe('an order that holds money', () => {
  async function declined(alerts: Alert[] = []) {
    const world = new World({ failures: 0, onAlert: (alert) => void alerts.push(alert) })
    const id = newOrderId('mugs')
    const link = await world.link({ order_id: id }, world.time + 30 * DAY_MS)
    await world.pay(await world.open(link), 'declined')
    await world.advance(11_000)
    /** Another card pays on the first page. */
    const late = () => payment(id, { created_at: at(400), processed_at: at(401) })
    return { world, id, link, late }
  }

  it.each([0, 10])(
    'is paid once: its links lead to the result, and the open attempt is cancelled (after %d days)',
    async (days) => {
      const { world, id, link, late } = await declined()
      await world.open(link)
      for (let day = 0; day < days; day++) await world.advance(DAY_MS)
      expect(world.payable(id)).toEqual([`${id}~2`])
      await world.deliver(late())
      expect(await world.open(link)).toContain(`/return/${id}?`)
      await world.advance(0)
      expect(world.payable(id)).toEqual([])
      await world.advance(11_000)
      expect(await world.order(`${id}~2`)).toMatchObject({ status: 'failure' })
      expect(await listed(world, 'open=true')).toEqual([])
    },
  )

  it('has an alert at once where the open attempt cannot be cancelled, until that is final', async () => {
    const alerts: Alert[] = []
    const { world, id, link, late } = await declined(alerts)
    await world.open(link)
    const shows = (status: string) => {
      const shown = payment(`${id}~2`, { status })
      world.intercept = (url) => {
        if (url.endsWith('/cancel')) return new Response('{}', { status: 409 })
        return url.endsWith('~2') ? Response.json([shown]) : undefined
      }
    }
    shows('pending')
    await world.deliver(late())
    await world.advance(60_000)
    expect(alerts).toContainEqual(expect.objectContaining({ kind: 'checkout_open', order_id: `${id}~2` }))
    for (let day = 0; day < 12; day++) await world.advance(DAY_MS)
    expect(await listed(world, 'open=true')).toHaveLength(1)
    shows('success')
    for (let day = 0; day < 2; day++) await world.advance(DAY_MS)
    expect((await world.order(id))?.flags).toContain('paid_twice')
    expect(await listed(world, 'open=true')).toEqual([])
  })

  it('is paid beside an attempt that is being created: nobody is led there, and it is cancelled', async () => {
    const { world, id, link, late } = await declined()
    const paidBeside = async (url: string, init?: RequestInit) => {
      const made = await world.emulator.fetch(url, init)
      await world.post(world.signed(late()))
      return made
    }
    world.intercept = (url, init) => (url.endsWith('/payment') ? paidBeside(url, init) : undefined)
    expect(await world.open(link)).toContain(`/return/${id}?`)
    expect([world.emulator.orders.list().length, world.payable(id)]).toEqual([2, []])
  })
})
