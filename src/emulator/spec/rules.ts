import { ENDPOINTS, type EndpointRules, WIRE } from './endpoints.ts'
import { PARAMETERS, type ParameterTables } from './parameters.ts'
import { RECURRING } from './recurring.ts'
import { RESPONSES, type ResponseRules, WEBHOOKS, type WebhookRules } from './response-fields.ts'
import { CODES, CONDITIONS, DESTINATIONS, STATUSES } from './states.ts'
import { TYPES, type TypeRules } from './types.ts'

/**
 * The API document, restated as data and small predicates. The emulator reads nothing else about the service, so that a
 * test can break one entry at a time and see that the conformance table notices.
 */
export interface Rules {
  endpoints: EndpointRules
  wire: typeof WIRE
  types: TypeRules
  parameters: ParameterTables
  responses: ResponseRules
  webhooks: WebhookRules
  codes: typeof CODES
  statuses: typeof STATUSES
  destinations: typeof DESTINATIONS
  conditions: typeof CONDITIONS
  recurring: typeof RECURRING
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
