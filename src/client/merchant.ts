import { ConfigError } from '../errors.ts'

/** The property of a client that names its merchant and service and checks an input: a store serves only one. */
export const MERCHANT: unique symbol = /* @__PURE__ */ Symbol.for('edgetill.merchant')

/** The POS and the address of every call of a client. */
export interface Merchant {
  readonly posId: string
  readonly baseUrl: string
  /** Checks a call's input as the call does, and sends nothing. @throws {InvalidInputError} as the call would. */
  check(name: string, input: object): Promise<void>
}

/** @throws {ConfigError} for an object that `createClient` did not make. */
export function merchantOf(client: object): Merchant {
  const { [MERCHANT]: merchant } = client as { [MERCHANT]?: Merchant }
  if (merchant) return merchant
  throw new ConfigError('client', 'client must be what createClient returns, or a copy of it.')
}
