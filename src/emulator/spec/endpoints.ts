/** The emulated operations, in the names of the SDK and of the files in `routes/`. */
export type OperationName =
  | 'create-payment'
  | 'create-split-purchase'
  | 'capture-payment'
  | 'cancel-payment'
  | 'list-accounts'
  | 'get-account'
  | 'resend-webhook'
  | 'refund-payment'
  | 'void-payment'
  | 'capture-split-purchase'
  | 'refund-split-purchase'
  | 'list-order-operations'
  | 'cancel-recurring'

/** One row of the API document's "Endpoints" together with its rows of "Authentication". */
export interface EndpointRule {
  base: 'base_url' | 'api_url'
  verb: string
  /** As the API document writes it, path parameters in braces. */
  path: string
  /**
   * The shape of `X-API-AUTH`: `hmac` is `SVC-HMAC-SHA1 <API_KEY>:<SIGNATURE>`, `plain` is
   * `SVC <API_KEY>:<API_SECRET>`.
   */
  scheme: 'hmac' | 'plain'
  /** Whether `X-API-KEY: <ENDPOINTS_KEY>` is sent. */
  endpointsKey: boolean
  /** Whether the body is JSON; the cancel request has none. */
  jsonBody: boolean
}

export type EndpointRules = Record<OperationName, EndpointRule>

/**
 * Operations whose creation the API document does not show; public material does ("Beyond the API document").
 * Assumption: they authenticate plainly, as public integrations do.
 */
const BEYOND = {
  'refund-payment': row('POST', '/api/v1/refund', 'plain'),
  'void-payment': row('POST', '/api/v1/void', 'plain'),
  'capture-split-purchase': row('POST', '/api/v1/split/capture', 'plain'),
  'refund-split-purchase': row('POST', '/api/v1/split/refund', 'plain'),
  'list-order-operations': row('GET', '/api/v1/pos/{pos_id}/orders/{order_id}', 'plain', { jsonBody: false }),
  'cancel-recurring': row('PUT', '/api/v1/recurring/{recurring_id}/cancel', 'plain', {
    base: 'api_url',
    jsonBody: false,
  }),
} satisfies Partial<EndpointRules>

function row(
  verb: string,
  path: string,
  scheme: EndpointRule['scheme'],
  more: Partial<EndpointRule> = {},
): EndpointRule {
  return { base: 'base_url', verb, path, scheme, endpointsKey: true, jsonBody: true, ...more }
}

const BALANCES: Partial<EndpointRule> = { base: 'api_url', endpointsKey: false, jsonBody: false }

/** API document, "Endpoints" 1-7 and "Authentication". */
export const ENDPOINTS: EndpointRules = {
  'create-split-purchase': row('POST', '/api/v1/split/purchase', 'hmac'),
  'create-payment': row('POST', '/api/v1/payment', 'hmac'),
  'capture-payment': row('POST', '/api/v1/capture', 'plain'),
  'cancel-payment': row('POST', '/api/v1/pos/{pos_id}/order/{order_id}/cancel', 'plain', { jsonBody: false }),
  'list-accounts': row('GET', '/api/v1/balances/pos/{pos_id}/accounts', 'plain', BALANCES),
  'get-account': row('GET', '/api/v1/balances/pos/{pos_id}/accounts/{account_id}', 'plain', BALANCES),
  'resend-webhook': row('GET', '/api/v1/pos/{pos_id}/orders/{order_id}/{operation}', 'hmac', { jsonBody: false }),
  ...BEYOND,
}

/** Names and HTTP statuses of "Authentication", "Events" and "Errors". */
export const WIRE = {
  authHeader: 'x-api-auth',
  keyHeader: 'x-api-key',
  hmacSuffix: '-HMAC-SHA1',
  checkoutRedirect: 303,
  webhookVerb: 'POST',
  webhookContentType: 'application/x-www-form-urlencoded',
  unauthorized: 401,
  invalid: 400,
  callback: 'true',
  /** "Full card data". */
  cardData: ['cc_number', 'exp_month', 'exp_year', 'card_cvv'] as readonly string[],
}
