import { lazy } from '../lib/lazy.ts'
import { looseObject, maybe, type Schema } from './schema.ts'
import { textField } from './values.ts'

/** Details of an account-to-account payment (document, "Payment (primary operation) record"). All are strings. */
export interface BankPay {
  /** Bank code of the sender's bank. */
  sender_mfo?: string | null
  /** Name of the sender's bank. */
  sender_bank?: string | null
  /** The sender's account. */
  sender_iban?: string | null
  /** The sender. */
  sender_name?: string | null
  /** The sender's tax number. */
  sender_tax_id?: string | null
  /** The receiver's account. */
  receiver_iban?: string | null
  /** Purpose of the payment. */
  description?: string | null
}

export const bankPaySchema: () => Schema<BankPay> = /* @__PURE__ */ lazy(() => {
  const text = maybe(textField())
  return looseObject<BankPay>({
    sender_mfo: text,
    sender_bank: text,
    sender_iban: text,
    sender_name: text,
    sender_tax_id: text,
    receiver_iban: text,
    description: text,
  })
})
