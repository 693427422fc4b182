// The template's engine, with a way to fill its list: through webhooks 100,000 orders would take hours.

import type { DurableObjectState } from '@cloudflare/workers-types'
import { putListed, SHOP } from '../../src/shop/books/tables.ts'
import type { ShopEnv as Env } from '../../src/shop/env.ts'
import { createShop } from '../../src/shop/index.ts'
import { openTables } from '../../src/shop/lib/tables.ts'
import { orderFrom } from '../../src/shop/order/order.ts'
import type { GateState } from '../../src/shop/runtime.ts'

const shop = createShop<Env>({})
const TIME = Date.parse('2026-03-01T10:00:00Z')

export class OrderGate extends shop.OrderGate {
  private readonly state: GateState
  constructor(state: DurableObjectState, env: Env) {
    super(state as unknown as GateState, env)
    this.state = state as unknown as GateState
  }

  override async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname !== '/fill') return super.fetch(request)
    const tables = openTables(this.state.storage, SHOP)
    const [first, count] = [Number(searchParams.get('first')), Number(searchParams.get('count'))]
    tables.atomically(() => {
      for (let index = first; index < first + count; index++) {
        const order_id = `order-${index}`
        const order = orderFrom(order_id, [], { checkout: undefined, posId: '' })
        const { operations, events, attempts, customer_email, ...rest } = order
        const summary = { ...rest, status: index % 10 === 0 ? 'failure' : 'success', reference: `cart-${index}` }
        const found = { email: `customer-${index}@shop.example.com`, last_four: '1111', isOpen: index % 50 === 0 }
        const own = { order_id, since: TIME + index, version: 1, due_at: null, attention: [], failing: [] }
        const none = { attempts: [order_id], money: [], audit: [] }
        putListed(tables, { summary, ...own, ...found, ...none })
      }
    })
    return new Response()
  }
}

export default {
  async fetch(request: Request, env: Env, context: never): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    if (pathname !== '/fill') return shop.fetch(request, env, context)
    const gates = env.ORDER_GATE as unknown as {
      idFromName(name: string): never
      get(id: never): { fetch(url: string): Promise<Response> }
    }
    await gates.get(gates.idFromName('shop')).fetch(`https://order-gate/fill${search}`)
    return new Response()
  },
}
