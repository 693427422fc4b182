/** The longest address of a receipt that is kept. */
const RECEIPT_LENGTH = 2_000

/** The receipt of an event, the last digits that its card's mask shows, and the way of payment. */
export type Paper = Record<'receipt_url' | 'last_four' | 'payway', string | null>

/** Reads an event's record. A refund's paper does not replace a payment's. */
export function paperOf({ method, receipt_url, cc_mask, payway }: Readonly<Record<string, unknown>>): Paper {
  if (method === 'refund') return { receipt_url: null, last_four: null, payway: null }
  const isAddress = typeof receipt_url === 'string' && /^https?:\/\//i.test(receipt_url) && URL.canParse(receipt_url)
  const [, last_four = null] = /\D(\d{4})$/.exec(typeof cc_mask === 'string' ? cc_mask : '') ?? []
  return {
    receipt_url: isAddress && receipt_url.length <= RECEIPT_LENGTH ? receipt_url : null,
    last_four,
    payway: typeof payway === 'string' ? payway : null,
  }
}
