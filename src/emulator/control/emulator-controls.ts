import type { Orders } from '../domain/orders.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Faults } from '../faults/faults.ts'
import type { Credentials, ShopOptions } from '../options.ts'
import type { PayOptions } from '../pay.ts'
import type { LoggedRequest, Note, RequestFilter } from '../state/activity.ts'
import type { EmulatorClock } from '../state/clock.ts'
import type { Deliveries } from '../webhooks/deliveries.ts'
import type { PortalActions } from './actions.ts'

/** The parts of an emulator that a test, the control API and the pages can read and change. */
export interface EmulatorControls {
  /** The name of a shop beside the emulator's own; undefined for its own. */
  readonly shop: string | undefined
  /** Shops beside it at the same address: one for each test that runs in parallel. */
  readonly shops: Shops
  /** The settings of a client, under the names of the SDK's configuration. */
  readonly credentials: Credentials
  readonly clock: EmulatorClock
  /** The latest 2,000 requests that match, oldest first, with their responses; credentials and card data are masked. */
  requests(filter?: RequestFilter): LoggedRequest[]
  /** The latest 2,000 notes, oldest first: requests that work here and that the service may reject. */
  readonly notes: readonly Note[]
  /** The latest 10,000 webhooks, oldest first, with their attempts. */
  readonly deliveries: Deliveries
  /** The orders, read-only. */
  readonly orders: Orders
  /** Faults on demand. */
  readonly faults: Faults
  /** Changes to payments beside the documented requests: void, refund, increment, the end of a subscription. */
  readonly control: PortalActions
  /** The emulator's whole state, as JSON. */
  snapshot(): Snapshot
  /**
   * Replaces the state by a snapshot. @throws {ConfigError} for anything else and for a damaged snapshot: nothing
   * changes then.
   */
  restore(snapshot: unknown): void
  /**
   * Makes orders from a list: see `--seed-file`. @throws {ConfigError} naming each mistake's path; then nothing is
   * made.
   */
  seedOrders(orders: unknown): void
  /**
   * Goes back to the start: no orders, webhooks, requests, faults or due work, the same ids and the clock again. With
   * an order_id it forgets only that order, whose id is free again; balances stay as they are. Other shops keep theirs.
   * @throws {ConfigError} when there is no such order.
   */
  reset(orderId?: string): void
}

/** `fetch`, and the handler of a server or a Worker, in one. */
export interface EmulatorFetch {
  (input: Request | string | URL, init?: RequestInit): Promise<Response>
  /** As `Deno.serve`, `Bun.serve` and Workers call it: arguments after the request are theirs. */
  (request: Request, server: unknown, workerContext?: unknown): Promise<Response>
}

/** The whole service in one object. It holds all state. */
export interface Emulator extends EmulatorControls {
  /**
   * Handles a request. Fits as the `fetch` option of the SDK (no port, no network), as the handler of `Deno.serve` and
   * `Bun.serve`, and, with the emulator as default export, as a Worker.
   *
   * @throws {ConnectionResetError} when a fault breaks the connection.
   */
  readonly fetch: EmulatorFetch
  /** Pays on a checkout page of this emulator, as `pay` of `edgetill/testing`. Returns the customer's last page. */
  pay(checkoutUrl: string | URL, options?: Omit<PayOptions, 'fetch'>): Promise<string>
}

/** The shops that share the address of an emulator. */
export interface Shops {
  /**
   * Makes a shop: a POS with its own credentials, orders, clock, faults and seed. A request belongs to the shop whose
   * key it carries, a checkout page to the shop that made it, and `/_emulator/shops/NAME` has its pages and its control
   * API.
   *
   * @throws {ConfigError} for a name or credentials that another shop has, and for options that make no sense.
   */
  create(options?: ShopOptions): Emulator
  get(name: string): Emulator | undefined
  /** All but the emulator's own, oldest first. */
  list(): Emulator[]
  /** Ends a shop: it is forgotten with its whole state. @throws {ConfigError} when no shop has this name. */
  end(name: string): void
  /** Ends every shop but the emulator's own, and returns their names. */
  endAll(): string[]
}
