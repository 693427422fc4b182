/** All that customers read, in English. */
export const english = {
  lang: 'en',
  locale: 'en-GB',
  testMode: 'Test mode: no money moves.',
  back: (shop: string): string => (shop === '' ? 'Back to the shop' : `Back to ${shop}`),
  tryAgain: 'Try again',
  refreshNow: 'Refresh now',
  contact: 'Questions?',
  /** How a currency is written, where Intl writes it in another way. */
  currencies: { UAH: 'UAH' } as Record<string, string>,

  /** An address that leads nowhere. */
  notFound: {
    title: 'Page not found',
    text: 'Please check the link that the shop sent you.',
  },
  /** The page of the goods, before they are paid. */
  landing: { title: 'Your order', pay: (amount: string): string => `Pay ${amount}` },
  /** The same page again: its button was not pressed in the browser that it was shown in, or cookies are off. */
  again: 'Press the button once more. If this page comes back, allow it to set a cookie.',

  /** A link that cannot be opened. */
  invalid: {
    title: 'This payment link is not valid',
    text: 'It may have been cut off when it was copied. Please ask the shop for a new one.',
  },
  changed: {
    title: 'This order has changed',
    text: 'Its amount was another one before. Please ask the shop which one is right.',
  },
  expired: { title: 'This payment link has expired', text: 'Nothing was charged. Please ask the shop for a new one.' },
  revoked: {
    title: 'This payment link is no longer valid',
    text: 'The shop withdrew it. Please ask the shop if you still want to pay.',
  },
  closed: {
    title: 'This order can no longer be paid',
    text: 'Nothing was charged. Please ask the shop if you still want to pay.',
  },
  unusable: {
    title: 'This order cannot be paid',
    text: 'Nothing was charged. Trying again will not help: the shop has to correct something first. Please tell them.',
  },
  /** A reusable link has reached its number of orders: in all, or in an hour. */
  full: { title: 'Sold out', text: 'Nothing was charged. Please ask the shop if you still want to pay.' },
  busy: { title: 'Too many orders at once', text: 'Nothing was charged. Please try again later, or ask the shop.' },
  opening: {
    title: 'Opening the payment page',
    text: (seconds: number): string => `This page refreshes automatically every ${seconds} seconds.`,
  },
  notOpened: {
    title: 'The payment page could not be opened',
    text: 'Try again. If you have paid already, you need not do anything.',
  },

  /** The end of a payment. */
  paid: 'Your payment was successful',
  reserved: 'Your payment is reserved',
  partlyCaptured: 'A part of the reserved amount was charged',
  released: 'The reservation of your payment was released',
  partlyRefunded: 'Your payment was partly refunded',
  refunded: 'Your payment was refunded',
  thanks: 'Thank you.',
  failed: {
    title: 'Payment failed',
    text: 'Nothing was charged.',
    askShop: 'Please go back to the shop to try again.',
  },
  cancelled: { title: 'Payment cancelled', text: 'Nothing was charged.' },
  confirming: {
    title: 'Your payment is being confirmed',
    refreshing: 'This page refreshes automatically.',
    slow: 'This takes longer than usual.',
    advice: 'You may close it: your payment is processed in any case. Please do not pay again.',
  },
  /** For a visitor who cannot show that the order is theirs. */
  neutral: { title: 'Thank you', text: 'The shop receives the result of your payment. You can close this page.' },

  /** The payment's details. */
  order: 'Order',
  purchase: 'Purchase',
  date: 'Date',
  card: 'Card',
  charged: 'Charged',
  refundedAmount: 'Refunded',
  receipt: 'Receipt',
}
