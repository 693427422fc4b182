import type { ClientConfig } from '../../../config.ts'
import { type Finding, failed, ok, skipped, warning } from './finding.ts'
import type { Probe, Probes } from './probe.ts'

type Authentication = NonNullable<ClientConfig['authentication']>

/** Judges the addresses, the clock, the authentication and the credentials by the calls: pure. */
export function judge(probes: Probes, configured: Authentication): Finding[] {
  const { hmac, plain, list, balances, dates } = probes
  return [
    reachable('base_url', 'EDGETILL_BASE_URL', [hmac, plain, list]),
    balances
      ? reachable('api_url', 'EDGETILL_API_URL', [balances])
      : skipped('api_url', 'EDGETILL_API_URL is not set: balances and recurring-cancel need it'),
    clock(dates),
    authentication(probes, configured),
    ...credentials(probes),
  ]
}

function reachable(check: string, variable: string, probes: Probe[]): Finding {
  if (probes.some(({ verdict }) => verdict !== 'unknown')) return ok(check, 'reachable')
  const [{ why = '', unreachable, status } = { why: '' } as Probe] = probes
  const isBusy = status === 429 || (status !== undefined && status >= 500)
  const fix = unreachable
    ? `Check ${variable}, the network, DNS and a proxy or firewall on the way.`
    : isBusy
      ? 'The service has a problem or limits its use: try again later.'
      : `Is ${variable} the address of the API document, without /api/v1?`
  return failed(check, why, fix)
}

const MAX_SKEW_MS = 60_000

function clock(dates: Probes['dates']): Finding {
  const [first, ...more] = dates.map(({ service, here }) => here - service)
  if (first === undefined) return skipped('clock', 'no response has a Date header to compare with')
  const skew = more.reduce((least, one) => (Math.abs(one) < Math.abs(least) ? one : least), first)
  if (Math.abs(skew) < MAX_SKEW_MS) return ok('clock', 'agrees with the Date header of the service')
  const seconds = Math.round(Math.abs(skew) / 1000)
  return failed(
    'clock',
    `this machine is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} the service`,
    "Set this machine's clock (NTP): certificates, expiry dates and the look-up of unknown outcomes depend on it.",
  )
}

const SET = (kind: Authentication) => `Set EDGETILL_AUTHENTICATION=${kind} (authentication: '${kind}' in the SDK).`

function authentication({ hmac, plain, list }: Probes, configured: Authentication): Finding {
  const check = 'authentication'
  const plainIsTaken = plain.verdict === 'accepted'
  if (hmac.verdict === 'accepted') {
    if (plainIsTaken) return ok(check, `the service takes both HMAC and plain; ${configured} is configured`)
    if (plain.verdict === 'unknown') return ok(check, `the service takes HMAC; ${configured} is configured`)
    if (configured === 'per-endpoint') return ok(check, 'the service takes per-endpoint (HMAC), as configured')
    return failed(check, 'the service requires HMAC where the API document says so', SET('per-endpoint'))
  }
  if (plainIsTaken && hmac.verdict === 'rejected') {
    if (configured === 'plain') return ok(check, 'the service takes plain on every call, as configured')
    return failed(check, 'the service does not take the HMAC signature, only plain', SET('plain'))
  }
  if ([hmac, plain].some(({ verdict }) => verdict === 'unknown')) {
    return warning(check, 'could not be determined', 'Correct the failures above, and run edgetill doctor again.')
  }
  if (list.verdict === 'accepted') {
    return failed(check, 'plain is accepted, but the call that re-sends a webhook accepts neither scheme', SET('plain'))
  }
  return failed(check, 'the service takes neither HMAC nor plain with these credentials', 'See the credentials below.')
}

/** The endpoints key is in every call but the balances': so it can be checked separately. */
function credentials({ hmac, plain, list, balances }: Probes): Finding[] {
  const keyed = [hmac, plain, list]
  const [key, pair] = ['endpoints_key', 'api_key, api_secret and pos_id']
  const portal = 'Compare them with the merchant portal: the test and the live project have different ones.'
  if (keyed.some(({ verdict }) => verdict === 'accepted')) {
    const accepted = [ok(pair, 'accepted'), ok(key, 'accepted')]
    if (balances?.verdict !== 'rejected') return accepted
    const fix = 'Is EDGETILL_API_URL of the same project as EDGETILL_BASE_URL?'
    return [...accepted, failed('balances', `rejected. ${reasonOf(balances)}`, fix)]
  }
  const rejected = keyed.find(({ verdict }) => verdict === 'rejected')
  if (balances?.verdict === 'accepted') {
    if (!rejected) return [ok(pair, 'accepted'), skipped(key, 'could not be determined')]
    const fix = 'Set EDGETILL_ENDPOINTS_KEY to the endpoints key of this project; the merchant portal shows it.'
    return [ok(pair, 'accepted'), failed(key, `not accepted. ${reasonOf(rejected)}`, fix)]
  }
  if (!rejected && balances?.verdict !== 'rejected') {
    return [skipped(pair, 'could not be determined'), skipped(key, 'could not be determined')]
  }
  const reason = reasonOf(balances?.verdict === 'rejected' ? balances : (rejected ?? {}))
  if (balances?.verdict === 'rejected') {
    const fix = `${portal} EDGETILL_SCHEME has to be the service's own word.`
    return [
      failed(pair, `one of them, or the scheme, is not accepted. ${reason}`, fix),
      skipped(key, 'cannot be checked before the others are right'),
    ]
  }
  const fix = `${portal} With EDGETILL_API_URL, doctor can check the endpoints key separately.`
  return [
    failed(pair, `one of them, the scheme or the endpoints key is not accepted. ${reason}`, fix),
    skipped(key, 'cannot be checked separately without EDGETILL_API_URL'),
  ]
}

const reasonOf = ({ why }: { why?: string }): string => (why ? `The service's reason: ${why}` : '')
