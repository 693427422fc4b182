import { configFromEnv } from '../../helpers/config-from-env.ts'
import type { ClientConfig } from '../../index.ts'
import { createClient, isConfigError } from '../../index.ts'
import {
  canReadEnvironment,
  readEnvFile,
  readSecretFile,
  readVariables,
  type Variables,
} from '../terminal/environment.ts'
import { UsageError } from '../terminal/errors.ts'

/** The flags that every verb takes which talks to the service. */
export interface ServiceFlags {
  baseUrl?: string
  apiUrl?: string
  posId?: string
  scheme?: string
  authentication?: string
  envFile?: string
  secretFile?: string
  timeout?: number
  allowInsecureHttp?: boolean
  json?: boolean
  verbose?: boolean
}

/** The variable of each setting, with the flag that can set it; secrets have none, because a process list shows flags. */
export const VARIABLES = {
  EDGETILL_BASE_URL: '--base-url',
  EDGETILL_API_URL: '--api-url',
  EDGETILL_POS_ID: '--pos-id',
  EDGETILL_API_KEY: undefined,
  EDGETILL_API_SECRET: undefined,
  EDGETILL_ENDPOINTS_KEY: undefined,
  EDGETILL_SCHEME: '--scheme',
  EDGETILL_AUTHENTICATION: '--authentication',
} as const

export type VariableName = keyof typeof VARIABLES

/** A setting and where it comes from. */
export interface Setting {
  value: string
  /** `--base-url`, `--env-file shop.env`, `environment`. */
  source: string
}

export type Settings = Partial<Record<VariableName, Setting>>

/** Reads every setting: flags win over `--env-file`, which wins over the environment, which wins over `fallback`. */
export async function readSettings(
  flags: ServiceFlags,
  environment?: Variables,
  fallback: Settings = {},
): Promise<Settings> {
  const fromEnvironment = environment ?? (await readVariables())
  const fromFile = flags.envFile === undefined ? {} : await readEnvFile(flags.envFile)
  const fromFlags: Partial<Record<VariableName, string | undefined>> = {
    EDGETILL_BASE_URL: flags.baseUrl,
    EDGETILL_API_URL: flags.apiUrl,
    EDGETILL_POS_ID: flags.posId,
    EDGETILL_SCHEME: flags.scheme,
    EDGETILL_AUTHENTICATION: flags.authentication,
    EDGETILL_API_SECRET: flags.secretFile === undefined ? undefined : await readSecretFile(flags.secretFile),
  }
  const settings: Settings = { ...fallback }
  for (const [name, flag = '--secret-file'] of Object.entries(VARIABLES) as [VariableName, string | undefined][]) {
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
    const missing = (Object.keys(VARIABLES) as VariableName[]).filter((name) => error.message.includes(name))
    if (missing.some((name) => settings[name] === undefined))
      throw new UsageError([howToSet(settings, missing), help].join('\n').trim())
    const name = variableOf(error.field)
    const source = name && settings[name]?.source
    throw new UsageError(`${asFlags(error.message)}${name ? ` (${name}, from: ${source})` : ''}`)
  }
}

/** The variable that sets an option of the client: `baseUrl` is EDGETILL_BASE_URL. */
function variableOf(field: string): VariableName | undefined {
  const name = `EDGETILL_${field.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
  return Object.hasOwn(VARIABLES, name) ? (name as VariableName) : undefined
}

/** The SDK's message with the flags of the command line. */
const asFlags = (message: string): string =>
  message
    .replace('allowInsecureHttp', '--allow-insecure-http')
    .replace('timeoutMs must be', '--timeout in milliseconds must be')

const DOCTOR = 'edgetill doctor checks the configuration.'
const EMULATOR =
  'Without an account, start edgetill emulator --write-env emulator.env and add --env-file emulator.env here.'

function howToSet(settings: Settings, missing: readonly VariableName[]): string {
  const flags = missing.map((name) => VARIABLES[name]).filter((flag) => flag !== undefined)
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
