import { endpointRows } from './endpoints.ts'
import { eventRows } from './events.ts'
import { limitRows } from './limits.ts'
import { recordRows } from './records.ts'
import { requestRows } from './requests.ts'
import type { Row } from './row.ts'
import { stateRows, typeRows } from './states.ts'

/** The whole conformance table. */
export const TABLE: Row[] = [
  ...endpointRows,
  ...stateRows,
  ...typeRows,
  ...eventRows,
  ...recordRows,
  ...limitRows,
  ...requestRows,
]
