export type { CheckoutOrder } from './check.ts'
export type { CheckoutLink, CheckoutLinkId, CheckoutLinkOptions } from './link.ts'
export { checkoutLinkId, createCheckoutLink, openCheckoutLink, openCheckoutLinkId } from './link.ts'
export { isMarkOf, markOf, seal, unseal } from './seal.ts'
