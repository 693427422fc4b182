import type { BrowserFingerprint } from '../card/browser-fingerprint.ts'
import { isCvv } from '../card/cvv.ts'
import { isExpiry } from '../card/expiry.ts'
import { isCardNumber } from '../card/number.ts'
import type { Issue } from '../errors.ts'
import { DESCRIPTION_LENGTH, PAYLOAD_LENGTH } from '../lib/limits.ts'
import { browserFingerprintSchema } from './browser-fingerprint.ts'
import {
  amount,
  anything,
  country,
  currency,
  date,
  freeText,
  issueAt,
  mcc,
  oneOf,
  orderId,
  text,
  textTo,
  url,
  uuid,
  wholeNumber,
} from './input.ts'
import { type Fields, leaf, optional, type Schema, strictObject } from './schema.ts'
import type { LiteralUnion } from './values.ts'

/** What every way of creating a payment takes (document, "Split purchase", request tables). */
export interface PurchaseFields {
  /** The POS; the configuration's `posId` unless given. */
  pos_id?: string | undefined
  /** Positive, in the currency's unit, at most 2 decimals. */
  amount: number
  /** ISO 4217, three capital letters. */
  currency: string
  /** 1 to 2048 characters. */
  description: string
  /** Unique per POS over all payments, failed ones included; 1 to 256 characters, at most 32 if it is to be captured. */
  order_id: string
  /** 3-D Secure option. Allowed values are not shown; `supported`, `always` and `never` are known from elsewhere. */
  order_3ds_bypass: LiteralUnion<'supported' | 'always' | 'never'>
  /** Your identifier of the customer: stable, and unique to them (document, "Direct-mode rules"). */
  customer_id?: string | undefined
  /** First name. Required by the document in direct mode, unless `customerFields: 'optional'`. */
  customer_fname?: string | undefined
  /** Last name. Required by the document in direct mode, unless `customerFields: 'optional'`. */
  customer_lname?: string | undefined
  /** Patronymic. Required by the document in hosted mode, unless `customerFields: 'optional'`. */
  customer_patronym?: string | undefined
  /** Required by the document, unless `customerFields: 'optional'`. */
  customer_email?: string | undefined
  /** Required by the document, unless `customerFields: 'optional'`. */
  customer_phone?: string | undefined
  /** ISO 3166-1 alpha-2, two capital letters. */
  customer_country?: string | undefined
  /** A real date, `yyyy-MM-dd`. */
  customer_birthday?: string | undefined
  /** The customer's tax number. */
  customer_tax_id?: string | undefined
  /** Where the webhooks go. Ports other than 443 and 8443 have to be agreed with the service's support. */
  server_url?: string | undefined
  /** Where the customer goes after the payment. */
  result_url?: string | undefined
  /** Merchant category code, four digits. */
  merchant_mcc?: string | undefined
  /** Your own data, at most 4000 characters. */
  payload?: string | undefined
  /** The service sends a preflight request there; its shape is not shown. */
  validation_url?: string | undefined
}

/** Languages of the service's checkout pages, as its mobile kits have them. */
export type CheckoutLanguage =
  | 'EN'
  | 'UK'
  | 'PL'
  | 'ES'
  | 'FR'
  | 'DE'
  | 'IT'
  | 'PT'
  | 'PT_BR'
  | 'RO'
  | 'SK'
  | 'CS'
  | 'HU'
  | 'BG'
  | 'TR'
  | 'KO'
  | 'JA'
  | 'ZH'
  | 'AR'
  | 'HE'

/** What a hosted payment takes: the customer is sent to the service's checkout page. */
export interface HostedPurchaseFields extends PurchaseFields {
  /** The customer pays on the service's page. */
  mode: 'hosted'
  /** Language of the checkout page. Supported values are not shown: the suggested ones are known from elsewhere. */
  customer_lang?: LiteralUnion<CheckoutLanguage> | undefined
}

/** What a direct payment takes. Either full card data or `cc_token`, not both. Raw card data needs PCI DSS certification. */
export interface DirectPurchaseFields extends PurchaseFields {
  /** You send card data or a token. */
  mode: 'direct'
  /** Digits only, with a right Luhn check digit. */
  cc_number?: string | undefined
  /** 1 to 12. */
  exp_month?: number | undefined
  /** Two or four digits; two are sent (assumption: the service's examples have two). */
  exp_year?: number | undefined
  /** Three or four digits. */
  card_cvv?: string | undefined
  /** From an earlier payment or the tokenization widget; wallet tokens begin with `rcr:`. */
  cc_token?: string | undefined
  /** The customer's IP address. Required by the document, unless `customerFields: 'optional'`. */
  customer_ip?: string | undefined
  /** The page that the customer came from. */
  customer_referrer?: string | undefined
  /** What 3-D Secure 2 may use; `browserFingerprint` of `edgetill/card` builds it. */
  browser_fingerprint: BrowserFingerprint
  /** Its fields are not shown: it is sent as it is. */
  cryptogram?: unknown
}

