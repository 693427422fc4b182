import type * as sdk from '../../src/index.ts'
import { CONFIG } from './mock-fetch.ts'

// Whole requests, with every parameter of the document's tables, and the records that answer them.

export const PAN = '4242424242424242'
export const SUB_MERCHANTS = ['5b1d0f4e-0c55-4a53-9b0e-4a6f3f1a9c01', '5b1d0f4e-0c55-4a53-9b0e-4a6f3f1a9c02'] as const

const FINGERPRINT: sdk.BrowserFingerprint = {
  browserColorDepth: '24',
  browserScreenHeight: '1080',
  browserScreenWidth: '1920',
  browserJavaEnabled: 'false',
  browserLanguage: 'uk-UA',
  browserTimeZone: 'Europe/Kyiv',
  browserTimeZoneOffset: '-120',
  browserAcceptHeader: 'text/html',
  browserIpAddress: '203.0.113.7',
  browserUserAgent: 'Mozilla/5.0',
}

const PRICE = { amount: 100.5, currency: 'UAH', description: 'Дві чашки' }
const ORDER = { ...PRICE, order_id: 'A-1', order_3ds_bypass: 'supported' }

/** The parameters that the hosted table marks as required. */
export const HOSTED: sdk.HostedPurchaseInput = {
  mode: 'hosted',
  method: 'purchase',
  ...ORDER,
  customer_patronym: 'Ivanivna',
  customer_email: 'olena@example.com',
  customer_phone: '+380441234567',
}
export const HOSTED_AUTH: sdk.HostedAuthInput = { ...HOSTED, method: 'auth' } as sdk.HostedAuthInput

/** Every optional parameter of both tables. */
const OPTIONAL = {
  customer_id: 'c-1',
  customer_country: 'UA',
  customer_birthday: '1990-02-28',
  customer_tax_id: '1234567890',
  server_url: 'https://shop.example.com/webhooks',
  result_url: 'https://shop.example.com/thanks?order=A-1',
  merchant_mcc: '5812',
  payload: '{"cart":7}',
  validation_url: 'https://shop.example.com/preflight',
}
/** And of the hosted table alone. */
const NAMES = { customer_fname: 'Olena', customer_lname: 'Bila' }
export const HOSTED_OPTIONAL = { ...OPTIONAL, ...NAMES, customer_lang: 'UK' }

/** The parameters that the direct table marks as required, with a token. */
export const TOKEN = {
  mode: 'direct',
  method: 'purchase',
  ...ORDER,
  cc_token: 'rcr:token-1',
  customer_fname: 'Olena',
  customer_lname: 'Bila',
  customer_email: 'olena@example.com',
  customer_phone: '+380441234567',
  customer_ip: '203.0.113.7',
  browser_fingerprint: FINGERPRINT,
} satisfies sdk.DirectPurchaseInput
const { cc_token: _token, ...WITHOUT_TOKEN } = TOKEN
/** The same with full card data; good until 2099, so that no test expires. */
const CARD_DATA = { cc_number: PAN, exp_month: 9, exp_year: 2099, card_cvv: '123' }
export const CARD = { ...WITHOUT_TOKEN, ...CARD_DATA } satisfies sdk.DirectPurchaseInput
export const DIRECT_AUTH = { ...CARD, method: 'auth' } satisfies sdk.DirectAuthInput
/** And every optional parameter of the direct table. */
export const DIRECT_OPTIONAL = {
  ...OPTIONAL,
  customer_patronym: 'Ivanivna',
  customer_referrer: 'https://shop.example.com/cart',
  cryptogram: { eci: '05', value: 'AAAB' },
}

const SPLIT = [
  { amount: 90.45, sub_merchant_id: SUB_MERCHANTS[0], products: [{ name: 'Cup', qty: 2 }] },
  { amount: 10.05, sub_merchant_id: SUB_MERCHANTS[1] },
]
export const HOSTED_SPLIT: sdk.HostedSplitPurchaseInput = { ...HOSTED, split: SPLIT } as sdk.HostedSplitPurchaseInput
export const DIRECT_SPLIT = { ...CARD, split: SPLIT } satisfies sdk.DirectSplitPurchaseInput

