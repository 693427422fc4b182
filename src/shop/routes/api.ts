import type { Call, CarryCall } from './calls.ts'
import { DAY_ROUTES } from './days.ts'
import { EVENT_ROUTES } from './events.ts'
import { LINK_ROUTES } from './links.ts'
import { OPERATION_ROUTES } from './operations.ts'
import { ORDER_ROUTES, STRAY_ROUTES } from './orders.ts'
import type { Routes } from './route.ts'

/** Every route of `/api` but those of {@link CarryCall}: a row for each. A missing row does not compile. */
export const API: Routes<Exclude<Call, CarryCall>> = {
  ...ORDER_ROUTES,
  ...OPERATION_ROUTES,
  ...DAY_ROUTES,
  ...EVENT_ROUTES,
  ...LINK_ROUTES,
  ...STRAY_ROUTES,
}
