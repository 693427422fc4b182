import type { KVNamespace } from '@cloudflare/workers-types'
import type { ClientConfig } from './sdk.ts'

/** The worker's bindings, as wrangler.toml has them. */
export interface Env {
  /** The state of every order. */
  STATE: KVNamespace
  /** `{base_url}` of the service's document. */
  BASE_URL: string
  /** `{api_url}` of the service's document: balances only. */
  API_URL: string
  /** The POS, a UUID. */
  POS_ID: string
  /** The service's own scheme word. */
  SCHEME: string
  /** `per-endpoint` (also read as `documented`) or `plain`. */
  AUTHENTICATION: string
  /** `off`, `log` or `enforce`: whether webhooks may come from {@link Env.SENDER_IP} only. */
  SENDER_CHECK: string
  /** The address that the service sends webhooks from. */
  SENDER_IP: string
  /** Secret: the API key. */
  API_KEY: string
  /** Secret: signs calls and verifies webhooks. */
  API_SECRET: string
  /** Secret, only while API_SECRET is being replaced: verifies webhooks, signs nothing. */
  API_SECRET_PREVIOUS?: string
  /** Secret: the `X-API-KEY` header. */
  ENDPOINTS_KEY: string
  /** Secret: encrypts checkout links and signs result pages. */
  LINK_SECRET: string
  /** Secret: the bearer token of `/api`. */
  ADMIN_TOKEN: string
}

type Name = keyof Env

const CALLS: readonly Name[] = ['BASE_URL', 'POS_ID', 'API_KEY', 'API_SECRET', 'ENDPOINTS_KEY']

/** What each group of routes cannot work without. */
export const NEEDS: Record<'webhooks' | 'checkout' | 'result' | 'orders' | 'operations' | 'balances', readonly Name[]> =
  {
    webhooks: ['STATE', 'API_SECRET'],
    checkout: ['STATE', 'LINK_SECRET', ...CALLS],
    result: ['STATE', 'LINK_SECRET', ...CALLS],
    orders: ['ADMIN_TOKEN', 'STATE'],
    operations: ['ADMIN_TOKEN', 'STATE', ...CALLS],
    balances: ['ADMIN_TOKEN', 'API_URL', ...CALLS],
  }

/** Bindings are missing or cannot work. Its message names them and never holds a value. */
export class MisconfiguredError extends Error {
  override readonly name = 'MisconfiguredError'
  readonly bindings: readonly string[]
  constructor(bindings: readonly string[]) {
    super(`Not configured: ${bindings.join(', ')}. See worker/README.md, "Deploy".`)
    this.bindings = bindings
  }
}

/** The bindings of `names` that are missing, empty, or have white space around them (a copied line break). */
export function missingBindings(env: Partial<Env>, names: readonly Name[] = ALL): string[] {
  return names.filter((name) => {
    const value = env?.[name]
    if (name === 'STATE') return typeof (value as KVNamespace | undefined)?.get !== 'function'
    return typeof value !== 'string' || value === '' || value !== value.trim()
  })
}

/** How strictly the sender's address is checked. */
export function senderCheck(env: Env): 'off' | 'log' | 'enforce' {
  const check = env.SENDER_CHECK || 'off'
  // A slip of the pen must neither open the door nor lock the service out.
  if (check !== 'off' && check !== 'log' && check !== 'enforce') throw new MisconfiguredError(['SENDER_CHECK'])
  return check
}

const ALL: readonly Name[] = [...new Set(Object.values(NEEDS).flat())]

/** @throws {MisconfiguredError} naming everything of the group that is missing. */
export function requireBindings(env: Partial<Env>, group: keyof typeof NEEDS): void {
  const missing = missingBindings(env, NEEDS[group])
  if (missing.length > 0) throw new MisconfiguredError(missing)
}

/** The secrets that webhooks are verified with: the new one first, the previous one while it is being replaced. */
export function webhookSecrets(env: Env): string[] {
  const { API_SECRET, API_SECRET_PREVIOUS: previous } = env
  if (!previous) return [API_SECRET]
  if (previous !== previous.trim()) throw new MisconfiguredError(['API_SECRET_PREVIOUS'])
  return [API_SECRET, previous]
}

/** The SDK's configuration. */
export function clientConfig(env: Env, fetch: typeof globalThis.fetch | undefined): ClientConfig {
  return {
    baseUrl: env.BASE_URL,
    apiUrl: env.API_URL || undefined,
    posId: env.POS_ID,
    apiKey: env.API_KEY,
    apiSecret: env.API_SECRET,
    endpointsKey: env.ENDPOINTS_KEY,
    scheme: env.SCHEME || undefined,
    // `documented` is the old name of `per-endpoint`. The SDK says what is wrong with any other value.
    authentication: (env.AUTHENTICATION === 'documented'
      ? 'per-endpoint'
      : env.AUTHENTICATION || undefined) as ClientConfig['authentication'],
    fetch,
    userAgent: 'edgetill-worker',
  }
}
