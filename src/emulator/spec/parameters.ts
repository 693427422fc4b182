import type { TypeName } from './types.ts'

export interface ParameterRule {
  type: TypeName
  required: boolean
  /** The maximum characters (code points) of a string, or the maximum of an integer. */
  max?: number
  /** The minimum of an integer. */
  min?: number
  /** The effect of leaving the parameter out, if that moves all that is left or decides when money moves. */
  absent?: string
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
const absent = (rule: ParameterRule, effect: string): ParameterRule => ({ ...rule, absent: effect })

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

const OF_ORDER: ParameterTable = {
  pos_id: yes('uuid'),
  order_id: limited(yes('string'), 32),
  comment: limited(no('text'), 2048),
  server_url: no('url'),
}

const SECONDARY: ParameterTable = { ...OF_ORDER, order_currency: yes('currency') }

/** A credit, p2p or lookup that is made by hand: no request of the service, but the fields of its record. */
export const OTHER_PAYMENT: ParameterTable = {
  order_id: limited(yes('string'), 256),
  amount: yes('amount'),
  currency: yes('currency'),
  server_url: no('url'),
}

/**
 * The request tables. No table has `mode`, which chooses the table. `split` is marked as required here, as in "Split
 * purchase"; `create-payment` makes it optional. Two limits are shown only for responses (order_id 256, description
 * 2048); a longer value is rejected, because it could not be returned.
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
    ...SECONDARY,
    charge_amount: absent(no('amount'), 'all that is left is captured'),
    products: no('array'),
    f_receipt_delivery: no('receipt_delivery'),
  },
  // Beyond the API document: void, refund, split capture, split refund.
  void: SECONDARY,
  refund: { ...SECONDARY, refund_amount: absent(no('amount'), 'all that is left is refunded') },
  splitCapture: { ...SECONDARY, charge_amount: yes('amount'), split: yes('split') },
  splitRefund: { ...OF_ORDER, currency: yes('currency'), refund_amount: yes('amount'), split: yes('split') },
  splitEntry: {
    amount: yes('amount'),
    sub_merchant_id: yes('uuid'),
    products: no('array'),
  },
  fingerprint: Object.fromEntries(FINGERPRINT.split(/\s+/).map((name) => [name, yes('string')])),
  recurring: {
    interval_unit: yes('interval_unit'),
    interval_count: limited({ ...yes('integer'), min: 1 }, 30),
    retry_attempts: absent(
      limited({ ...no('integer'), min: 0 }, 7),
      'a declined charge has the default number of retries',
    ),
    // The API document shows only a maximum: 0 hours, a retry at once, is not excluded.
    retry_interval_hours: absent(
      { ...no('integer'), min: 0 },
      'a declined charge is repeated after the default interval',
    ),
    start_date: absent(no('date'), 'the first charge falls one interval after the creation'),
    expiry_date: absent(no('date'), 'the charges never end'),
    time: absent(no('time'), 'each charge falls at the time of the creation'),
    notification_url: no('url'),
    amount: absent(no('amount'), 'each charge has the amount of the first payment'),
  },
}
