import { type ContentFault, type FaultKind, occasionsOf } from '../../faults/fault.ts'
import { ENDPOINTS } from '../../spec/endpoints.ts'

/** One parameter of a fault, as a form asks for it. */
export interface FaultField {
  name: string
  label: string
  /** The values to choose from; free text without them. */
  options?: readonly string[]
  value?: string
}

interface FaultHelp {
  group: 'response' | 'webhook' | 'content'
  says: string
  fields: readonly FaultField[]
}

const ENDPOINT_NAMES = Object.keys(ENDPOINTS)
const WHEN: FaultField = { name: 'when', label: 'When', options: ['after_commit', 'before_commit'] }
const ENDPOINT: FaultField = { name: 'on', label: 'Endpoint', options: ['', ...ENDPOINT_NAMES] }
const ORDER: FaultField = { name: 'order_id', label: 'Order (empty: any)' }
const PROBABILITY: FaultField = { name: 'probability', label: 'Probability (empty: once)' }

const response = (says: string, ...fields: FaultField[]): FaultHelp => ({
  group: 'response',
  says,
  fields: [...fields, ENDPOINT, ORDER, PROBABILITY],
})
const outcome = (says: string, ...fields: FaultField[]): FaultHelp => ({
  group: 'response',
  says,
  fields: [...fields, ORDER, PROBABILITY],
})
const webhook = (says: string, ...fields: FaultField[]): FaultHelp => ({
  group: 'webhook',
  says,
  fields: [...fields, ORDER, PROBABILITY],
})
const content = (kind: ContentFault['kind'], says: string): FaultHelp => {
  const places = occasionsOf(kind).filter((place) => place !== 'webhook')
  const place: FaultField = { name: 'on', label: 'Where', options: ['webhook', ...places] }
  return { group: 'content', says, fields: [place, ORDER, PROBABILITY] }
}

/** What each kind of fault does, and its parameters. */
export const FAULT_HELP: Record<FaultKind, FaultHelp> = {
  reset: response(
    'The connection breaks before the first byte of the response. The request was executed after_commit, and was not before_commit.',
    WHEN,
  ),
  too_many_requests: response('429 with a Retry-After header. Nothing is executed.', {
    name: 'retryAfter',
    label: 'Retry-After (s)',
    value: '1',
  }),
  server_error: response('A 5xx with an HTML page, as a proxy sends it. The request may have been executed.', WHEN, {
    name: 'status',
    label: 'Status',
    options: ['503', '500'],
  }),
  body: response('The request is executed, and the body of its response is broken.', {
    name: 'body',
    label: 'Body',
    options: ['truncated', 'empty', 'html', 'huge'],
  }),
  no_response: response('No response is sent until the caller gives up.', WHEN),
  slow_body: response(
    'The body of the response arrives in pieces.',
    { name: 'ms', label: 'Between pieces (ms)', value: '100' },
    { name: 'pieces', label: 'Pieces', value: '10' },
  ),
  latency: response('The request waits before it is executed.', { name: 'ms', label: 'Wait (ms)', value: '500' }),
  status_code: outcome(
    'The payment or the operation ends with this status code: 1xxx success, 2xxx pending, any other failure.',
    { name: 'status_code', label: 'Status code', value: '4009' },
  ),
  duplicate: webhook('The webhook is delivered again at once.', {
    name: 'times',
    label: 'How often again',
    value: '1',
  }),
  reorder: webhook("The webhook is held until the order's next one has been delivered, for an hour at most."),
  delay: webhook('The webhook is delivered when the clock has advanced.', {
    name: 'ms',
    label: 'Delay (ms)',
    value: '60000',
  }),
  drop: webhook('The first attempt is lost. The retry policy sends it again.'),
  corrupt_signature: webhook(
    'The first attempt has a wrong signature. The retry policy sends it again with the right one.',
  ),
  missing_padding: webhook('The data has no "=" at its end. The signature matches what is sent.'),
  numbers_as_strings: content('numbers_as_strings', 'Every number is text: "100.50" for 100.50.'),
  null_fee: content('null_fee', 'The fees are null.'),
  unknown_fields: content('unknown_fields', 'There are fields that the API document does not name.'),
  unknown_status: content('unknown_status', 'The status is one that the API document does not name.'),
  unknown_method: content('unknown_method', 'The method is one that the API document does not name.'),
}
