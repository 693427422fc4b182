import * as v from 'valibot'
import { anObject, fieldsOf, must, objectMessage, objectOf, pure, type Schema } from './fields.ts'
import type { Received, Wire } from './read.ts'
import { anything, type Currency, number, optionalNumber, optionalText, text } from './values.ts'

/** An account of a POS (API document, "Account (balances)"). Fields that the service adds later are kept. */
export interface Account extends Received {
  /** A UUID; the merchant portal shows it under Balances. */
  id: string
  /** A display name. */
  name?: string | null | undefined
  /** ISO 4217. */
  currency: Currency
  /** The balances of the account. */
  balances: AccountBalances
}

/** The balances of an account, in its currency's unit. */
export interface AccountBalances {
  /** Can be paid out. */
  available: number
  /**
   * Held back for a time. The single-account response names it `rollingReserve`; here it always is `rolling_reserve`.
   */
  rolling_reserve?: number | null | undefined
}

/** The single-account response names `rolling_reserve` differently. */
interface ReceivedBalances extends AccountBalances {
  rollingReserve?: number | null | undefined
}

const balancesSchema: Schema<AccountBalances> = /* @__PURE__ */ pure(() =>
  v.pipe(
    anObject,
    v.looseObject(
      fieldsOf<ReceivedBalances>()({
        available: number,
        rolling_reserve: optionalNumber,
        rollingReserve: optionalNumber,
      }),
      objectMessage,
    ),
    v.transform(({ rollingReserve, ...balances }): AccountBalances => {
      const rolling_reserve = balances.rolling_reserve ?? rollingReserve
      return rolling_reserve === undefined ? balances : { ...balances, rolling_reserve }
    }),
  ),
)

/** An account: `id`, `currency` and `balances` decide. */
export const accountSchema: Schema<Wire<Account>> = /* @__PURE__ */ pure(() =>
  objectOf(fieldsOf<Wire<Account>>()({ id: text, name: optionalText, currency: text, balances: balancesSchema })),
)

/** All accounts of a POS, each still to be read. */
export interface AccountList extends Received {
  accounts: readonly unknown[]
}

export const accountListSchema: Schema<Wire<AccountList>> = /* @__PURE__ */ pure(() =>
  objectOf({ accounts: v.array(anything, must('be an array')) }),
)
