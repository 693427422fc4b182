/** The top-level parameters of every operation and mode, those that are beyond the API document included. */
export const DOCUMENTED: readonly string[] = /* @__PURE__ */ (
  'pos_id mode method amount currency description order_id order_3ds_bypass cc_number exp_month exp_year card_cvv ' +
  'cc_token customer_id customer_fname customer_lname customer_patronym customer_email customer_phone customer_ip ' +
  'customer_country customer_birthday customer_referrer customer_tax_id customer_lang server_url result_url ' +
  'merchant_mcc payload validation_url browser_fingerprint cryptogram split init_recurring order_currency ' +
  'charge_amount refund_amount products comment f_receipt_delivery account_id recurring_id operation transactionId'
).split(' ')

/** The optional parameters of the objects in it: the required ones are there. */
export const DOCUMENTED_INSIDE: readonly string[] =
  /* @__PURE__ */
  'products retry_attempts retry_interval_hours start_date expiry_date time notification_url amount'.split(' ')

/**
 * The known name that was probably meant by an unknown name: misspelt, in camelCase, or without its first or last words
 * (`amount`, `timeout`).
 */
export function didYouMean(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name)) return name
  const plain = inSnakeCase(name)
  const limit = Math.min(3, plain.length / 3)
  let found: string | undefined
  let least = 99
  for (const one of known) {
    // A misspelt name comes before a name without its first or last words.
    const other = inSnakeCase(one)
    const steps = distance(plain, other)
    const isPart = other.endsWith(`_${plain}`) || plain.endsWith(`_${other}`) || other.startsWith(`${plain}_`)
    const rank = steps <= limit ? steps : isPart ? 9 + steps : 99
    if (rank < least) {
      least = rank
      found = one
    }
  }
  return found
}

const inSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** How many letters have to be added, removed or replaced (Levenshtein). */
function distance(a: string, b: string): number {
  let row = [...Array(b.length + 1).keys()]
  for (const letter of a) {
    let corner = row[0] as number
    let left = corner + 1
    row = row.map((above, j) => {
      if (j > 0) left = Math.min(corner + Number(letter !== b[j - 1]), above + 1, left + 1)
      corner = above
      return left
    })
  }
  return row[b.length] as number
}
