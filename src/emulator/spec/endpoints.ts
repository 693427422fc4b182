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
  /** The shape of `X-API-AUTH`: `hmac` is `SVC-HMAC-SHA1 <API_KEY>:<SIGNATURE>`, `plain` is `SVC <API_KEY>:<API_SECRET>`. */
  scheme: 'hmac' | 'plain'
  /** Whether `X-API-KEY: <ENDPOINTS_KEY>` is sent. */
  endpointsKey: boolean
  /** Whether the body is JSON; the cancel request has none. */
  jsonBody: boolean
}

export type EndpointRules = Record<OperationName, EndpointRule>

/**
 * Operations whose creation the API document does not show; public material does ("Beyond the API document"). Assumption:
 * all of them authenticate plainly, as public integrations do.
 */
const BEYOND = {
  'refund-payment': beyond('POST', '/api/v1/refund'),
  'void-payment': beyond('POST', '/api/v1/void'),
  'capture-split-purchase': beyond('POST', '/api/v1/split/capture'),
  'refund-split-purchase': beyond('POST', '/api/v1/split/refund'),
  'list-order-operations': { ...beyond('GET', '/api/v1/pos/{pos_id}/orders/{order_id}'), jsonBody: false },
  'cancel-recurring': {
    ...beyond('PUT', '/api/v1/recurring/{recurring_id}/cancel'),
    base: 'api_url',
    jsonBody: false,
  },
} satisfies Partial<EndpointRules>

function beyond(verb: string, path: string): EndpointRule {
  return { base: 'base_url', verb, path, scheme: 'plain', endpointsKey: true, jsonBody: true }
}

/** API document, "Endpoints" 1-7 and "Authentication". */
export const ENDPOINTS: EndpointRules = {
  'create-split-purchase': {
    base: 'base_url',
    verb: 'POST',
    path: '/api/v1/split/purchase',
    scheme: 'hmac',
    endpointsKey: true,
    jsonBody: true,
  },
  'create-payment': {
    base: 'base_url',
    verb: 'POST',
    path: '/api/v1/payment',
    scheme: 'hmac',
    endpointsKey: true,
    jsonBody: true,
  },
  'capture-payment': {
    base: 'base_url',
    verb: 'POST',
    path: '/api/v1/capture',
    scheme: 'plain',
    endpointsKey: true,
    jsonBody: true,
  },
  'cancel-payment': {
    base: 'base_url',
    verb: 'POST',
    path: '/api/v1/pos/{pos_id}/order/{order_id}/cancel',
    scheme: 'plain',
    endpointsKey: true,
    jsonBody: false,
  },
  'list-accounts': {
    base: 'api_url',
    verb: 'GET',
    path: '/api/v1/balances/pos/{pos_id}/accounts',
    scheme: 'plain',
    endpointsKey: false,
    jsonBody: false,
  },
  'get-account': {
    base: 'api_url',
    verb: 'GET',
    path: '/api/v1/balances/pos/{pos_id}/accounts/{account_id}',
    scheme: 'plain',
    endpointsKey: false,
    jsonBody: false,
  },
  'resend-webhook': {
    base: 'base_url',
    verb: 'GET',
    path: '/api/v1/pos/{pos_id}/orders/{order_id}/{operation}',
    scheme: 'hmac',
    endpointsKey: true,
    jsonBody: false,
  },
  ...BEYOND,
}

/** Names and HTTP statuses of "Authentication", "Events" and "Errors". */
export interface WireRules {
  authHeader: string
  keyHeader: string
  hmacSuffix: string
  checkoutRedirect: number
  webhookVerb: string
  webhookContentType: string
  unauthorized: number
  invalid: number
  callback: string
  /** "Full card data". */
  cardData: readonly string[]
}

export const WIRE: WireRules = {
  authHeader: 'x-api-auth',
  keyHeader: 'x-api-key',
  hmacSuffix: '-HMAC-SHA1',
  checkoutRedirect: 303,
  webhookVerb: 'POST',
  webhookContentType: 'application/x-www-form-urlencoded',
  unauthorized: 401,
  invalid: 400,
  callback: 'true',
  cardData: ['cc_number', 'exp_month', 'exp_year', 'card_cvv'],
}
