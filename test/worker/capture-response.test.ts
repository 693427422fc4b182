// What a capture tells the service, the order and the log.
import { describe, expect, it } from 'vitest'
import { ADMIN_TOKEN, log, World } from './support/world.ts'

describe('a capture', () => {
  /** An authorized order, whose further webhooks do not arrive; and what was sent to the service. */
  async function reserved() {
    const sent: string[] = []
    const world: World = new World({
      env: { PUBLIC_ORIGIN: '' },
      fetch: (async (input: string, init: RequestInit) => {
        sent.push(await new Response(init.body).text())
        return world.emulator.fetch(input, init)
      }) as typeof fetch,
    })
    const url = await world.open(await world.link({ order_id: 'A-1', method: 'auth' }))
    await world.advance(2_000)
    await world.pay(url)
    await world.advance(2_000)
    world.emulator.faults.rate({ kind: 'delay', ms: 30 * 86_400_000, on: 'webhook' }, 1)
    const capture = () => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'idempotency-key': 'k' }
      const init = { method: 'POST', headers, body: '{"charge_amount":10}' }
      return world.fetch(new Request('http://internal-binding/api/orders/A-1/capture', init))
    }
    return { world, sent, capture }
  }

  it('names the origin of the order’s link for its webhooks, by whatever host the API is called', async () => {
    const { sent, capture } = await reserved()
    expect((await capture()).status).toBe(200)
    expect(sent.at(-1)).toContain('https://pay.shop.example.com/webhooks')
    expect(sent.join()).not.toContain('internal-binding')
  })

  it('is part of the order before its webhook arrives', async () => {
    const { world, capture } = await reserved()
    expect((await capture()).status).toBe(200)
    await world.advance(2_000)
    expect((await world.order('A-1'))?.totals.captured).toBe(1_000)
  })

  it('whose outcome is unknown is a line in the log, with the order and the attempt', async () => {
    const { world, capture } = await reserved()
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
    log.length = 0
    expect((await capture()).status).toBe(502)
    const lines = log.map(([line]) => String(line)).filter((line) => line.startsWith('{"kind":"outcome_unknown"'))
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { kind: 'outcome_unknown', attempt_id: expect.any(String), operation: 'capture', order_id: 'A-1' },
    ])
  })
})
