import Stripe from 'stripe'
import { TOKEN } from '../../test/support/inputs.ts'
import { type Caller, STRIPE } from './call-callers.ts'

/** The peers' callers on this runtime. */
export const peersFor = (port: number, onNode: boolean): Caller[] => [
  ...stripeCallers(STRIPE, port, Stripe.createFetchHttpClient()),
  ...(onNode ? stripeCallers('stripe, its default client (node:http)', port) : []),
]

function stripeCallers(
  name: string,
  port: number,
  httpClient?: ReturnType<typeof Stripe.createFetchHttpClient>,
): Caller[] {
  const stripe = new Stripe('key', {
    host: '127.0.0.1',
    port,
    protocol: 'http',
    ...(httpClient && { httpClient }),
    maxNetworkRetries: 0,
    telemetry: false,
  })
  return [
    {
      operation: 'capturePayment',
      name,
      call: () => stripe.paymentIntents.capture('pi_1', { amount_to_capture: 6050 }),
    },
    // The same payment for stripe, in about as many bytes.
    {
      operation: 'createPayment',
      name,
      call: () =>
        stripe.paymentIntents.create({
          amount: 6050,
          currency: 'uah',
          confirm: true,
          description: TOKEN.description,
          payment_method: 'pm_7f8a0c2e5d1b4a6f9e3c0123',
          receipt_email: String(TOKEN.customer_email),
          return_url: 'https://shop.example.com/thanks',
          shipping: {
            name: 'Olena Kovalenko',
            phone: String(TOKEN.customer_phone),
            address: { line1: 'Khreshchatyk 1', city: 'Kyiv', country: 'UA', postal_code: '01001' },
          },
          mandate_data: {
            customer_acceptance: {
              type: 'online',
              online: { ip_address: String(TOKEN.customer_ip), user_agent: TOKEN.browser_fingerprint.browserUserAgent },
            },
          },
          metadata: { order_id: TOKEN.order_id },
        }),
    },
  ]
}
