import { createClient } from '../../client/client.ts'
import type { ClientConfig } from '../../config.ts'
import { isConfigError } from '../../errors.ts'
import { configFromEnv } from '../../helpers/config-from-env.ts'
import * as env from '../terminal/environment.ts'
import { UsageError } from '../terminal/errors.ts'
import { milliseconds } from '../terminal/option-values.ts'
import { completed, type Flags, flag, forbidden, group, option } from '../terminal/verb.ts'

export const SERVICE_OPTIONS = {
  ...group('Output:', {
    json: flag('print JSON, for programs'),
    verbose: flag('print requests and responses on stderr, no secrets'),
  }),
  ...group('The service (flags, then --env-file, then EDGETILL_BASE_URL and so on):', {
    envFile: option('<FILE>', 'a file with EDGETILL_* variables'),
    secretFile: option('<FILE>', 'the API secret, in place of EDGETILL_API_SECRET'),
    baseUrl: option('<URL>', 'the base_url of the API document'),
    apiUrl: option('<URL>', 'its api_url: balances and recurring-cancel need it'),
    posId: option('<UUID>', 'your POS'),
    scheme: option('<SCHEME>', "the service's scheme in X-API-AUTH"),
    authentication: completed(['per-endpoint', 'plain'], option('<KIND>', 'per-endpoint or plain')),
    timeout: option('<TIME>', 'for each attempt: 500ms, 2m (default: 30s)', milliseconds),
    allowInsecureHttp: flag('http:// beyond loopback: others can read and change it'),
    apiKey: forbidden('EDGETILL_API_KEY'),
    apiSecret: forbidden('EDGETILL_API_SECRET', '--secret-file'),
    endpointsKey: forbidden('EDGETILL_ENDPOINTS_KEY'),
  }),
}

export type ServiceFlags = Flags<typeof SERVICE_OPTIONS>

/** Each setting with its origin: `--base-url`, `--env-file shop.env`, `environment`. */
export type Settings = Partial<Record<env.ClientVariable, { value: string; source: string }>>

/** Reads every setting: flags win over `--env-file`, which wins over the environment, which wins over `fallback`. */
export async function readSettings(flags: ServiceFlags, environment?: env.Variables, fallback: Settings = {}) {
  const fromEnvironment = await env.readVariables(undefined, environment)
  const fromFile = await env.readEnvFile(flags.envFile)
  const secret = flags.secretFile === undefined ? undefined : await env.readSecretFile(flags.secretFile)
  const allowInsecureHttp = flags.allowInsecureHttp ? 'true' : undefined
  const fromFlags = { ...flags, apiKey: undefined, apiSecret: secret, endpointsKey: undefined, allowInsecureHttp }
  const settings: Settings = { ...fallback }
  for (const name of env.CLIENT_NAMES) {
    const found = [
      { value: fromFlags[env.CLIENT_VARIABLES[name]], source: env.flagFor(name) ?? '--secret-file' },
      { value: fromFile[name], source: `--env-file ${flags.envFile}` },
      { value: fromEnvironment[name], source: 'environment' },
    ].find(({ value }) => value !== undefined && value !== '')
    if (found?.value !== undefined) settings[name] = { value: found.value, source: found.source }
  }
  return settings
}

/** The client's configuration, checked before anything is sent. `help` ends the message about a missing setting. */
export function configOf(
  settings: Settings,
  { timeout: timeoutMs, allowInsecureHttp }: ServiceFlags,
  help = 'edgetill doctor checks the configuration.',
): ClientConfig {
  const values = Object.fromEntries(Object.entries(settings).map(([name, { value }]) => [name, value]))
  try {
    const config = { ...configFromEnv(values), timeoutMs, ...(allowInsecureHttp && { allowInsecureHttp }) }
    createClient(config)
    return config
  } catch (error) {
    if (!isConfigError(error)) throw error
    const missing = env.CLIENT_NAMES.filter((name) => error.message.includes(name))
    if (missing.some((name) => settings[name] === undefined))
      throw new UsageError([howToSet(settings, missing), help].join('\n').trim())
    const name = env.CLIENT_NAMES.find((one) => env.CLIENT_VARIABLES[one] === error.field)
    throw new UsageError(`${asFlags(error.message)}${name ? ` (${name}, from: ${settings[name]?.source})` : ''}`)
  }
}

const asFlags = (message: string): string =>
  message
    .replace('allowInsecureHttp', '--allow-insecure-http')
    .replace('timeoutMs must be', '--timeout in milliseconds must be')

const EMULATOR =
  'Without an account, start edgetill emulator --write-env emulator.env and add --env-file emulator.env here.'

function howToSet(settings: Settings, missing: readonly env.ClientVariable[]): string {
  const flags = missing.map(env.flagFor).filter((flag) => flag !== undefined)
  const them = missing.length === 1 ? 'it' : 'them'
  const names = flags.join(', ').replace(/, (?!.*,)/, ' and ')
  const also = names && ` ${names} can be flags as well; secrets cannot, because a process list shows flags.`
  const isDenied = !env.canReadEnvironment()
  return [
    `Missing configuration: ${missing.join(', ')}.`,
    `Set ${them} in the environment or in a file for --env-file; the merchant portal shows the values.${also}`,
    ...(Object.keys(settings).length === 0 ? [EMULATOR] : []),
    ...(isDenied ? ["Deno was not allowed to read the environment: add '--allow-env=EDGETILL_*'."] : []),
  ].join('\n')
}
