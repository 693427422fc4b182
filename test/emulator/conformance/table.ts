import { authenticationRows } from './authentication.ts'
import { balanceRows } from './balances.ts'
import { beyondRows } from './beyond.ts'
import { captureRows } from './captures.ts'
import { endpointRows } from './endpoints.ts'
import { eventRows } from './events.ts'
import { limitRows } from './limits.ts'
import { openRows } from './open-questions.ts'
import { recordRows } from './records.ts'
import { requestRuleRows } from './request-rules.ts'
import { requestRows } from './requests.ts'
import { resendRows } from './resend.ts'
import { responseRows } from './response-fields.ts'
import type { Row } from './row.ts'
import { scheduleRows } from './schedules.ts'
import { stateRows } from './states.ts'
import { typeRows } from './types.ts'
import { webhookParameterRows } from './webhook-parameters.ts'

/** The whole conformance table. */
export const TABLE: Row[] = [
  ...endpointRows,
  ...authenticationRows,
  ...balanceRows,
  ...resendRows,
  ...stateRows,
  ...captureRows,
  ...typeRows,
  ...eventRows,
  ...webhookParameterRows,
  ...recordRows,
  ...responseRows,
  ...limitRows,
  ...scheduleRows,
  ...requestRows,
  ...requestRuleRows,
  ...openRows,
  ...beyondRows,
]
