/** The top-level parameters of every operation and mode, those that are beyond the API document included. */
export const DOCUMENTED: readonly string[] = (
  'pos_id mode method amount currency description order_id order_3ds_bypass cc_number exp_month exp_year card_cvv cc_token ' +
  'customer_id customer_fname customer_lname customer_patronym customer_email customer_phone customer_ip customer_country ' +
  'customer_birthday customer_referrer customer_tax_id customer_lang server_url result_url merchant_mcc payload validation_url ' +
  'browser_fingerprint cryptogram split init_recurring order_currency charge_amount refund_amount products comment ' +
  'f_receipt_delivery account_id recurring_id operation transactionId'
).split(' ')

/** The known name that is meant by another one: misspelt, in camelCase, or without its first words (`amount`). */
export function didYouMean(name: string, known: readonly string[]): string | undefined {
  const [same] = known.filter((one) => one === name)
  const plain = words(name)
  const near = (one: string) =>
    one.endsWith(`_${plain}`) || plain.endsWith(`_${one}`)
      ? 1
      : distance(plain, words(one)) <= Math.min(3, plain.length / 3)
        ? 0
        : 2
  return (
    same ??
    [...known].sort((a, b) => near(a) - near(b) || distance(plain, a) - distance(plain, b)).find((one) => near(one) < 2)
  )
}

const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** How many letters have to be added, removed or replaced (Levenshtein). */
function distance(a: string, b: string): number {
  let row = [...Array(b.length + 1).keys()]
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + Number(a[i - 1] !== b[j - 1])
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
