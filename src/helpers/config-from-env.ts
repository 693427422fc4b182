import type { ClientConfig } from '../config.ts'
import { ConfigError } from '../errors.ts'
import { memberOf } from '../lib/kind.ts'

/**
 * Reads a client's configuration from environment variables, which you pass: nothing is read automatically.
 *
 * Required: `EDGETILL_BASE_URL`, `EDGETILL_POS_ID`, `EDGETILL_API_KEY`, `EDGETILL_API_SECRET`,
 * `EDGETILL_ENDPOINTS_KEY`, `EDGETILL_SCHEME`. Optional: `EDGETILL_API_URL` (balances and `cancelRecurring` need it),
 * `EDGETILL_AUTHENTICATION`, which is `per-endpoint` or `plain`, and `EDGETILL_ALLOW_INSECURE_HTTP`, which is `true`
 * for an emulator that is reached over http by a name: see `allowInsecureHttp`. An empty variable counts as missing.
 * `createClient` checks the values.
 *
 * @param env `process.env`, `Deno.env.toObject()`, or the `env` of a Worker; other entries are ignored.
 * @throws {ConfigError} naming all required variables that are missing at once, or an authentication or a
 * truth value that does not exist.
 * @see The API document, "Authentication". The variables' names are ours.
 * @example
 * import { type Client, configFromEnv, createClient } from 'edgetill'
 * // open(process.env) on Node and Bun, open(Deno.env.toObject()) on Deno
 * const open = (env: Record<string, unknown>): Client => createClient({ ...configFromEnv(env), timeoutMs: 10_000 })
 */
export function configFromEnv(env: Readonly<Record<string, unknown>>): ClientConfig {
  const missing: string[] = []
  const text = (name: string): string | undefined => {
    const value = env && memberOf(env, name)
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const required = (name: string): string => {
    const value = text(name)
    if (value === undefined) missing.push(name)
    return value ?? ''
  }
  const config: ClientConfig = {
    baseUrl: required('EDGETILL_BASE_URL'),
    posId: required('EDGETILL_POS_ID'),
    apiKey: required('EDGETILL_API_KEY'),
    apiSecret: required('EDGETILL_API_SECRET'),
    endpointsKey: required('EDGETILL_ENDPOINTS_KEY'),
    apiUrl: text('EDGETILL_API_URL'),
    scheme: required('EDGETILL_SCHEME'),
    authentication: authentication(text('EDGETILL_AUTHENTICATION')),
    ...insecureHttp(text('EDGETILL_ALLOW_INSECURE_HTTP')),
  }
  const [first] = missing
  if (first === undefined) return config
  throw new ConfigError(first, `Set ${missing.join(', ')}: the merchant portal shows what to set.`)
}

function authentication(value: string | undefined): ClientConfig['authentication'] {
  if (value === undefined || value === 'per-endpoint' || value === 'plain') return value
  throw new ConfigError('EDGETILL_AUTHENTICATION', 'EDGETILL_AUTHENTICATION must be per-endpoint or plain.')
}

/**
 * A value that cannot be read is rejected: "TRUE " read as false would be a puzzle, and "flase" read as true a risk.
 */
function insecureHttp(value: string | undefined): Pick<ClientConfig, 'allowInsecureHttp'> {
  if (value === undefined) return {}
  if (/^(true|on|yes|1)$/i.test(value)) return { allowInsecureHttp: true }
  if (/^(false|off|no|0)$/i.test(value)) return { allowInsecureHttp: false }
  throw new ConfigError('EDGETILL_ALLOW_INSECURE_HTTP', 'EDGETILL_ALLOW_INSECURE_HTTP must be true or false.')
}
