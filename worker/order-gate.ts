import type { DurableObjectState } from '@cloudflare/workers-types'
import { type Context, contextOf, type Deps, type Turn } from './context.ts'
import type { Env } from './env.ts'
import { drainOutbox } from './flows/drain-outbox.ts'
import { eraseDue } from './flows/erase-personal-data.ts'
import { type GateCall, IN_TURN, runAction } from './flows/order-actions.ts'
import { reconcileOpen } from './flows/reconcile.ts'
import { type GateStorage, scheduleAlarm } from './store/alarm.ts'
import { openGateIndex } from './store/gate-open-index.ts'
import { openGateRows } from './store/gate-rows.ts'
import { openGateStore } from './store/gate-store.ts'
import { openGateTasks } from './store/gate-tasks.ts'
import { openIndexOver } from './store/open-index.ts'
import { readOrder } from './store/order.ts'
import { openOutbox } from './store/outbox.ts'

/** What the runtime calls of an order's gate. */
export interface OrderGateObject {
  fetch(request: Request): Promise<Response>
  alarm(): Promise<void>
}

/**
 * Makes the Durable Object class of an order's gate; `index.ts` exports it. There is one object for each order, named by
 * its `order_id`: one place with consistent storage. Checkouts, captures, refunds, voids and their settling come in turn.
 * Events take their own turn, and `onEvent` runs from a queue by an alarm, so that money waits for neither.
 */
export function createOrderGate(deps: Deps): new (state: DurableObjectState, env: Env) => OrderGateObject {
  return class OrderGate implements OrderGateObject {
    private readonly context: Context
    private readonly money = inTurn()
    private readonly events = inTurn()
    private readonly storage: GateStorage

    constructor(state: DurableObjectState, env: Env) {
      this.storage = state.storage
      this.context = { ...gateContext(deps, env, state), eventsInTurn: this.events }
    }

    async fetch(request: Request): Promise<Response> {
      const { name, order_id, argument } = (await request.json()) as GateCall
      const work = () => runAction(this.context, name, order_id, argument)
      const turn = IN_TURN.has(name) ? this.money : name === 'receive' ? this.events : unordered
      return Response.json(await turn(work))
    }

    /**
     * Calls `onEvent` for what is due, asks about what has been open for long, writes the order's row in the index, and
     * removes what has been kept for long enough.
     */
    async alarm(): Promise<void> {
      const { outbox, onEvent } = this.context
      const done = await Promise.allSettled([
        onEvent && outbox && drainOutbox(this.context, outbox),
        this.money(() => reconcileOpen(this.context)),
        this.events(async () => writeDueRows(this.context)),
        this.money(async () => runTasks(this.context)),
      ])
      await scheduleAlarm(this.storage, this.context.now(), onEvent !== undefined)
      // The runtime repeats an alarm that failed.
      for (const one of done) if (one.status === 'rejected') throw one.reason
    }
  }
}

/** What the flows work with inside a gate. */
function gateContext(deps: Deps, env: Env, state: DurableObjectState): Context {
  const storage: GateStorage = state.storage
  const context = contextOf(deps, env, (work) => state.waitUntil(work))
  return {
    ...context,
    store: openGateStore(storage, context.store, context.now),
    open: openGateIndex(storage, openIndexOver(context.store, true)),
    outbox: openOutbox(storage),
    rows: openGateRows(storage, context.store),
    tasks: openGateTasks(storage),
  }
}

function runTasks(context: Context): Promise<void> | undefined {
  return context.tasks?.run(context.now(), (order_id) => eraseDue(context, order_id))
}

/** Folds an order for its row. */
function writeDueRows({ rows, store, env, now }: Context): Promise<void> | undefined {
  return rows?.flush(now(), async (order_id) => (await readOrder(store, order_id, env.POS_ID, false)).order)
}

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
