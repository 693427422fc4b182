import { createClient } from '../../client/client.ts'
import type { ClientConfig } from '../../config.ts'
import { isConfigError } from '../../errors.ts'
import { configFromEnv } from '../../helpers/config-from-env.ts'
import {
  CLIENT_VARIABLES,
  type ClientVariable,
  canReadEnvironment,
  readEnvFile,
  readSecretFile,
  readVariables,
  type Variables,
} from '../terminal/environment.ts'
import { UsageError } from '../terminal/errors.ts'
import { milliseconds } from '../terminal/option-values.ts'
import { completed, type Flags, flag, forbidden, group, option } from '../terminal/verb.ts'

/** The options of every verb that talks to the service. */
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

/** A setting and where it comes from. */
export interface Setting {
  value: string
  /** `--base-url`, `--env-file shop.env`, `environment`. */
  source: string
}

export type Settings = Partial<Record<ClientVariable, Setting>>

/** Reads every setting: flags win over `--env-file`, which wins over the environment, which wins over `fallback`. */
export async function readSettings(
  flags: ServiceFlags,
  environment?: Variables,
  fallback: Settings = {},
): Promise<Settings> {
  const fromEnvironment = environment ?? (await readVariables())
  const fromFile = flags.envFile === undefined ? {} : await readEnvFile(flags.envFile)
  const fromFlags: Partial<Record<ClientVariable, string | undefined>> = {
    EDGETILL_BASE_URL: flags.baseUrl,
    EDGETILL_API_URL: flags.apiUrl,
    EDGETILL_POS_ID: flags.posId,
    EDGETILL_SCHEME: flags.scheme,
    EDGETILL_AUTHENTICATION: flags.authentication,
    EDGETILL_API_SECRET: flags.secretFile === undefined ? undefined : await readSecretFile(flags.secretFile),
  }
  const settings: Settings = { ...fallback }
  for (const [name, flag = '--secret-file'] of Object.entries(CLIENT_VARIABLES) as [
    ClientVariable,
    string | undefined,
  ][]) {
    const found = [
      { value: fromFlags[name], source: flag },
      { value: fromFile[name], source: `--env-file ${flags.envFile}` },
      { value: fromEnvironment[name], source: 'environment' },
    ].find(({ value }) => value !== undefined && value !== '')
    if (found?.value !== undefined) settings[name] = { value: found.value, source: found.source }
  }
  return settings
}

/**
 * The client's configuration from settings; it is checked here, before anything is shown or sent.
 * @param help The last line of what is said about a setting that is missing.
 * @throws {UsageError}
 */
export function configOf(settings: Settings, flags: ServiceFlags, help = DOCTOR): ClientConfig {
  const values = Object.fromEntries(Object.entries(settings).map(([name, { value }]) => [name, value]))
  try {
    const config: ClientConfig = {
      ...configFromEnv(values),
      timeoutMs: flags.timeout,
      allowInsecureHttp: flags.allowInsecureHttp ?? false,
    }
    createClient(config)
    return config
  } catch (error) {
    if (!isConfigError(error)) throw error
    const missing = (Object.keys(CLIENT_VARIABLES) as ClientVariable[]).filter((name) => error.message.includes(name))
    if (missing.some((name) => settings[name] === undefined))
      throw new UsageError([howToSet(settings, missing), help].join('\n').trim())
    const name = variableOf(error.field)
    const source = name && settings[name]?.source
    throw new UsageError(`${asFlags(error.message)}${name ? ` (${name}, from: ${source})` : ''}`)
  }
}

/** The variable that sets an option of the client: `baseUrl` is EDGETILL_BASE_URL. */
function variableOf(field: string): ClientVariable | undefined {
  const name = `EDGETILL_${field.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
  return Object.hasOwn(CLIENT_VARIABLES, name) ? (name as ClientVariable) : undefined
}

/** The SDK's message with the flags of the command line. */
const asFlags = (message: string): string =>
  message
    .replace('allowInsecureHttp', '--allow-insecure-http')
    .replace('timeoutMs must be', '--timeout in milliseconds must be')

const DOCTOR = 'edgetill doctor checks the configuration.'
const EMULATOR =
  'Without an account, start edgetill emulator --write-env emulator.env and add --env-file emulator.env here.'

function howToSet(settings: Settings, missing: readonly ClientVariable[]): string {
  const flags = missing.map((name) => CLIENT_VARIABLES[name]).filter((flag) => flag !== undefined)
  const them = missing.length === 1 ? 'it' : 'them'
  const lines = [
    `Missing configuration: ${missing.join(', ')}.`,
    `Set ${them} in the environment or in a file for --env-file; the merchant portal shows the values.` +
      `${flags.length === 0 ? '' : ` ${flags.join(', ').replace(/, (?!.*,)/, ' and ')} can be flags as well; secrets cannot, because a process list shows flags.`}`,
  ]
  if (Object.keys(settings).length === 0) lines.push(EMULATOR)
  if (!canReadEnvironment()) {
    lines.push("Deno was not allowed to read the environment: add '--allow-env=EDGETILL_*'.")
  }
  return lines.join('\n')
}
