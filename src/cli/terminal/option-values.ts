// Readers of the values of options; commander names the option before the message.

import { InvalidArgumentError } from 'commander'
import { LOOPBACK } from '../../config.ts'

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`It takes a whole number from ${min} to ${max}.`)
  }
}

export function webAddress(text: string): string {
  if (/^https?:\/\/./.test(text) && URL.canParse(text)) return text
  const hint =
    URL.canParse(`http://${text}`) && /[:.]/.test(text) && !text.includes('://') ? ` Did you mean http://${text}?` : ''
  throw new InvalidArgumentError(`It takes an http(s) address.${hint}`)
}

/** Whether a host, or the host of an address, is this machine: `::1`, `http://127.0.0.1:4010`. */
export function isLoopback(host: string): boolean {
  const name = URL.canParse(host) ? new URL(host).hostname : host
  return LOOPBACK.test(name.includes(':') && !name.startsWith('[') ? `[${name}]` : name)
}

export function milliseconds(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text)
  if (!match) throw new InvalidArgumentError('It takes a time like 500ms, 10s, 15m, 24h or 7d.')
  return Number(match[1]) * { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[(match[2] ?? 'ms') as 'ms']
}

export function amountOf(text: string): number {
  if (/^\d+(\.\d{1,2})?$/.test(text) && Number(text) > 0) return Number(text)
  const comma = /^\d+,\d{1,2}$/.test(text) ? ` Did you mean ${text.replace(',', '.')}?` : ''
  throw new InvalidArgumentError(`It takes a positive amount with at most 2 decimals, like 100.50.${comma}`)
}
