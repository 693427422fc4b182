import type { Command } from 'commander'
import { type CreatePaymentInput, newOrderId } from '../../index.ts'
import { amountOf, repeated } from '../terminal/option-values.ts'
import { applySettings, type Setting, setting } from '../terminal/set-values.ts'

/** The flags that describe a hosted payment. */
export interface OrderFlags {
  amount: number
  currency: string
  method?: string
  description?: string
  serverUrl?: string
  resultUrl?: string
  email?: string
  phone?: string
  set?: Setting[]
}

export type HostedOrder = Extract<CreatePaymentInput, { mode: 'hosted' }>

/** The options of a hosted payment, the same for `payment` and `link`. */
export function addOrderOptions(command: Command): Command {
  return command
    .argument('[ID]', 'your order_id; without it, a new one is made')
    .optionsGroup('The order:')
    .requiredOption('--amount <AMOUNT>', "in the currency's unit: 100.50", amountOf)
    .requiredOption('--currency <CODE>', 'ISO 4217: UAH')
    .option('--method <METHOD>', 'purchase (default), or auth, which is captured later')
    .option('--description <TEXT>', "what the customer sees (default: the order's ID)")
    .option('--email <EMAIL>', "the customer's")
    .option('--phone <PHONE>', "the customer's")
    .option('--server-url <URL>', 'where the webhooks go, on port 443 or 8443')
    .option('--result-url <URL>', 'where the customer goes after the payment')
    .option('--set <NAME=VALUE>', 'any other field: customer_lang=UK; may be repeated', repeated(setting))
}

/** The input of a hosted payment. What is wrong in it is found by the SDK, under the field's name. */
export function hostedOrder(id: string | undefined, flags: OrderFlags): HostedOrder {
  const order_id = id ?? newOrderId('cli-')
  const order: Record<string, unknown> = {
    mode: 'hosted',
    method: flags.method ?? 'purchase',
    order_id,
    amount: flags.amount,
    currency: flags.currency,
    description: flags.description ?? `Order ${order_id}`,
    order_3ds_bypass: 'supported',
    customer_email: flags.email,
    customer_phone: flags.phone,
    server_url: flags.serverUrl,
    result_url: flags.resultUrl,
  }
  const given = Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined))
  // Card data has no place in a command: whatever is set, the customer pays on the service's page.
  return { ...applySettings(given, (flags.set ?? []).map(typed)), mode: 'hosted' } as unknown as HostedOrder
}

/** The fields that are numbers; every other one is a text, a phone number too. */
const NUMBERS = ['amount', 'interval_count', 'retry_attempts', 'retry_interval_hours']

/** A setting whose value is a text, unless its field is a number or it is an object or a list. */
function typed({ path, text }: Setting): Setting {
  const isJson = NUMBERS.includes(path.at(-1) ?? '') || /^[[{]/.test(text)
  return { path, text: isJson ? text : JSON.stringify(text) }
}
