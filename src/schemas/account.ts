import * as v from 'valibot'
import { lazy } from '../lib/lazy.ts'
import { type Currency, maybe, numberField, textField } from './values.ts'

/** An account of a POS (document, "Account (balances)"). Fields that the service adds later are kept. */
export interface Account {
  /** A UUID; the merchant portal shows it under Balances. */
  id: string
  name: string
  /** ISO 4217. */
  currency: Currency
  balances: AccountBalances
}

/** What an account holds, in its currency's unit. */
export interface AccountBalances {
  /** Can be paid out. */
  available: number
  /** Held back for a time. The single-account answer names it `rollingReserve`; here it always is `rolling_reserve`. */
  rolling_reserve?: number | null
}

export const accountSchema: () => v.GenericSchema<unknown, Account> = lazy(() =>
  v.looseObject({
    id: textField(),
    name: textField(),
    currency: textField(),
    balances: v.pipe(
      v.looseObject({
        available: numberField(),
        rolling_reserve: maybe(numberField()),
        rollingReserve: maybe(numberField()),
      }),
      v.transform(({ rollingReserve, ...balances }): AccountBalances => {
        const reserve = balances.rolling_reserve ?? rollingReserve
        return reserve === undefined ? (balances as AccountBalances) : { ...balances, rolling_reserve: reserve }
      }),
    ),
  }),
)

export const accountListSchema: () => v.GenericSchema<unknown, { accounts: Account[] }> = lazy(() =>
  v.looseObject({ accounts: v.array(accountSchema()) }),
)
