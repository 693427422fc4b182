import { readFile, rename, rm, writeFile } from 'node:fs/promises'
// By its default: Node 20.0 to 20.11 have no parseEnv, and a missing name would end every verb.
import util from 'node:util'
import { decodeUtf8 } from '../../lib/utf8.ts'
import { UsageError } from './errors.ts'

/** The variables of a client, each with the option that it sets. */
export const CLIENT_VARIABLES = {
  EDGETILL_BASE_URL: 'baseUrl',
  EDGETILL_API_URL: 'apiUrl',
  EDGETILL_POS_ID: 'posId',
  EDGETILL_API_KEY: 'apiKey',
  EDGETILL_API_SECRET: 'apiSecret',
  EDGETILL_ENDPOINTS_KEY: 'endpointsKey',
  EDGETILL_SCHEME: 'scheme',
  EDGETILL_AUTHENTICATION: 'authentication',
  EDGETILL_ALLOW_INSECURE_HTTP: 'allowInsecureHttp',
} as const

export type ClientVariable = keyof typeof CLIENT_VARIABLES
export const CLIENT_NAMES = Object.keys(CLIENT_VARIABLES) as ClientVariable[]

/** The flag that can set a variable; secrets have none, because a process list shows flags. */
export const flagFor = (name: ClientVariable): string | undefined =>
  /KEY|SECRET/.test(name) ? undefined : `--${name.slice('EDGETILL_'.length).replaceAll('_', '-').toLowerCase()}`

/** Every variable of the command line. Deno's `--allow-env` can list them. */
const VARIABLES = [
  ...CLIENT_NAMES,
  'EDGETILL_API_SECRET_PREVIOUS',
  'EDGETILL_TEST_CARD',
  'EDGETILL_WORKER_URL',
  'EDGETILL_WORKER_TOKEN',
] as const

export type Variables = Partial<Record<(typeof VARIABLES)[number], string>>

type DenoPermissions = { permissions: { querySync(descriptor: { name: 'env'; variable: string }): { state: string } } }

/** Whether a variable can be read: Deno has to be allowed to, and would ask. */
function isGranted(variable: string): boolean {
  const { Deno: deno } = globalThis as { Deno?: DenoPermissions }
  return deno === undefined || deno.permissions.querySync({ name: 'env', variable }).state === 'granted'
}

export const canReadEnvironment = (): boolean => VARIABLES.some(isGranted)

/** An environment variable; undefined if it is not set, empty, or not to be read. */
export const environmentVariable = (name: string): string | undefined =>
  isGranted(name) ? process.env[name] || undefined : undefined

const present = (read: (name: string) => string | undefined): Variables =>
  Object.fromEntries(VARIABLES.map((name) => [name, read(name)] as const).filter(([, value]) => value))

/** The variables of an env file, which is named on purpose, before those of the environment. @throws {UsageError} */
export async function readVariables(envFile?: string, environment: Variables = present(environmentVariable)) {
  return { ...environment, ...(await readEnvFile(envFile)) }
}

/** The variables of the command line in an env file: `NAME=value` lines. @throws {UsageError} */
export async function readEnvFile(file: string | undefined): Promise<Variables> {
  if (file === undefined) return {}
  const all = await parseEnvFile(file, '--env-file')
  return present((name) => all[name])
}

/** Every variable of an env file. @throws {UsageError} naming the option, when it cannot be read. */
export async function parseEnvFile(file: string, option: string): Promise<NodeJS.Dict<string>> {
  const text = await readTextFile(file, option)
  if (typeof util.parseEnv !== 'function') throw new UsageError(`${option} needs Node 20.12 or newer.`)
  return util.parseEnv(text)
}

/** The secret in a file, without the line break that editors and `echo` put at its end. @throws {UsageError} */
export async function readSecretFile(file: string): Promise<string> {
  const secret = (await readTextFile(file, '--secret-file')).replace(/\r?\n$/, '')
  if (secret === '') throw new UsageError(`--secret-file ${file} is empty: write the API secret into it.`)
  return secret
}

/** A file as JSON. @throws {UsageError} naming the option and the file. */
export async function readJsonFile(option: string, file: string): Promise<unknown> {
  const text = await readTextFile(file, option)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${option} ${file} is not JSON: ${(error as Error).message}.`)
  }
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

/** Writes a file beside it first and then renames it: whenever the process ends, the last whole file is there. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`
  try {
    await writeFile(temporary, text, { mode: 0o600, flush: true })
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
