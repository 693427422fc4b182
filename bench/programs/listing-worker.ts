// The template's engine, with a way to fill its list: through webhooks 100,000 orders would take hours.

import type { DurableObjectState } from '@cloudflare/workers-types'
import type { ShopEnv as Env } from '../../src/shop/env.ts'
import { createShop } from '../../src/shop/index.ts'
import type { ObjectState } from '../../src/shop/runtime.ts'

const shop = createShop<Env>({})
const TIME = Date.parse('2026-03-01T10:00:00Z')
const TOTALS = { authorized_minor: 0, captured_minor: 10_050, refunded_minor: 0, voided_minor: 0, fee_minor: null }

export class ShopObject extends shop.ShopObject {
  private readonly state: ObjectState
  constructor(state: DurableObjectState, env: Env) {
    super(state as unknown as ObjectState, env)
    this.state = state as unknown as ObjectState
  }

  override async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname !== '/fill') return super.fetch(request)
    // The first statement makes the tables.
    await super.fetch(new Request('https://till/', { method: 'POST', body: '[["SELECT 1", []]]' }))
    const { sql, transactionSync } = this.state.storage
    const [first, count] = [Number(searchParams.get('first')), Number(searchParams.get('count'))]
    transactionSync.call(this.state.storage, () => {
      for (let index = first; index < first + count; index++) {
        const order_id = `order-${index}`
        const [status, reference, email] = [
          index % 10 === 0 ? 'failure' : 'success',
          `cart-${index}`,
          `customer-${index}@shop.example.com`,
        ]
        const order = {
          order_id,
          status,
          method: 'purchase',
          amount: 100.5,
          currency: 'UAH',
          totals: TOTALS,
          flags: [],
        }
        const shown = { ...order, state: status === 'success' ? 'paid' : 'failed', sum: 100.5, reference }
        const words = `${order_id} uah ${reference} ${email} =100.50`
        sql.exec(
          `INSERT INTO edgetill_order (order_id, token, since, state, is_open, flags, status, amount, tail, reference, email, last_four,
            payway, words, shown) VALUES (?, '', ?, ?, ?, 0, ?, 100.5, ?, ?, ?, '1111', 'card', ?, ?)`,
          ...[order_id, TIME + index, status === 'success' ? 3 : 2, index % 50 === 0 ? 2 : 0, status],
          ...[String(index), reference, email, words, JSON.stringify(shown)],
        )
      }
    })
    return new Response()
  }
}

export default {
  async fetch(request: Request, env: Env, context: never): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    if (pathname !== '/fill') return shop.fetch(request, env, context)
    const objects = env.TILL as unknown as {
      idFromName(name: string): never
      get(id: never): { fetch(url: string): Promise<Response> }
    }
    await objects.get(objects.idFromName('shop')).fetch(`https://till/fill${search}`)
    return new Response()
  },
}
