import { readFile } from 'node:fs/promises'
// By its default: Node 20.0 to 20.11 have no parseEnv, and a missing name would end every verb.
import util from 'node:util'
import { decodeUtf8 } from '../../lib/utf8.ts'
import { UsageError } from './errors.ts'

interface DenoPermissions {
  permissions: { querySync(descriptor: { name: 'env'; variable: string }): { state: string } }
}

/** The variables of a client, each with the flag that can set it; secrets have none, because a process list shows flags. */
export const CLIENT_VARIABLES = {
  EDGETILL_BASE_URL: '--base-url',
  EDGETILL_API_URL: '--api-url',
  EDGETILL_POS_ID: '--pos-id',
  EDGETILL_API_KEY: undefined,
  EDGETILL_API_SECRET: undefined,
  EDGETILL_ENDPOINTS_KEY: undefined,
  EDGETILL_SCHEME: '--scheme',
  EDGETILL_AUTHENTICATION: '--authentication',
} as const

export type ClientVariable = keyof typeof CLIENT_VARIABLES

/** Every variable of the command line. Deno's `--allow-env` can list them. */
const VARIABLES = [
  ...(Object.keys(CLIENT_VARIABLES) as ClientVariable[]),
  'EDGETILL_API_SECRET_PREVIOUS',
  'EDGETILL_TEST_CARD',
  'EDGETILL_WORKER_URL',
  'EDGETILL_WORKER_TOKEN',
] as const

type Variable = (typeof VARIABLES)[number]
export type Variables = Partial<Record<Variable, string>>

const isGranted = (deno: DenoPermissions, variable: string): boolean =>
  deno.permissions.querySync({ name: 'env', variable }).state === 'granted'

/** Whether the variables can be read: Deno has to be allowed to. */
export function canReadEnvironment(): boolean {
  const { Deno: deno } = globalThis as { Deno?: DenoPermissions }
  return deno === undefined || VARIABLES.some((variable) => isGranted(deno, variable))
}

/** An environment variable; undefined where it is not set, empty, or where Deno was not allowed to read it (it would ask). */
export function environmentVariable(name: string): string | undefined {
  const { Deno: deno } = globalThis as { Deno?: DenoPermissions }
  if (deno !== undefined && !isGranted(deno, name)) return undefined
  return process.env[name] || undefined
}

/**
 * The variables of the command line: those of an env file, which is named on purpose, before those of the environment. An empty
 * one counts as missing.
 *
 * @throws {UsageError} when the file cannot be read.
 */
export async function readVariables(envFile?: string): Promise<Variables> {
  const environment = VARIABLES.map((name) => [name, environmentVariable(name)] as const)
  const given = Object.fromEntries(environment.filter(([, value]) => value !== undefined))
  return envFile === undefined ? given : { ...given, ...(await readEnvFile(envFile)) }
}

/**
 * The variables of the command line in an env file: `NAME=value` lines.
 *
 * @throws {UsageError} when the file cannot be read.
 */
export async function readEnvFile(file: string): Promise<Variables> {
  const all = await parseEnvFile(file, '--env-file')
  return Object.fromEntries(VARIABLES.map((name) => [name, all[name]] as const).filter(([, value]) => value))
}

/** Every variable of an env file. @throws {UsageError} naming the option, when it cannot be read. */
export async function parseEnvFile(file: string, option: string): Promise<NodeJS.Dict<string>> {
  const text = await readTextFile(file, option)
  if (typeof util.parseEnv !== 'function') throw new UsageError(`${option} needs Node 20.12 or newer.`)
  return util.parseEnv(text)
}

/**
 * The secret in a file, without the line break that editors and `echo` put at its end.
 *
 * @throws {UsageError} when the file cannot be read or is empty.
 */
export async function readSecretFile(file: string): Promise<string> {
  const secret = (await readTextFile(file, '--secret-file')).replace(/\r?\n$/, '')
  if (secret === '') throw new UsageError(`--secret-file ${file} is empty: write the API secret into it.`)
  return secret
}

/** @throws {UsageError} naming the option and the cause, when the file cannot be read. */
export async function readTextFile(file: string, option: string): Promise<string> {
  const unreadable = (cause: string) => new UsageError(`${option} ${file} cannot be read: ${cause}.`)
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    const { code, message } = error
    throw unreadable(code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : message)
  })
  // A byte order mark is dropped.
  const text = decodeUtf8(bytes)
  // As UTF-16, which some editors and shells write, it would seem to be empty.
  if (text === undefined || text.includes('\0')) throw unreadable('it is not a text in UTF-8')
  return text
}
