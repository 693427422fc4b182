import { runShopAction } from './books/actions.ts'
import type { BooksScope } from './books/scope.ts'
import { SHOP } from './books/tables.ts'
import { type GateCall, type GateResult, resultOf } from './call-gate.ts'
import { clockAhead, type ShopEnv } from './env.ts'
import { openTables } from './lib/tables.ts'
import { isInTurn, runAction } from './order/actions.ts'
import { checkOpen } from './order/check-open.ts'
import { deliverEvents } from './order/deliver-events.ts'
import { eraseDue } from './order/erase.ts'
import { sendMessages } from './order/messages.ts'
import { publishDue, publishSoon } from './order/publish.ts'
import type { OrderScope } from './order/scope.ts'
import { openOrderStore, scheduleAlarm } from './order/tables.ts'
import type { GateState, GateStorage } from './runtime.ts'
import { type Deps, openScope, type Turn } from './scope.ts'

/** Until an alarm that was cut off rings again. */
const LATER_MS = 60_000

/** The methods of an order's gate that the runtime calls. */
export interface OrderGateObject {
  fetch(request: Request): Promise<Response>
  alarm(): Promise<void>
}

/** The class of the gates. */
export type OrderGateClass = new (state: GateState, env: ShopEnv) => OrderGateObject

/**
 * Makes the Durable Object class of an order's gate. There is one object for each order: one place with consistent storage.
 * Checkouts, captures, refunds, voids and their settling come in turn. Events take a separate turn, and `onEvent` runs from
 * a queue by an alarm, so that money waits for neither.
 */
export function createOrderGate(deps: Deps): OrderGateClass {
  return class OrderGate implements OrderGateObject {
    private readonly scope: OrderScope
    private readonly books: BooksScope
    private readonly money = inTurn()
    private readonly openings = new Map<string, Promise<GateResult>>()
    private readonly storage: GateStorage

    constructor(state: GateState, env: ShopEnv) {
      this.storage = withClock(state.storage, clockAhead(env))
      const scope = openScope(deps, env, (work) => state.waitUntil(work))
      this.books = { ...scope, shop: openTables(this.storage, SHOP) }
      const store = openOrderStore(this.storage, scope.now)
      this.scope = { ...scope, store, eventsInTurn: inTurn(), publishInTurn: inTurn() }
    }

    async fetch(request: Request): Promise<Response> {
      const call = (await request.json()) as GateCall
      const { order_id } = call
      // The shop's objects have nothing due.
      if (order_id === undefined) return Response.json(await resultOf(() => runShopAction(this.books, call)))
      const result = await (call.name === 'openCheckout' ? this.open(call) : this.run(call))
      await this.wake(order_id)
      return Response.json(result)
    }

    private run(call: GateCall): Promise<GateResult> {
      const turn = isInTurn(call.name) ? this.money : call.name === 'storeWebhook' ? this.scope.eventsInTurn : unordered
      // While a service that hangs holds up visitors, the shop can still cancel.
      return turn(() => resultOf(() => runAction(this.scope, call)), call.name === 'cancelOrder')
    }

    /** One opening serves all visitors of a link that wait for it. */
    private open(call: GateCall): Promise<GateResult> {
      const key = JSON.stringify(call)
      const opening = this.openings.get(key) ?? this.run(call).finally(() => this.openings.delete(key))
      this.openings.set(key, opening)
      return opening
    }

    /**
     * Calls `onEvent` for the events that are due, asks about what has been open for long, removes personal data whose time
     * has come, and publishes the orders that have changed.
     */
    async alarm(): Promise<void> {
      const { scope } = this
      const began = scope.now()
      // First: whatever ends the Worker from here on, the gate is called again.
      await this.storage.setAlarm(began + LATER_MS)
      // Before it as well, once it has failed: code of `onEvent` that ends the object each time would never let its event be listed.
      const isFailing = scope.store.all('SELECT event_id FROM queue WHERE failing = 1 LIMIT 1').length > 0
      const first = await Promise.allSettled(isFailing ? [publishDue(scope)] : [])
      const done = await Promise.allSettled([
        scope.onEvent && deliverEvents(scope),
        sendMessages(scope),
        this.money(() => checkOpen(scope)),
        this.money(() => eraseDue(scope)),
      ])
      // Last: the list then says what is due after this.
      done.push(...(await Promise.allSettled([publishDue(scope)])))
      await this.schedule(began)
      for (const one of [...first, ...done]) if (one.status === 'rejected') throw one.reason
    }

    /**
     * Sets the alarm anew that the runtime has dropped: it repeats one that fails six times. What no alarm publishes at once is
     * published in the background, and what the list does not know of. What fails here is left to the next call: this one
     * has been done.
     */
    private async wake(order_id: string): Promise<void> {
      try {
        const alarm = await this.storage.getAlarm()
        if (alarm === null) await this.schedule()
        await publishSoon(this.scope, order_id, alarm ?? Number.POSITIVE_INFINITY)
      } catch {}
    }

    private schedule(began = this.scope.now()): Promise<void> {
      return scheduleAlarm(this.storage, this.scope.store, began, this.scope.onEvent !== undefined)
    }
  }
}

/** The runtime rings alarms by its own clock. */
function withClock(storage: GateStorage, ahead: number): GateStorage {
  if (ahead === 0) return storage
  return {
    sql: storage.sql,
    transactionSync: (work) => storage.transactionSync(work),
    sync: () => storage.sync(),
    getAlarm: () => storage.getAlarm().then((at) => (at === null ? null : at + ahead)),
    setAlarm: (at) => storage.setAlarm(at - ahead),
    deleteAlarm: () => storage.deleteAlarm(),
  }
}

const unordered: Turn = (work) => work()

/** Runs one piece of work after the other, also after one that failed. */
function inTurn(): Turn {
  const waiting: (() => Promise<unknown>)[] = []
  let isRunning = false
  async function run(): Promise<void> {
    isRunning = true
    for (let work = waiting.shift(); work; work = waiting.shift()) await work()
    isRunning = false
  }
  return (work, goesFirst = false) =>
    new Promise((resolve, reject) => {
      const turn = () => work().then(resolve, reject)
      if (goesFirst) waiting.unshift(turn)
      else waiting.push(turn)
      if (!isRunning) void run()
    })
}
