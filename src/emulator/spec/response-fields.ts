/** Which fields each response and each webhook contains, in the API document's order. */
export interface ResponseRules {
  /** "Split purchase": the record and the echo of the request, card data included. */
  splitPurchase: readonly string[]
  /** "Create payment", 2: the record of a direct payment. */
  payment: readonly string[]
  /** "Cancel": the fields of the one record in the array. */
  cancel: readonly string[]
  /** "Payment record" and "Cancel": customer data, null if the request had none. */
  cancelCustomer: readonly string[]
  /** "Capture a reserve": without the currency, whose name depends on the variant. */
  capture: readonly string[]
  /** Void, refund, split capture and split refund: the secondary operation record. Beyond the API document. */
  operation: readonly string[]
  fullCaptureCurrency: string
  partialCaptureCurrency: string
  account: readonly string[]
  listedReserve: string
  singleReserve: string
}

const words = (text: string): readonly string[] => text.split(/\s+/)

const STATUS = words('status status_code status_description user_action_required user_action_url')
const CARD = words('eci mcc options_3ds cc_mask cc_token cc_token_expiration')
const IDS = words('payment_id gateway_order_id billing_order_id transaction_id')

const CAPTURE = words(`operation_id payment_id order_id transaction_id pos_id mode method amount status status_code
      status_description created_at processed_at fee comment`)

const PAYMENT = [
  ...words(`payment_id order_id gateway_order_id billing_order_id transaction_id pos_id mode method amount
      currency description`),
  ...STATUS,
  ...CARD,
  ...words('result_url created_at processed_at payload bank_short_name receipt_url'),
]

/** Fields that begin with `customer_` are added as the request had them: the tables say "customer fields". */
export const RESPONSES: ResponseRules = {
  splitPurchase: [
    ...words(`pos_id mode method amount currency description order_id order_3ds_bypass cc_number exp_month
      exp_year card_cvv server_url result_url merchant_mcc payload validation_url browser_fingerprint
      split receipt_url`),
    ...IDS,
    ...STATUS,
    ...CARD,
    ...words('created_at processed_at bank_short_name'),
  ],
  payment: PAYMENT,
  cancel: PAYMENT.filter((name) => name !== 'bank_short_name'),
  cancelCustomer: words(`customer_id customer_ip customer_fname customer_lname customer_patronym customer_email
      customer_phone customer_country customer_birthday customer_city`),
  capture: CAPTURE,
  operation: [...CAPTURE, 'currency'],
  fullCaptureCurrency: 'order_currency',
  partialCaptureCurrency: 'currency',
  account: words('id name currency balances'),
  listedReserve: 'rolling_reserve',
  singleReserve: 'rollingReserve',
}

/**
 * The parameters of each kind of webhook ("Events"): required ones are always there, optional ones when they have a
 * value.
 */
export interface WebhookRules {
  primary: { required: readonly string[]; optional: readonly string[] }
  secondaryRequired: readonly string[]
  secondaryOptional: readonly string[]
  capture: readonly string[]
  void: readonly string[]
  auth_increment: readonly string[]
  refund: readonly string[]
  /** The methods whose primary webhook can hold `receipt_url`. */
  receiptMethods: readonly string[]
}

export const WEBHOOKS: WebhookRules = {
  primary: {
    required: words('payment_id order_id pos_id mode method amount currency status created_at'),
    optional: words(`gateway_order_id billing_order_id transaction_id payway eci status_code limit_info
      status_description cc_mask cc_token cc_token_expiration customer_id customer_phone fee fixed_fee
      percent_fee processed_at payload receipt_url bank_pay processed_amount processed_currency`),
  },
  secondaryRequired: words('operation_id payment_id order_id pos_id mode method amount currency status created_at'),
  secondaryOptional: words('transaction_id status_code status_description fee processed_at'),
  capture: ['limit_info'],
  void: [],
  auth_increment: ['limit_info'],
  refund: ['receipt_url'],
  receiptMethods: ['purchase', 'auth', 'credit'],
}
