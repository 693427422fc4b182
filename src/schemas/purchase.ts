import * as v from 'valibot'
import type { BrowserFingerprint } from '../card/browser-fingerprint.ts'
import { isCvv } from '../card/cvv.ts'
import { isExpiry } from '../card/expiry.ts'
import { isCardNumber } from '../card/number.ts'
import type { Issue } from '../errors.ts'
import { DESCRIPTION_LENGTH, PAYLOAD_LENGTH } from '../lib/limits.ts'
import { type Entries, fieldsOf, inputObject, must, pure, type Schema } from './fields.ts'
import {
  amount,
  country,
  currency,
  date,
  issueAt,
  mcc,
  nonEmptyText,
  oneOf,
  orderId,
  pattern,
  textThat,
  textUpTo,
  url,
  uuid,
  wholeNumber,
} from './input.ts'
import { anything, type LiteralUnion, text } from './values.ts'

/** The fields that every way of creating a payment takes (API document, "Split purchase", request tables). */
export interface PurchaseFields {
  /** The POS; the configuration's `posId` unless given. */
  pos_id?: string | undefined
  /** Positive, in the currency's unit, at most 2 decimals. */
  amount: number
  /** ISO 4217, three capital letters. */
  currency: string
  /** 1 to 2048 characters. */
  description: string
  /**
   * Unique per POS over all payments, failed ones included; 1 to 256 characters. An `auth` takes at most 32: a capture
   * takes no more.
   */
  order_id: string
  /** 3-D Secure option. Allowed values are not shown; `supported`, `always` and `never` are known from elsewhere. */
  order_3ds_bypass: LiteralUnion<'supported' | 'always' | 'never'>
  /** Your identifier of the customer: stable, and unique to them (API document, "Direct-mode rules"). */
  customer_id?: string | undefined
  /** First name. The API document requires it in direct mode; see `customerFields`. */
  customer_fname?: string | undefined
  /** Last name. The API document requires it in direct mode; see `customerFields`. */
  customer_lname?: string | undefined
  /** Patronymic. The API document requires it in hosted mode; see `customerFields`. */
  customer_patronym?: string | undefined
  /** The API document requires it; see `customerFields`. */
  customer_email?: string | undefined
  /** The API document requires it; see `customerFields`. */
  customer_phone?: string | undefined
  /** ISO 3166-1 alpha-2, two capital letters. */
  customer_country?: string | undefined
  /** A real date, `yyyy-MM-dd`. */
  customer_birthday?: string | undefined
  /** The customer's tax number. */
  customer_tax_id?: string | undefined
  /**
   * The address that receives the webhooks. Ports other than 443 and 8443 have to be agreed with the service's support.
   */
  server_url?: string | undefined
  /** The address that the customer is sent to after the payment. */
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

/** The fields of a hosted payment: the customer is sent to the service's checkout page. */
export interface HostedPurchaseFields extends PurchaseFields {
  /** The customer pays on the service's page. */
  mode: 'hosted'
  /** Language of the checkout page. Supported values are not shown: the suggested ones are known from elsewhere. */
  customer_lang?: LiteralUnion<CheckoutLanguage> | undefined
}

/**
 * The fields of a direct payment. Either full card data or `cc_token`, not both. Raw card data needs PCI DSS
 * certification.
 */
export interface DirectPurchaseFields extends PurchaseFields {
  /** You send card data or a token. */
  mode: 'direct'
  /** Digits only, with a correct Luhn check digit. */
  cc_number?: string | undefined
  /** 1 to 12. */
  exp_month?: number | undefined
  /** Two or four digits; two are sent (assumption: the service's examples have two). */
  exp_year?: number | undefined
  /**
   * Three or four digits. May be left out with `cryptogram` (assumption: a network token has no CVV). The API
   * document's rule names no such exception, and the emulator rejects it.
   */
  card_cvv?: string | undefined
  /** From an earlier payment or the tokenization widget; wallet tokens begin with `rcr:`. */
  cc_token?: string | undefined
  /** The customer's IP address. The API document requires it; see `customerFields`. */
  customer_ip?: string | undefined
  /** The page that the customer came from. */
  customer_referrer?: string | undefined
  /** The browser's values for 3-D Secure 2; `browserFingerprint` of `edgetill/card` builds it. */
  browser_fingerprint: BrowserFingerprint
  /** Its fields are not shown: it is sent as it is. */
  cryptogram?: unknown
}

/** Full card data or a token: neither, or both, does not compile. */
export type CardOrToken =
  | { cc_number: string; exp_month: number; exp_year: number; cc_token?: undefined }
  | { cc_token: string; cc_number?: undefined; exp_month?: undefined; exp_year?: undefined; card_cvv?: undefined }

/** The fingerprint of the customer's browser: all ten fields are required. */
export const browserFingerprintSchema: Schema<BrowserFingerprint> = /* @__PURE__ */ pure(() =>
  inputObject(
    fieldsOf<BrowserFingerprint>()({
      browserColorDepth: text,
      browserScreenHeight: text,
      browserScreenWidth: text,
      browserJavaEnabled: text,
      browserLanguage: text,
      browserTimeZone: text,
      browserTimeZoneOffset: text,
      browserAcceptHeader: text,
      browserIpAddress: text,
      browserUserAgent: text,
    }),
  ),
)

const commonFields = /* @__PURE__ */ pure(() => ({
  pos_id: v.optional(uuid),
  amount,
  currency,
  description: textUpTo(DESCRIPTION_LENGTH, 1),
  order_id: orderId(),
  order_3ds_bypass: pattern(/./s, 'be a non-empty string such as supported, always or never'),
  customer_id: v.optional(nonEmptyText),
  customer_country: v.optional(country),
  customer_birthday: v.optional(date),
  customer_tax_id: v.optional(nonEmptyText),
  server_url: v.optional(url),
  result_url: v.optional(url),
  merchant_mcc: v.optional(mcc),
  payload: v.optional(textUpTo(PAYLOAD_LENGTH)),
  validation_url: v.optional(url),
}))

const customerFields = /* @__PURE__ */ pure(() => ({
  customer_fname: v.optional(nonEmptyText),
  customer_lname: v.optional(nonEmptyText),
  customer_patronym: v.optional(nonEmptyText),
  customer_email: v.optional(nonEmptyText),
  customer_phone: v.optional(nonEmptyText),
}))

/** The hosted table's parameters. */
export const hostedFields: Entries<HostedPurchaseFields> = /* @__PURE__ */ pure(() =>
  fieldsOf<HostedPurchaseFields>()({
    mode: oneOf(['hosted']),
    ...commonFields,
    ...customerFields,
    customer_lang: v.optional(nonEmptyText),
  }),
)

const isYear = (year: unknown) => Number.isInteger(year) && /^(20\d\d|\d\d?)$/.test(String(year))

/** The direct table's parameters. */
export const directFields: Entries<DirectPurchaseFields> = /* @__PURE__ */ pure(() => {
  return fieldsOf<DirectPurchaseFields>()({
    mode: oneOf(['direct']),
    ...commonFields,
    cc_number: v.optional(textThat(isCardNumber, 'be a card number of 12 to 19 digits with a correct check digit')),
    exp_month: v.optional(wholeNumber(1, 12)),
    exp_year: v.optional(v.custom<number>(isYear, must('be a year of two or four digits'))),
    card_cvv: v.optional(textThat(isCvv, 'be three or four digits')),
    cc_token: v.optional(nonEmptyText),
    ...customerFields,
    customer_ip: v.optional(nonEmptyText),
    customer_referrer: v.optional(url),
    browser_fingerprint: browserFingerprintSchema,
    cryptogram: v.optional(anything),
  })
})

const CARD_FIELDS = ['cc_number', 'exp_month', 'exp_year', 'card_cvv'] as const

/** Full card data or a token, not both, not half; and a card that has not expired. */
export function cardIssues(fields: DirectPurchaseFields, now: number): Issue[] {
  const hasToken = fields.cc_token !== undefined
  const message = hasToken ? 'must be left out when cc_token is sent' : 'is required: send all card data or cc_token'
  const issues = CARD_FIELDS.filter((name) => {
    // A network token has a cryptogram in place of a CVV (assumption).
    if (name === 'card_cvv' && !hasToken && fields.cryptogram !== undefined) return false
    return (fields[name] !== undefined) === hasToken
  }).map((name) => issueAt(name, message, fields[name]))
  if (hasToken || issues.length > 0 || isExpiry(fields.exp_month, fields.exp_year, now)) return issues
  return [issueAt('exp_year', 'the card has expired', fields.exp_year)]
}

/** The customer's fields that the API document's tables require. Its own examples omit them. */
const CUSTOMER_FIELDS = {
  hosted: ['customer_patronym', 'customer_email', 'customer_phone'],
  direct: ['customer_fname', 'customer_lname', 'customer_email', 'customer_phone', 'customer_ip'],
} as const

/** Which of the customer's fields are missing, by the API document's table for the mode. */
export function missingCustomerFields(fields: HostedPurchaseFields | DirectPurchaseFields): string[] {
  const given: object = fields
  return CUSTOMER_FIELDS[fields.mode].filter((name) => (given as Record<string, unknown>)[name] === undefined)
}
