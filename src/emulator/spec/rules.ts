import { ENDPOINTS, type EndpointRules, WIRE, type WireRules } from './endpoints.ts'
import { PARAMETERS, type ParameterTables } from './parameters.ts'
import { RECURRING, type RecurringRules } from './recurring.ts'
import { RESPONSES, type ResponseRules, WEBHOOKS, type WebhookRules } from './response-fields.ts'
import {
  CODES,
  CONDITIONS,
  type CodeRules,
  type ConditionRules,
  DESTINATIONS,
  type DestinationRules,
  STATUSES,
  type StatusRules,
} from './states.ts'
import { TYPES, type TypeRules } from './types.ts'

/**
 * The API document, restated as data and small predicates. The emulator reads nothing else about the service, so that a
 * test can break one entry at a time and see that the conformance table notices.
 */
export interface Rules {
  endpoints: EndpointRules
  wire: WireRules
  types: TypeRules
  parameters: ParameterTables
  responses: ResponseRules
  webhooks: WebhookRules
  codes: CodeRules
  statuses: StatusRules
  destinations: DestinationRules
  conditions: ConditionRules
  recurring: RecurringRules
}

export const RULES: Rules = {
  endpoints: ENDPOINTS,
  wire: WIRE,
  types: TYPES,
  parameters: PARAMETERS,
  responses: RESPONSES,
  webhooks: WEBHOOKS,
  codes: CODES,
  statuses: STATUSES,
  destinations: DESTINATIONS,
  conditions: CONDITIONS,
  recurring: RECURRING,
}
