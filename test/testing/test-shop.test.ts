import { describe, expect, it } from 'vitest'
import type { Alert, Order, ShopEnv } from '../../src/shop/index.ts'
import { createTestShop } from '../../src/testing/index.ts'
import { hasSqlite } from '../support/environment.ts'

interface Env extends ShopEnv {
  GREETING: string
}

describe('createTestShop', () => {
  if (!hasSqlite) {
    it('says that it needs node:sqlite', async () => {
      const message = expect.stringContaining('no node:sqlite')
      await expect(createTestShop()).rejects.toMatchObject({ code: 'config', message })
    })
    return
  }
  it.each([
    ['success', 'success', 10_050],
    ['three_d_secure', 'success', 10_050],
    ['declined', 'failure', 0],
  ] as const)('sells an order, paid with the card %s', async (card, status, captured) => {
    const seen: [status: string | null, greeting: string][] = []
    const shop = await createTestShop<Env>({
      env: { GREETING: 'hello' },
      onEvent: (_, order, env) => void seen.push([order.status, env.GREETING]),
    })
    const order = await shop.sell({ amount: 100.5 })
    const page = await shop.pay(order, { card })
    expect(page).toMatch(status === 'success' ? /^https:\/\/pay\.shop\.example\.com\/return\// : /checkout/)
    expect(await shop.order(order)).toMatchObject({ status, totals: { captured_minor: captured }, flags: [] })
    expect(seen.at(-1)).toEqual([status, 'hello'])
    expect(await shop.failing()).toEqual([])
    expect((await shop.fetch(new Request('https://pay.shop.example.com/health'))).status).toBe(200)
  })

  it('shows what onEvent failed on, and repeats it as time passes', async () => {
    let broken = true
    const shop = await createTestShop({
      onEvent() {
        if (broken) throw new Error('no stock')
      },
    })
    await shop.pay(await shop.link({ order_id: 'A-1' }))
    expect(await shop.failing()).toMatchObject([{ order_id: 'A-1', attempts: 1, error: 'Error: no stock' }])
    broken = false
    await shop.advance({ minutes: 1 })
    expect(await shop.failing()).toEqual([])
  })

  it('moves one clock: abandoned checkouts expire, alerts reach onAlert, the API works', async () => {
    const alerts: Alert[] = []
    const shop = await createTestShop({ onAlert: (alert) => void alerts.push(alert) })
    const order = await shop.sell({ order_id: 'A-2', amount: 20 })
    await shop.pay(order)
    const init = { method: 'POST', body: '{"refund_amount":5}', headers: { 'idempotency-key': 'five' } }
    expect((await shop.api('/api/orders/A-2/refund', init)).status).toBe(200)
    await shop.advance(3 * 86_400_000)
    const { totals } = (await shop.order('A-2')) as Order
    expect(totals).toMatchObject({ captured_minor: 2_000, refunded_minor: 500 })
    expect(alerts).toEqual([])
    shop.env.LINK_SECRET = 'short'
    await shop.advance(15 * 60_000)
    expect(alerts).toMatchObject([{ kind: 'configuration', order_id: null }])
  })

  it('names what it is not given as it should be', async () => {
    await expect(createTestShop({ onEvents: () => {} } as never)).rejects.toThrow('Did you mean "onEvent"')
    const shop = await createTestShop()
    await expect(shop.order('none')).rejects.toThrow('responded with 404')
    await expect(shop.pay('https://pay.shop.example.com/checkout/none')).rejects.toThrow('cannot be paid on')
  })

  it('advances by what the clock of the emulator takes, and rejects everything else', async () => {
    const shop = await createTestShop()
    const start = shop.emulator.clock.now()
    await shop.advance({ days: 1, minutes: 1 })
    expect(shop.emulator.clock.now() - start).toBe((24 * 60 + 1) * 60_000)
    for (const wrong of ['60000', { minute: 1 }, null, undefined, Number.NaN, -1, [1]]) {
      await expect(shop.advance(wrong as never)).rejects.toThrow()
    }
    expect(shop.emulator.clock.now() - start).toBe((24 * 60 + 1) * 60_000)
    await using other = await createTestShop()
    expect(other.emulator).toBeDefined()
  })

  it('gives the same ids to the same seed', async () => {
    const play = async (seed: number) => {
      const shop = await createTestShop({ seed })
      const order = await shop.sell()
      await shop.pay(order)
      return (await shop.order(order)).operations
    }
    expect(await play(3)).toEqual(await play(3))
    expect(await play(3)).not.toEqual(await play(4))
  })
})
