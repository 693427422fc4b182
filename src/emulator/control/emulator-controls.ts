import type { Orders } from '../domain/orders.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Faults } from '../faults/faults.ts'
import type { Credentials } from '../options.ts'
import type { LoggedRequest, Note } from '../state/activity.ts'
import type { EmulatorClock } from '../state/clock.ts'
import type { Deliveries } from '../webhooks/deliveries.ts'
import type { PortalActions } from './actions.ts'

/** What a test, the control API and the pages can read and change of an emulator. */
export interface EmulatorControls {
  /** What a client needs; the names are those of the SDK's configuration. */
  readonly credentials: Credentials
  readonly clock: EmulatorClock
  /** The latest 2,000 requests, oldest first, each with its response; credentials and card data are masked. */
  readonly requests: readonly LoggedRequest[]
  /** The latest 2,000 notes, oldest first: what works here and may be rejected by the service. */
  readonly notes: readonly Note[]
  /** The latest 10,000 webhooks, oldest first, with their attempts. */
  readonly deliveries: Deliveries
  /** The orders, read-only. */
  readonly orders: Orders
  /** Faults on demand. */
  readonly faults: Faults
  /** What happens to payments beside the documented requests: void, refund, increment, the end of a subscription. */
  readonly control: PortalActions
  /** All that the emulator remembers, as JSON. */
  snapshot(): Snapshot
  /** Goes on from a snapshot, in the place of what is there. @throws {ConfigError} for anything else, which changes nothing. */
  restore(snapshot: unknown): void
  /** Makes orders from a list: see `--seed-file`. @throws {ConfigError} naming by its path what is wrong; then none is made. */
  seedOrders(orders: unknown): void
  /** Goes back to the start: no orders, webhooks, requests and faults, nothing scheduled, the same ids and the clock again. */
  reset(): void
}