/** Makes a field required or optional: the document's own examples contradict its tables on the customer's. */
type CustomerField = (text: Schema<string>) => Schema<string | undefined>

type CustomerNames = 'customer_fname' | 'customer_lname' | 'customer_patronym' | 'customer_email' | 'customer_phone'

function commonEntries(): Fields<Omit<PurchaseFields, CustomerNames>> {
  return {
    pos_id: optional(uuid()),
    amount: amount(),
    currency: currency(),
    description: textTo(DESCRIPTION_LENGTH),
    order_id: orderId(),
    order_3ds_bypass: text(),
    customer_id: optional(text()),
    customer_country: optional(country()),
    customer_birthday: optional(date()),
    customer_tax_id: optional(text()),
    server_url: optional(url()),
    result_url: optional(url()),
    merchant_mcc: optional(mcc()),
    payload: optional(freeText(PAYLOAD_LENGTH)),
    validation_url: optional(url()),
  }
}

/** The hosted table's parameters. */
function hostedEntries(customer: CustomerField): Fields<HostedPurchaseFields> {
  const name = text()
  return {
    mode: oneOf('hosted'),
    ...commonEntries(),
    customer_fname: optional(name),
    customer_lname: optional(name),
    customer_patronym: customer(name),
    customer_email: customer(name),
    customer_phone: customer(name),
    customer_lang: optional(name),
  }
}

/** The direct table's parameters. */
function directEntries(customer: CustomerField): Fields<DirectPurchaseFields> {
  const name = text()
  return {
    mode: oneOf('direct'),
    ...commonEntries(),
    cc_number: optional(leaf('a card number of 12 to 19 digits with a right check digit', isCardNumber)),
    exp_month: optional(wholeNumber(1, 12)),
    exp_year: optional(leaf('a year of two or four digits', isYear)),
    card_cvv: optional(leaf('three or four digits', isCvv)),
    cc_token: optional(name),
    customer_fname: customer(name),
    customer_lname: customer(name),
    customer_patronym: optional(name),
    customer_email: customer(name),
    customer_phone: customer(name),
    customer_ip: customer(name),
    customer_referrer: optional(url()),
    browser_fingerprint: browserFingerprintSchema(),
    cryptogram: optional(anything()),
  }
}

/** The schemas of an operation, by mode and by whether the customer's fields are required, each built at its first use. */
export function purchaseSchemas<Input extends object>(
  more: () => Record<string, Schema<unknown>>,
): (mode: 'hosted' | 'direct', customerFields: 'required' | 'optional') => Schema<Input> {
  const built: Record<string, Schema<Input>> = {}
  return (mode, customerFields) => {
    const customer: CustomerField = customerFields === 'required' ? (name) => name : optional
    const entries = mode === 'hosted' ? hostedEntries : directEntries
    built[mode + customerFields] ??= strictObject({ ...entries(customer), ...more() } as unknown as Fields<Input>)
    return built[mode + customerFields] as Schema<Input>
  }
}

const isYear = (year: unknown) => Number.isInteger(year) && /^(20\d\d|\d\d?)$/.test(String(year))

const CARD_FIELDS = ['cc_number', 'exp_month', 'exp_year', 'card_cvv'] as const

/** Full card data or a token, not both, not half; and a card that has not expired. */
export function cardIssues(fields: DirectPurchaseFields, now: number): Issue[] {
  const hasToken = fields.cc_token !== undefined
  const rule = hasToken
    ? 'left out when cc_token is sent: either full card data or a token'
    : 'given: full card data (cc_number, exp_month, exp_year, card_cvv) or cc_token'
  const issues = CARD_FIELDS.filter((name) => (fields[name] !== undefined) === hasToken).map((name) =>
    issueAt(name, rule, fields[name]),
  )
  if (hasToken || issues.length > 0 || isExpiry(fields.exp_month, fields.exp_year, now)) return issues
  return [issueAt('exp_year', 'a month that is not over: the card has expired', fields.exp_year)]
}
