import type { Ids } from './random.ts'

/**
 * An account of the emulated merchant at the start (API document, "Account (balances)"). Amounts in units of the
 * currency.
 */
export interface AccountOption {
  name: string
  /** ISO 4217. */
  currency: string
  available: number
  rolling_reserve: number
}

/** An account of the merchant. Amounts in minor units (hundredths), so that sums stay exact. */
export interface Account extends AccountOption {
  id: string
}

export function toMinor(amount: number): number {
  return Math.round(amount * 100)
}

export function toUnits(minor: number): number {
  return minor / 100
}

export function openAccounts(options: readonly AccountOption[], ids: Ids): Account[] {
  return options.map(({ name, currency, available, rolling_reserve }) => ({
    id: ids.uuid(),
    name,
    currency,
    available: toMinor(available),
    rolling_reserve: toMinor(rolling_reserve),
  }))
}

/** Adds `minor` units, which may be negative, to the balance in `currency`, and opens the account if need be. */
export function book(accounts: Account[], ids: Ids, currency: string, minor: number): void {
  let account = accounts.find((candidate) => candidate.currency === currency)
  if (account === undefined) {
    account = { id: ids.uuid(), name: `Emulator ${currency}`, currency, available: 0, rolling_reserve: 0 }
    accounts.push(account)
  }
  account.available += minor
}
