import { newOrderId } from '../../helpers/order-id.ts'
import type { CreatePaymentInput } from '../../operations/create-payment.ts'
import { amountOf } from '../terminal/option-values.ts'
import { applySettings, type Setting, setting } from '../terminal/set-values.ts'
import { completed, type Flags, group, option, repeated, required } from '../terminal/verb.ts'

export const NEW_ORDER = { name: '[ID]', says: 'your order_id; without it, a new one is made' } as const

/** The options of a hosted payment, the same for `payment` and `link`. */
export const ORDER_OPTIONS = group('The order:', {
  amount: required(option('<AMOUNT>', "in the currency's unit: 100.50", amountOf)),
  currency: required(option('<CODE>', 'ISO 4217: UAH')),
  method: completed(['purchase', 'auth'], option('<METHOD>', 'purchase (default), or auth, which is captured later')),
  description: option('<TEXT>', "what the customer sees (default: the order's ID)"),
  email: option('<EMAIL>', "the customer's"),
  phone: option('<PHONE>', "the customer's"),
  serverUrl: option('<URL>', 'where the webhooks go, on port 443 or 8443'),
  resultUrl: option('<URL>', 'where the customer goes after the payment'),
  set: repeated('<NAME=VALUE>', 'any other field: customer_lang=UK; may be repeated', setting),
})

export type HostedOrder = Extract<CreatePaymentInput, { mode: 'hosted' }>

/** The input of a hosted payment. The SDK finds its mistakes, under the field's name. */
export function hostedOrder(id: string | undefined, flags: Flags<typeof ORDER_OPTIONS>): HostedOrder {
  const order_id = id ?? newOrderId('cli-')
  const { amount, currency, method = 'purchase', description = `Order ${order_id}` } = flags
  const { email: customer_email, phone: customer_phone, serverUrl: server_url, resultUrl: result_url } = flags
  const order = {
    ...{ mode: 'hosted', method, order_id, amount, currency, description, order_3ds_bypass: 'supported' },
    ...{ customer_email, customer_phone, server_url, result_url },
  }
  const fields = Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined))
  // Card data has no place in a command: the customer always pays on the service's page.
  return { ...applySettings(fields, (flags.set ?? []).map(typed)), mode: 'hosted' } as unknown as HostedOrder
}

/** The fields that are numbers; every other field is a text, a phone number too. */
const NUMBERS = ['amount', 'interval_count', 'retry_attempts', 'retry_interval_hours']

/** A setting whose value is a text, unless its field is a number or it is an object or a list. */
function typed({ path, text }: Setting): Setting {
  const isJson = NUMBERS.includes(path.at(-1) ?? '') || /^[[{]/.test(text)
  return { path, text: isJson ? text : JSON.stringify(text) }
}
