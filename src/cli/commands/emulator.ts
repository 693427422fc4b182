import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { type Activity, createEmulator, type Emulator, type EmulatorOptions, TEST_CARDS } from '../../emulator/index.ts'
import { isConfigError } from '../../errors.ts'
import { addEmulatorOptions, type EmulatorArguments, readEmulatorArguments } from '../service/emulator-options.ts'
import { untilStopped } from '../service/interrupt.ts'
import { type ServedEmulator, serveEmulator } from '../service/serve-emulator.ts'
import { isLoopback, listenError } from '../service/serve-node.ts'
import { fromFile, openStateFile, readJsonFile, type StateFile } from '../service/state-file.ts'
import { activityLine } from '../terminal/activity-lines.ts'
import { UsageError } from '../terminal/errors.ts'
import { processTerminal } from '../terminal/terminal.ts'

/** `edgetill emulator`: prints addresses, credentials and test cards, and serves until it is interrupted. */
export function command(): Command {
  const emulator = new Command('emulator').description(
    'Serves an emulator of the payment service on loopback, until Ctrl-C.',
  )
  return addEmulatorOptions(emulator).action((flags) => emulate(readEmulatorArguments(flags)))
}

async function emulate(args: EmulatorArguments): Promise<void> {
  const { json } = args
  const { out, err } = processTerminal()
  const stopped = untilStopped()
  const shops = args.shops === undefined ? [args] : await shopsOf(args, args.shops)
  const running: Running[] = []
  try {
    for (const shop of shops) running.push(await startShop(shop))
    await writeFiles(args, running)
  } catch (error) {
    // What is served would hold the process.
    await Promise.all(running.map(({ served }) => served.close()))
    throw error
  }
  const { host = '127.0.0.1' } = args.serve
  const [first] = running
  if (!isLoopback(host) && first) err(warning(host, first.served.origin, args.serve.origin !== undefined))
  for (const { served, args: own, name } of running) {
    const shop = name === undefined ? {} : { shop: name }
    const start = { type: 'start', ...shop, overview: `${served.origin}/_emulator`, ...printable(served.emulator, own) }
    if (json) out(JSON.stringify(start))
  }
  if (!json) out(describe(running))
  await stopped
  for (const { state } of running) await state?.close()
  for (const { served } of running) await served.close()
  out(json ? JSON.stringify({ type: 'stop' }) : 'Stopped.')
}

interface ShopArguments extends EmulatorArguments {
  name?: string
}

interface Running {
  args: EmulatorArguments
  name: string | undefined
  served: ServedEmulator
  state: StateFile | undefined
}

/** A shop of `--shops`: its name, its credentials, and options of `createEmulator`; the port of each is one more. */
async function shopsOf(args: EmulatorArguments, file: string): Promise<ShopArguments[]> {
  const list = await readJsonFile('--shops', file)
  if (!Array.isArray(list) || list.length === 0) throw new UsageError(`--shops ${file} is an array of shops.`)
  const names = list.map((shop: unknown, index) => {
    const { name } = (shop ?? {}) as { name?: unknown }
    if (typeof name !== 'string' || !/^[\w-]{1,40}$/.test(name)) {
      throw new UsageError(`--shops ${file}: [${index}].name must be a word of letters, digits, - and _.`)
    }
    return name
  })
  if (new Set(names).size < names.length) throw new UsageError(`--shops ${file}: two shops have the same name.`)
  return list.map(({ name, ...options }: { name: string } & EmulatorOptions, index) => {
    const emulator = { ...args.emulator, ...options }
    emulator.credentials = { ...args.emulator.credentials, ...options.credentials }
    fromFile('--shops', `${file}, shop ${name}`, () => createEmulator(emulator))
    const port = args.serve.port === 0 ? 0 : args.serve.port + index
    const state = args.state === undefined ? undefined : `${args.state}.${name}`
    return { ...args, name, emulator, state, serve: { ...args.serve, port } }
  })
}

