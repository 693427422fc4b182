import type { BrowserFingerprint } from '../../card/browser-fingerprint.ts'
import { ConfigError } from '../../errors.ts'
import { fromMinorUnits, toMinorUnits } from '../../helpers/amount.ts'
import type { DirectAuthInput } from '../../operations/create-payment.ts'
import type { Project, TestCard } from './project.ts'

/** The invented customer of every probe. No report shows these values. */
export const CUSTOMER = {
  ...{ customer_fname: 'Conform', customer_lname: 'Probe', customer_patronym: 'Testivna' },
  ...{ customer_email: 'conform.probe@example.com', customer_phone: '+380440000000' },
}

const FINGERPRINT: BrowserFingerprint = {
  ...{ browserColorDepth: '24', browserScreenHeight: '1080', browserScreenWidth: '1920', browserJavaEnabled: 'false' },
  ...{ browserLanguage: 'en-US', browserTimeZone: 'UTC', browserTimeZoneOffset: '0', browserAcceptHeader: 'text/html' },
  ...{ browserIpAddress: '192.0.2.7', browserUserAgent: 'edgetill' },
}

const orderOf = ({ amount, currency }: Project, order_id: string) =>
  ({ amount, currency, order_id, order_3ds_bypass: 'supported', description: 'edgetill doctor --conform' }) as const

/** A hosted purchase with every field that the API document requires. */
export const hosted = (project: Project, order_id: string) =>
  ({ mode: 'hosted', method: 'purchase', ...orderOf(project, order_id), ...CUSTOMER }) as const

export const direct = (project: Project, order_id: string): DirectAuthInput => ({
  ...{ mode: 'direct', method: 'auth', ...orderOf(project, order_id), ...(project.card as TestCard) },
  ...{ ...CUSTOMER, customer_ip: '192.0.2.7', browser_fingerprint: FINGERPRINT },
})

/** A request that moves nothing: every amount is missing. */
export const INVALID = {
  method: 'POST',
  path: '/api/v1/payment',
  body: { mode: 'hosted', method: 'purchase' },
} as const

export const doubled = (amount: number): number => fromMinorUnits(toMinorUnits(amount) * 2)

/** The texts that no report may show: the texts that every probe sends. */
export const PROBE_TEXTS: readonly string[] = [CUSTOMER.customer_email, CUSTOMER.customer_phone, '192.0.2.7']

/** Reads a test card: `4111111111111111 12/30 123`. @throws {ConfigError} without the text itself. */
export function readCard(text: string | undefined): TestCard | undefined {
  if (text === undefined) return undefined
  const match = /^\s*([\d ]{12,23}?)\s+(\d{1,2})\/(\d{2}|\d{4})\s+(\d{3,4})\s*$/.exec(text)
  if (!match) {
    const form = 'a number, an expiry date and a CVV: 4111111111111111 12/30 123'
    throw new ConfigError('EDGETILL_TEST_CARD', `EDGETILL_TEST_CARD takes ${form}.`)
  }
  const [, number = '', month, year, card_cvv = ''] = match
  return { cc_number: number.replaceAll(' ', ''), exp_month: Number(month), exp_year: Number(year), card_cvv }
}
