import type { Orders } from '../domain/orders.ts'
import type { Faults } from '../faults/faults.ts'
import type { Credentials } from '../options.ts'
import type { EmulatorClock } from '../state/clock.ts'
import type { Deliveries } from '../webhooks/deliveries.ts'
import type { PortalActions } from './actions.ts'

/** What a test, the control API and the pages can read and change of an emulator. */
export interface EmulatorControls {
  /** What a client needs; the names are those of the SDK's configuration. */
  readonly credentials: Credentials
  readonly clock: EmulatorClock
  /** Every webhook so far, with its attempts. */
  readonly deliveries: Deliveries
  /** The orders, read-only. */
  readonly orders: Orders
  /** Faults on demand. */
  readonly faults: Faults
  /** What happens to payments beside the documented requests: void, refund, increment, the end of a subscription. */
  readonly control: PortalActions
  /** Forgets orders, deliveries, faults and what was scheduled. The clock goes on; ids are not repeated. */
  reset(): void
}
