import { lazy } from '../lib/lazy.ts'
import { array, convert, looseObject, maybe, type Schema } from './schema.ts'
import { type Currency, numberField, textField } from './values.ts'

/** An account of a POS (document, "Account (balances)"). Fields that the service adds later are kept. */
export interface Account {
  /** A UUID; the merchant portal shows it under Balances. */
  id: string
  /** The account's name. */
  name: string
  /** ISO 4217. */
  currency: Currency
  /** What it holds. */
  balances: AccountBalances
}

/** What an account holds, in its currency's unit. */
export interface AccountBalances {
  /** Can be paid out. */
  available: number
  /** Held back for a time. The single-account answer names it `rollingReserve`; here it always is `rolling_reserve`. */
  rolling_reserve?: number | null
}

type Received = AccountBalances & { rollingReserve?: number | null }

export const accountSchema: () => Schema<Account> = /* @__PURE__ */ lazy(() =>
  looseObject<Account>({
    id: textField(),
    name: textField(),
    currency: textField(),
    balances: convert(
      looseObject<Received>({
        available: numberField(),
        rolling_reserve: maybe(numberField()),
        rollingReserve: maybe(numberField()),
      }),
      ({ rollingReserve, ...balances }): AccountBalances => {
        const rolling_reserve = balances.rolling_reserve ?? rollingReserve
        return rolling_reserve === undefined ? balances : { ...balances, rolling_reserve }
      },
    ),
  }),
)

export const accountListSchema: () => Schema<{ accounts: Account[] }> = /* @__PURE__ */ lazy(() =>
  looseObject({ accounts: array(accountSchema()) }),
)
