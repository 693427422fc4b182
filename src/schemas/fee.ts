import { lazy } from '../lib/lazy.ts'
import { looseObject, type Schema } from './schema.ts'
import { type Currency, numberField, textField } from './values.ts'

/** A fee of the service (document, "Payment (primary operation) record"). */
export interface Fee {
  /** In the currency's unit, not in hundredths. */
  amount: number
  /** ISO 4217. */
  currency: Currency
}

export const feeSchema: () => Schema<Fee> = /* @__PURE__ */ lazy(() =>
  looseObject<Fee>({ amount: numberField(), currency: textField() }),
)
