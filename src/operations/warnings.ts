// Warnings about inputs that are legal, but probably mistakes.

import { LOOPBACK, type ResolvedConfig } from '../config.ts'
import { warn } from '../hooks.ts'
import { hundredths } from '../lib/decimal.ts'
import type { Split } from '../schemas/split.ts'

/** Passes to `onWarning` a webhook address on a port that the service calls only after its support agreed. */
export function warnAboutPort(
  config: ResolvedConfig,
  operation: string,
  path: string,
  address: string | undefined,
): void {
  if (address === undefined) return
  const { protocol, port, hostname } = new URL(address)
  // An emulator beside the shop calls any port.
  if (LOOPBACK.test(hostname) && LOOPBACK.test(new URL(config.baseUrl).hostname)) return
  const used = port || (protocol === 'https:' ? '443' : '80')
  if (/^8?443$/.test(used)) return
  warn(config, {
    operation,
    code: 'unusual_webhook_port',
    path,
    message: `${path} is on port ${used}: the service calls 443 and 8443 only, unless its support agreed to another.`,
  })
}

/** Passes split amounts that do not add up to the sent amount to `onWarning`. */
export function warnAboutSplitSum(
  config: ResolvedConfig,
  operation: string,
  split: readonly Split[],
  field: string,
  amount: number | undefined,
): void {
  if (amount === undefined) return
  const sum = split.reduce((total, entry) => total + hundredths(entry.amount), 0)
  if (sum === hundredths(amount)) return
  warn(config, {
    operation,
    code: 'split_sum',
    path: 'split',
    message:
      `The split amounts add up to ${sum / 100}, and ${field} is ${amount}: the API document does not say ` +
      'whether they may differ.',
  })
}
