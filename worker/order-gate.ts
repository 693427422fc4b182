import type { DurableObjectState } from '@cloudflare/workers-types'
import { type Context, contextOf, type Deps } from './context.ts'
import type { Env } from './env.ts'
import { drainOutbox } from './flows/drain-outbox.ts'
import { type GateCall, IN_TURN, runAction } from './flows/order-actions.ts'
import { type GateStorage, openGateStore } from './store/gate-store.ts'
import { openOutbox } from './store/outbox.ts'

/** What the runtime calls of an order's gate. */
export interface OrderGateObject {
  fetch(request: Request): Promise<Response>
  alarm(): Promise<void>
}

/**
 * Makes the Durable Object class of an order's gate; `index.ts` exports it. There is one object for each order, named by
 * its `order_id`: one place with consistent storage. Checkouts, captures, refunds, voids and their settling come in turn.
 * Events come in a turn of their own, and `onEvent` runs from a queue by an alarm, so that money waits for neither.
 */
export function createOrderGate(deps: Deps): new (state: DurableObjectState, env: Env) => OrderGateObject {
  return class OrderGate implements OrderGateObject {
    private readonly context: Context
    private readonly money = inTurn()
    private readonly events = inTurn()

    constructor(state: DurableObjectState, env: Env) {
      this.context = gateContext(deps, env, state.storage)
    }

    async fetch(request: Request): Promise<Response> {
      const { name, order_id, argument } = (await request.json()) as GateCall
      const work = () => runAction(this.context, name, order_id, argument)
      const turn = IN_TURN.has(name) ? this.money : name === 'receive' ? this.events : unordered
      return Response.json(await turn(work))
    }

    /** Calls `onEvent` for what is due. */
    async alarm(): Promise<void> {
      const { outbox, onEvent } = this.context
      if (onEvent && outbox) await drainOutbox(this.context, outbox)
    }
  }
}

/** What the flows work with inside a gate. */
function gateContext(deps: Deps, env: Env, storage: GateStorage): Context {
  const context = contextOf(deps, env)
  return { ...context, store: openGateStore(storage, context.store), outbox: openOutbox(storage) }
}

type Turn = (work: () => Promise<ActionResult>) => Promise<ActionResult>
type ActionResult = Awaited<ReturnType<typeof runAction>>

const unordered: Turn = (work) => work()

/** Runs one piece of work after the other, whatever became of the one before. */
function inTurn(): Turn {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}
