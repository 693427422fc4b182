import type { Fetch } from '../config.ts'
import type { TillDatabase } from '../till/database.ts'
import type { ReceivedEvent } from '../till/queue.ts'
import type { ShopEnv } from './env.ts'
import type { Order } from './lib/shown-order.ts'
import type { PagesOptions } from './pages/options.ts'

/** The type of `carryOver`. */
export interface CarryOver {
  /** The rows of its routes. */
  readonly routes: () => object
}

/** Options of {@link createShop}. Everything is optional. */
export interface ShopOptions<Env extends ShopEnv = ShopEnv> {
  /** Your code for events of orders. While it is absent, events are only stored. */
  onEvent?: OnEvent<Env> | undefined
  /** Your code for matters that need a person. While it is absent, alerts are only logged. */
  onAlert?: OnAlert<Env> | undefined
  /** The pages that customers see. */
  pages?: PagesOptions | undefined
  /**
   * The shop's database in place of the object of TILL, such as Postgres behind Hyperdrive. It is called once for each
   * request, and opens a handle for it: `(env) => postgres(…)` of `edgetill/till`.
   */
  database?: ((env: Env) => TillDatabase) | undefined
  /** `carryOver` of `edgetill/worker`: routes by which the shop moves to another database. */
  carryOver?: CarryOver | undefined
  /** How the service is reached. Default: the runtime's `fetch`. It must not repeat a request automatically. */
  fetch?: Fetch | undefined
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  now?: (() => number) | undefined
}

/**
 * Your code for an event. It runs after the event was stored, at least once for each distinct event, and occasionally
 * twice, so it must be idempotent. Events can arrive out of order: rely on `order`, which is folded from all events,
 * more than on the single event. When it throws or takes longer than 25 seconds, it is called again for this event
 * later. `on-event.ts` of the template has an example.
 */
export type OnEvent<Env extends ShopEnv = ShopEnv> = (
  received: ReceivedEvent,
  order: Order,
  env: Env,
) => Promise<void> | void

/** An alert as the engine raises it and the log has it. */
export interface RaisedAlert {
  /** The subject. */
  kind: AlertKind
  /** The alert's order, if it has one. */
  order_id: string | null
  /**
   * Details to look it up by: `flag`, `event_id`, `attempt_id`, `operation`, `reason`, `fields`, `misconfigured`. Or
   * `count`: how many alerts this alert stands for.
   */
  [detail: string]: string | number | boolean | readonly string[] | null | undefined
}

/** A matter for a person. Identifiers, names, amounts and codes only: never personal data. */
export interface Alert extends RaisedAlert {
  /** For a chat, in English: the event, the amount if known, what to do, and an address to look at. */
  text: string
}

/** The subject of an alert. */
export type AlertKind =
  /** A genuine webhook that could not be filed under an order: `GET /api/strays`. */
  | 'stray'
  /** An event has a shape that the API document does not show; `fields` names the odd fields. */
  | 'unexpected_shape'
  /** An order has a new `flag`. */
  | 'flag'
  /**
   * `onEvent` has failed five times, or for ten minutes, for `event_id`. Raised once an hour for the whole shop:
   * `waiting` counts such events.
   */
  | 'on_event_failing'
  /** `onEvent` failed so often that it is not called again for `event_id`, unless it is replayed. */
  | 'on_event_given_up'
  /**
   * It has not been known for ten minutes whether `attempt_id` was executed, or its operation is still pending after a
   * day.
   */
  | 'operation_unsettled'
  /** `attempt_id` was settled, and an event shows another end: a person decides which end counts. */
  | 'operation_contradicted'
  /** `attempt_id` was pending, and was declined later. */
  | 'operation_declined'
  /** A checkout was opened a day ago, and the service calls it pending or cannot be asked. */
  | 'checkout_open'
  /** The service rejected the payment of a link, which cannot be paid; `fields` names the rejected fields. */
  | 'checkout_rejected'
  /** The worker is misconfigured; `misconfigured` names each binding, never its value. */
  | 'configuration'
  /** The object's database is `percent` full, from 70 on. Raised once a day. */
  | 'storage'

/**
 * Your code for an alert. It runs in the background, at most once an hour for the same alert. After ten alerts of a
 * kind in an hour it gets their `count` instead, at 20, 40, 80 …; each isolate of the Worker counts separately. How
 * long it takes and whether it fails changes nothing else. Each alert is also a line in the log, whether this is
 * defined or not. `on-alert.ts` of the template has an example.
 */
export type OnAlert<Env extends ShopEnv = ShopEnv> = (alert: Alert, env: Env) => Promise<void> | void