async function startShop(args: ShopArguments): Promise<Running> {
  const { name, seedFile } = args
  let state: StateFile | undefined
  const served = await serve(args, (activity) => {
    state?.changed()
    print(activity, args)
  })
  try {
    const { emulator } = served
    const isNew = args.state === undefined || !existsSync(args.state)
    if (args.state !== undefined) state = await openStateFile(args.state, emulator)
    if (seedFile !== undefined && isNew) {
      const orders = await readJsonFile('--seed-file', seedFile)
      fromFile('--seed-file', seedFile, () => emulator.seedOrders(orders))
    }
    return { args, name, served, state }
  } catch (error) {
    await served.close()
    throw error
  }
}

async function serve(args: EmulatorArguments, onActivity: (activity: Activity) => void): Promise<ServedEmulator> {
  try {
    return await serveEmulator(args.serve, { ...args.emulator, onActivity })
  } catch (error) {
    // What the emulator does not accept as an option is wrong usage here.
    if (isConfigError(error)) throw new UsageError(error.message)
    throw listenError(error, args.serve)
  }
}

/** The files that others read: `--write-env`, and the certificate of `--tls`. */
async function writeFiles({ writeEnv }: EmulatorArguments, running: readonly Running[]): Promise<void> {
  const [first] = running
  if (first === undefined) return
  if (writeEnv !== undefined) {
    await writeEnvFile(writeEnv, first.served.emulator).catch((error: Error) => {
      throw new UsageError(`--write-env ${writeEnv} cannot be written: ${error.message}.`)
    })
  }
  for (const { served } of running) {
    if (served.certificate !== undefined) await writeFile(certificateFile(served), served.certificate)
  }
}

function certificateFile({ origin }: ServedEmulator): string {
  return join(tmpdir(), `edgetill-emulator-${new URL(origin).port || '443'}.pem`)
}

/** The variables that the other verbs read, with its secrets: only the owner may read the file. */
async function writeEnvFile(file: string, { credentials }: Emulator): Promise<void> {
  const names = Object.entries(credentials).map(([name, value]) => {
    return `EDGETILL_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}=${value}\n`
  })
  await writeFile(file, names.join(''), { mode: 0o600 })
}

function print(activity: Activity, { json, quiet }: { json: boolean; quiet: boolean }): void {
  const { out, err, paint } = processTerminal()
  if (activity.type === 'error' && !json) err(activityLine(activity, paint))
  else if (!quiet || activity.type === 'error') out(json ? JSON.stringify(activity) : activityLine(activity, paint))
}

function warning(host: string, origin: string, chosen: boolean): string {
  const where = `Warning: listening on ${host}. Everybody on this network can use the emulator and read its credentials.`
  return chosen ? where : `${where}\nRedirects lead to ${origin}; use --origin http://ADDRESS:PORT for other machines.`
}

/** The credentials, but for the secrets that were given from outside: a terminal's output is kept and shared. */
function printable({ credentials }: Emulator, { ownCredentials }: EmulatorArguments): Record<string, string> {
  const secret = ['apiKey', 'apiSecret', 'endpointsKey'].filter((name) => ownCredentials.includes(name))
  return { ...credentials, ...Object.fromEntries(secret.map((name) => [name, '(yours)'])) }
}

function describe(running: readonly Running[]): string {
  const rows = (entries: [string, string][]) =>
    entries.map(([name, value]) => `  ${name.padEnd(20)} ${value}`).join('\n')
  const shops = running.map(({ served, args, name }) => {
    const { baseUrl = '', apiUrl = '', ...credentials } = printable(served.emulator, args)
    const trust = served.certificate === undefined ? '' : `\n\n${howToTrust(certificateFile(served))}`
    return `${name === undefined ? 'Credentials' : `Shop ${name}`}
${rows(Object.entries(credentials))}${trust}

${rows([
  ['base_url', baseUrl],
  ['api_url', apiUrl],
  ['control it', `${served.origin}/_emulator/api`],
  ['what happened', `${served.origin}/_emulator`],
])}`
  })
  return `The emulator is not the service: no money moves.

Test cards (any month to come, any three digits)
${rows(TEST_CARDS.map(({ number, says }) => [number, says]))}

${shops.join('\n\n')}

Ctrl-C stops it.`
}

function howToTrust(file: string): string {
  return `https with a certificate that signs itself. To trust it:
  NODE_EXTRA_CA_CERTS=${file} node shop.ts
  SSL_CERT_FILE=${file} python3 shop.py
  php -d curl.cainfo=${file} shop.php
  curl --cacert ${file} ...`
}
