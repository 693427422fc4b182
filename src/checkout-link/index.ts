export type { CheckoutOrder } from './check.ts'
export type { CheckoutLink, CheckoutLinkOptions } from './link.ts'
export { checkoutLinkId, createCheckoutLink, openCheckoutLink } from './link.ts'
