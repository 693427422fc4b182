import { lazy } from '../lib/lazy.ts'
import { looseObject, maybe, type Schema } from './schema.ts'
import { textField } from './values.ts'

/** Details of an account-to-account payment (document, "Payment (primary operation) record"). All are strings. */
export interface BankPay {
  /** Bank code of the sender's bank. */
  sender_mfo?: string | null
  sender_bank?: string | null
  sender_iban?: string | null
  sender_name?: string | null
  sender_tax_id?: string | null
  receiver_iban?: string | null
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