export const CAPTURE: sdk.CapturePaymentInput = { order_id: 'A-1', order_currency: 'UAH' }

/** A record as the document shows it for a direct payment that waits for 3-D Secure, with unknown values null. */
export const PAYMENT_RECORD = {
  payment_id: '6f1e5a8c-2d1b-4f0e-9a53-7c0d5a1e8b42',
  order_id: 'A-1',
  gateway_order_id: null,
  billing_order_id: null,
  transaction_id: '0b6f6a52-94a1-4c58-8d0c-2f8c1f5d7a11',
  pos_id: CONFIG.posId,
  mode: 'direct',
  method: 'purchase',
  amount: 100.5,
  currency: 'UAH',
  description: 'Дві чашки',
  status: 'pending',
  status_code: '2122',
  status_description: '3-D Secure verification is required to finish the transaction',
  user_action_required: true,
  user_action_url: 'https://pay.example.com/3ds/1',
  eci: null,
  mcc: '5812',
  options_3ds: 'supported',
  cc_mask: '424242******4242',
  cc_token: 'token-2',
  cc_token_expiration: '2028-01-01T00:00:00',
  customer_email: 'olena@example.com',
  result_url: 'https://shop.example.com/thanks',
  created_at: '2026-01-01T10:00:00.000',
  processed_at: '2026-01-01T10:00:00.250',
  payload: '{"cart":7}',
  bank_short_name: 'BANK',
  receipt_url: 'https://pay.example.com/receipt/1',
}

/** A full capture's answer: the document names its currency `order_currency`. */
export const CAPTURE_RECORD = {
  operation_id: '9d0f7a26-9f3c-4b71-8f57-0e1a3a0f6c77',
  payment_id: PAYMENT_RECORD.payment_id,
  order_id: 'A-1',
  transaction_id: PAYMENT_RECORD.transaction_id,
  pos_id: CONFIG.posId,
  mode: 'direct',
  method: 'capture',
  amount: 100.5,
  order_currency: 'UAH',
  status: 'success',
  status_code: '1000',
  status_description: 'Transaction is successful',
  created_at: '2026-01-02T10:00:00.000',
  processed_at: '2026-01-02T10:00:01.000',
  fee: null,
  comment: 'shipped',
}

// Beyond the API document.
export const REFUND: sdk.RefundPaymentInput = { order_id: 'A-1', order_currency: 'UAH' }
export const VOID: sdk.VoidPaymentInput = { order_id: 'A-1', order_currency: 'UAH' }
export const SPLIT_CAPTURE: sdk.CaptureSplitPurchaseInput = { order_id: 'A-1', order_currency: 'UAH', split: SPLIT }
const PARTS = { refund_amount: 100.5, split: SPLIT }
export const SPLIT_REFUND: sdk.RefundSplitPurchaseInput = { order_id: 'A-1', currency: 'UAH', ...PARTS }

const { order_currency, comment: _comment, ...SECONDARY } = CAPTURE_RECORD
export const REFUND_RECORD = {
  ...SECONDARY,
  operation_id: '9d0f7a26-9f3c-4b71-8f57-0e1a3a0f6c78',
  method: 'refund',
  currency: order_currency,
  status_code: '1004',
  receipt_url: 'https://pay.example.com/receipt/2',
}
export const VOID_RECORD = {
  ...SECONDARY,
  operation_id: '9d0f7a26-9f3c-4b71-8f57-0e1a3a0f6c79',
  method: 'void',
  currency: order_currency,
  status_code: '1009',
}

export const ACCOUNT_ID = 'b6f0c0de-51a7-4b27-8f0e-0b6b0f0a1c55'
