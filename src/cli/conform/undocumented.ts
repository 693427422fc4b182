import { describeStatusCode } from '../../helpers/status.ts'
import { isObject } from '../../lib/kind.ts'

/** The parts of the service's responses that are beyond the API document. */
export interface Undocumented {
  /** By path and type, never by value. */
  fields: { in: string; path: string; type: string }[]
  /** Statuses and codes that the package has no name for. */
  values: { field: 'status' | 'status_code'; value: string }[]
}

const names = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** The fields of every record of the API document, and those within them. */
const RECORD = names(
  `payment_id order_id gateway_order_id billing_order_id transaction_id operation_id pos_id mode method amount currency
  order_currency description status status_code status_description user_action_required user_action_url eci mcc
  options_3ds cc_mask cc_token cc_token_expiration customer_id customer_ip customer_fname customer_lname
  customer_patronym customer_email customer_phone customer_country customer_birthday customer_city customer_tax_id
  customer_referrer customer_lang result_url server_url created_at processed_at payload bank_short_name receipt_url
  recurring recurring.id recurring.status payway processed_amount processed_currency fee fee.amount fee.currency
  fixed_fee fixed_fee.amount fixed_fee.currency percent_fee percent_fee.amount percent_fee.currency limit_info
  limit_info.retry_after limit_info.description bank_pay bank_pay.sender_mfo bank_pay.sender_bank bank_pay.sender_iban
  bank_pay.sender_name bank_pay.sender_tax_id bank_pay.receiver_iban bank_pay.description comment order_3ds_bypass
  merchant_mcc validation_url browser_fingerprint cryptogram split split.amount split.sub_merchant_id split.products
  cc_number exp_month exp_year card_cvv`,
)

const BALANCES = 'balances balances.available balances.rolling_reserve balances.rollingReserve'
const ACCOUNT = `id name currency ${BALANCES}`.split(' ')
const KNOWN: Readonly<Record<string, ReadonlySet<string>>> = {
  listAccounts: new Set(['accounts', ...ACCOUNT.map((name) => `accounts.${name}`)]),
  getAccount: new Set(ACCOUNT),
  cancelRecurring: names('recurring_id recurring_status order_id'),
}

/** Fields whose content belongs to the merchant, or is not documented. */
const OPAQUE = names('browser_fingerprint cryptogram split.products')
const STATUSES = names('init pending success failure')

/** Adds the unknown fields and values in the JSON of a 2xx. `operation` is the called function, or `webhook`. */
export function addUndocumented({ fields, values }: Undocumented, operation: string, body: unknown): void {
  const known = KNOWN[operation] ?? RECORD
  const look = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const one of value) look(one, path)
    else if (isObject(value)) for (const [name, inner] of Object.entries(value)) field(name, inner, path)
  }
  const field = (name: string, value: unknown, path: string): void => {
    const place = path === '' ? name : `${path}.${name}`
    if (!known.has(place))
      return void add(fields, { in: operation, path: path + (path && '.') + clean(name), type: typeOf(value) })
    if (place === 'status' && typeof value === 'string' && /^\w{1,24}$/.test(value) && !STATUSES.has(value))
      add(values, { field: 'status', value })
    if (place === 'status_code' && typeof value === 'string' && /^\d{4}$/.test(value) && !describeStatusCode(value))
      add(values, { field: 'status_code', value })
    if (!OPAQUE.has(place)) look(value, place)
  }
  look(body, '')
}

/** A key can be data: an address, a number, an id. Only likely names of fields are shown. */
const clean = (name: string): string => (/^[A-Za-z][A-Za-z_]{0,39}\d{0,2}[A-Za-z_]{0,9}$/.test(name) ? name : '*')
const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

function add<T extends object>(list: T[], one: T): void {
  const text = JSON.stringify(one)
  if (list.length < 200 && !list.some((other) => JSON.stringify(other) === text)) list.push(one)
}
