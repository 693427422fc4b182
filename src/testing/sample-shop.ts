import type { Credentials } from '../emulator/index.ts'

/** The order that a test shop sells: the base of `createTestShop`, of the demo, of `npm run dev` and of the tests. */
export const SALE = {
  mode: 'hosted',
  method: 'purchase',
  amount: 100.5,
  currency: 'UAH',
  description: 'Two mugs',
  order_3ds_bypass: 'supported',
  customer_patronym: 'Ivanivna',
  customer_email: 'olena@example.com',
  customer_phone: '+380441234567',
} as const

/** The variables and secrets of a worker that uses an emulator. */
export const bindingsOf = (
  credentials: Credentials,
): Record<
  | ('BASE_URL' | 'API_URL' | 'POS_ID' | 'SCHEME' | 'AUTHENTICATION')
  | ('API_KEY' | 'API_SECRET' | 'ENDPOINTS_KEY' | 'LINK_SECRET' | 'ADMIN_TOKEN'),
  string
> => ({
  BASE_URL: credentials.baseUrl,
  API_URL: credentials.apiUrl,
  POS_ID: credentials.posId,
  SCHEME: credentials.scheme,
  AUTHENTICATION: 'per-endpoint',
  API_KEY: credentials.apiKey,
  API_SECRET: credentials.apiSecret,
  ENDPOINTS_KEY: credentials.endpointsKey,
  LINK_SECRET: 'link-secret-of-the-tests-32-characters',
  ADMIN_TOKEN: 'admin-token-of-the-tests-32-characters',
})
