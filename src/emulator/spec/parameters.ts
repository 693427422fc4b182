import type { TypeName } from './types.ts'

export interface ParameterRule {
  type: TypeName
  required: boolean
  /** Most characters (code points) of a string, or the greatest value of an integer. */
  max?: number
}

export type ParameterTable = Record<string, ParameterRule>

export interface ParameterTables {
  directPurchase: ParameterTable
  hostedPurchase: ParameterTable
  capture: ParameterTable
  void: ParameterTable
  refund: ParameterTable
  splitCapture: ParameterTable
  splitRefund: ParameterTable
  splitEntry: ParameterTable
  fingerprint: ParameterTable
  recurring: ParameterTable
}

const yes = (type: TypeName): ParameterRule => ({ type, required: true })
const no = (type: TypeName): ParameterRule => ({ type, required: false })
const limited = (rule: ParameterRule, max: number): ParameterRule => ({ ...rule, max })

const FINGERPRINT = `browserColorDepth browserScreenHeight browserScreenWidth browserJavaEnabled browserLanguage
  browserTimeZone browserTimeZoneOffset browserAcceptHeader browserIpAddress browserUserAgent`

const PURCHASE: ParameterTable = {
  pos_id: yes('uuid'),
  method: yes('method'),
  amount: yes('amount'),
  currency: yes('currency'),
  description: limited(yes('string'), 2048),
  order_id: limited(yes('string'), 256),
  order_3ds_bypass: yes('string'),
  customer_id: no('string'),
  customer_email: yes('string'),
  customer_phone: yes('string'),
  customer_country: no('country'),
  customer_birthday: no('date'),
  customer_referrer: no('url'),
  customer_tax_id: no('string'),
  server_url: no('url'),
  result_url: no('url'),
  merchant_mcc: no('mcc'),
  payload: limited(no('text'), 4000),
  split: yes('split'),
  init_recurring: no('recurring'),
}

const SECONDARY: ParameterTable = {
  pos_id: yes('uuid'),
  order_id: limited(yes('string'), 32),
  order_currency: yes('currency'),
  comment: limited(no('text'), 2048),
  server_url: no('url'),
}

/** A credit, p2p or lookup that is made by hand: no request of the service, but what its record can hold. */
export const OTHER_PAYMENT: ParameterTable = {
  order_id: limited(yes('string'), 256),
  amount: yes('amount'),
  currency: yes('currency'),
  server_url: no('url'),
}

/**
 * The request tables. `mode` is in none of them: it chooses the table. `split` is marked as required here, as in "Split
 * purchase"; `create-payment` makes it optional. Two limits are shown for responses alone (order_id 256, description 2048);
 * a longer value is rejected, because it could not be returned.
 */
export const PARAMETERS: ParameterTables = {
  directPurchase: {
    ...PURCHASE,
    cc_number: no('string'),
    exp_month: no('month'),
    exp_year: no('year'),
    card_cvv: no('string'),
    cc_token: no('string'),
    customer_fname: yes('string'),
    customer_lname: yes('string'),
    customer_patronym: no('string'),
    customer_ip: yes('string'),
    validation_url: no('string'),
    browser_fingerprint: yes('fingerprint'),
    cryptogram: no('json'),
  },
  hostedPurchase: {
    ...PURCHASE,
    customer_patronym: yes('string'),
    customer_fname: no('string'),
    customer_lname: no('string'),
    customer_lang: no('string'),
    validation_url: no('url'),
  },
  capture: {
    pos_id: yes('uuid'),
    order_id: limited(yes('string'), 32),
    order_currency: yes('currency'),
    charge_amount: no('amount'),
    products: no('array'),
    comment: limited(no('text'), 2048),
    server_url: no('url'),
    f_receipt_delivery: no('receipt_delivery'),
  },
  // Beyond the API document: void, refund, split capture, split refund.
  void: SECONDARY,
  refund: { ...SECONDARY, refund_amount: no('amount') },
  splitCapture: { ...SECONDARY, charge_amount: yes('amount'), split: yes('split') },
  splitRefund: {
    pos_id: yes('uuid'),
    order_id: limited(yes('string'), 32),
    currency: yes('currency'),
    refund_amount: yes('amount'),
    split: yes('split'),
    comment: limited(no('text'), 2048),
    server_url: no('url'),
  },
  splitEntry: {
    amount: yes('amount'),
    sub_merchant_id: yes('uuid'),
    products: no('array'),
  },
  fingerprint: Object.fromEntries(FINGERPRINT.split(/\s+/).map((name) => [name, yes('string')])),
  recurring: {
    interval_unit: yes('interval_unit'),
    interval_count: limited(yes('integer'), 30),
    retry_attempts: limited(no('integer'), 7),
    retry_interval_hours: no('integer'),
    start_date: no('date'),
    expiry_date: no('date'),
    time: no('time'),
    notification_url: no('url'),
    amount: no('amount'),
  },
}
