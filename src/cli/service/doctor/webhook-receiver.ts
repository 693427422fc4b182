import type { Fetch } from '../../../config.ts'
import { causeOf } from '../outcome.ts'
import { type Finding, failed, ok } from './finding.ts'

const CHECK = 'webhook receiver'
const GUIDE = 'guides/receivers.md'
const TIMEOUT_MS = 10_000

/** The responses of this package's receivers to a form without its fields, and to a wrong signature. */
const OWN: Readonly<Record<number, string>> = { 400: 'Bad request', 401: 'Unauthorized' }

/** Posts an unsigned form as the service posts a signed one, and expects the 400 or 401 of edgetill's receiver. */
export async function checkWebhookReceiver(
  url: string,
  send: Fetch = globalThis.fetch,
  signal?: AbortSignal,
  also: Readonly<Record<number, string>> = {},
  timeoutMs = TIMEOUT_MS,
): Promise<Finding> {
  try {
    const response = await send(url, {
      method: 'POST',
      // No Origin, as the service's: a framework's cross-site check rejects it.
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'edgetill-doctor' },
      body: 'data=e30&signature=edgetill-doctor-unsigned-form',
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
    })
    return judgeReceiver(response, (await response.text()).slice(0, 64 * 1024), { ...OWN, ...also })
  } catch (error) {
    const why = `no response from this machine (${causeOf(error)})`
    return failed(CHECK, why, 'Is the receiver running, and does a firewall or its certificate stop it?')
  }
}

const LOGIN = `Exempt this path from authentication: ${GUIDE}, "A login, a proxy, a redirect".`
const PATH = `Compare the path with the route of the receiver, its prefix and a final "/": ${GUIDE}.`
const PARSER = [': a body parser before the receiver rejects it', `Mount the receiver before it: ${GUIDE}.`] as const

/** The meaning of a status without a better explanation, and its fix. */
const STATUSES: Readonly<Record<number, readonly [why: string, fix: string]>> = {
  401: [': it asks for a login', LOGIN],
  403: [
    ': something before the receiver rejects it',
    `A firewall, or a framework's CSRF check: ${GUIDE} has SvelteKit, Astro, and a proxy.`,
  ],
  404: [': there is nothing at this path', PATH],
  405: [': the path does not take POST', PATH],
  ...{ 413: PARSER, 415: PARSER },
  500: [
    ': a mistake in the receiver, such as a missing secret or a body that was read',
    `Its log names the mistake; ${GUIDE} has the recipe of your framework.`,
  ],
}

function judgeReceiver({ status, headers }: Response, text: string, own: typeof OWN): Finding {
  const observed = `responded ${status} to an unsigned form`
  const isPage = /html/i.test(headers.get('content-type') ?? '')
  if (own[status] !== undefined && text === own[status]) return ok(CHECK, `${observed}, as edgetill's receiver does`)
  if (status >= 300 && status < 400) return redirected(`${observed}, a redirect`, headers.get('location') ?? '')
  if (status === 403 && /cross-?site|csrf|forgery/i.test(text)) return framework(observed, text)
  const proxy = proxyOf(headers, text)
  if ([401, 403, 407, 429, 502, 503, 504].includes(status) && proxy !== undefined) {
    const fix = `Let POST requests of 35.187.74.148 to this path pass ${proxy}.`
    return failed(CHECK, `${observed}; it is ${proxy} that responded`, fix)
  }
  const isLogin = isPage && /type=["']?password|sign[ -]?in|log[ -]?in/i.test(text)
  const known = STATUSES[isLogin ? 401 : status]
  if (known) return failed(CHECK, observed + known[0], known[1])
  if (status >= 500) return failed(CHECK, observed, 'Is the receiver running behind its proxy? Look at both logs.')
  if (status >= 200 && status < 300) {
    const why = isPage ? 'a page, not a receiver of webhooks' : 'it accepts unsigned webhooks'
    return failed(CHECK, `${observed}: ${why}`, `Check the path; a receiver has to verify the signature: ${GUIDE}.`)
  }
  const why = `${observed}, not with 400 or 401 as edgetill's receiver does`
  return failed(CHECK, why, `Check the path and the recipe in ${GUIDE}.`)
}

function redirected(observed: string, location: string): Finding {
  if (/log-?in|sign-?in|auth|account/i.test(location)) return failed(CHECK, `${observed} to a login page`, LOGIN)
  const to = URL.canParse(location) ? ` to ${new URL(location).origin + new URL(location).pathname}` : ''
  const fix =
    'Use the final address, with its https://, www and final "/": a webhook follows no redirect. ' +
    `${GUIDE}, "A login, a proxy, a redirect".`
  return failed(CHECK, `${observed}${to}`, fix)
}

/** The text is the frameworks' own. Astro's ends with SvelteKit's. */
function framework(observed: string, text: string): Finding {
  const [name, recipe] = /^Cross-site POST form submissions are forbidden/.test(text)
    ? ['SvelteKit or Astro', 'has both under "SvelteKit" and "Astro"']
    : ['a framework', 'has the recipes']
  return failed(
    CHECK,
    `${observed}: the cross-site check of ${name}`,
    `Exempt the webhook's route: ${GUIDE} ${recipe}.`,
  )
}

const PROXIES = /nginx|apache|caddy|envoy|haproxy|varnish|awselb|akamai|cloudfront|squid/i

function proxyOf(headers: Headers, text: string): string | undefined {
  const isCloudflare = headers.has('cf-mitigated') || /cf-(chl|error)|Attention Required! \| Cloudflare/.test(text)
  if (isCloudflare) return "Cloudflare's firewall"
  const [name] = PROXIES.exec(`${headers.get('server') ?? ''} ${text.slice(0, 2000)}`) ?? []
  return name && `the proxy ${name.toLowerCase()}`
}
