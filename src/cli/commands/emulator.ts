import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Activity, type Emulator, TEST_CARDS } from '../../emulator/index.ts'
import { isConfigError } from '../../errors.ts'
import { EMULATOR_OPTIONS, type EmulatorArguments, readEmulatorArguments } from '../service/emulator-options.ts'
import { type ServedEmulator, serveEmulator } from '../service/serve-emulator.ts'
import { listenError } from '../service/serve-node.ts'
import { fromFile, openStateFile, readJsonFile, type StateFile } from '../service/state-file.ts'
import { activityLine } from '../terminal/activity-lines.ts'
import { UsageError } from '../terminal/errors.ts'
import { untilStopped } from '../terminal/interrupt.ts'
import { isLoopback } from '../terminal/loopback.ts'
import { processTerminal } from '../terminal/terminal.ts'
import { defineVerb, type Verb } from '../terminal/verb.ts'

export const verb: Verb = defineVerb({
  name: 'emulator',
  heading: 'Start',
  summary: 'serve an emulator of the payment service on loopback',
  description: 'Serves an emulator of the payment service on loopback, until Ctrl-C.',
  examples: ['emulator --port 4010 --write-env emulator.env', 'emulator --clock 2026-01-31T10:00:00Z'],
  readOn: 'guides/emulator.md',
  options: EMULATOR_OPTIONS,
  note: 'Own credentials: --pos-id, --api-key, --api-secret, --endpoints-key, --scheme.',
  run: ({ flags }) => emulate(readEmulatorArguments(flags)),
})

async function emulate(args: EmulatorArguments): Promise<void> {
  const { json, cards } = args
  const { out, err } = processTerminal()
  const stopped = untilStopped()
  let state: StateFile | undefined
  const served = await serve(args, (activity) => {
    state?.changed()
    print(activity, args)
  })
  try {
    state = await begin(args, served.emulator)
    const certificate = await writeFiles(args, served)
    const { host = '127.0.0.1' } = args.serve
    if (!isLoopback(host)) err(warning(host, served.origin, args.serve.origin !== undefined))
    const start = { type: 'start', overview: `${served.origin}/_emulator`, ...printable(served.emulator, args) }
    out(json ? JSON.stringify(start) : describe(served, args, certificate, cards))
    await stopped
  } finally {
    // Whatever became of the file: what is served, and its timers, would hold the process and the port.
    try {
      await state?.close()
    } finally {
      await served.close()
    }
  }
  out(json ? JSON.stringify({ type: 'stop' }) : 'Stopped.')
}

/** Begins with the orders of `--state`, or else with those of `--seed-file`. */
async function begin({ state, seedFile }: EmulatorArguments, emulator: Emulator): Promise<StateFile | undefined> {
  const seed = async (): Promise<void> => {
    if (seedFile === undefined) return
    const orders = await readJsonFile('--seed-file', seedFile)
    fromFile('--seed-file', seedFile, () => emulator.seedOrders(orders))
  }
  if (state !== undefined) return openStateFile(state, emulator, seed)
  await seed()
  return undefined
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

/** The files that others read: `--write-env`, and the certificate of `--tls`, whose path it returns. */
async function writeFiles({ writeEnv, serve }: EmulatorArguments, served: ServedEmulator): Promise<string | undefined> {
  if (writeEnv !== undefined) {
    await writeEnvFile(writeEnv, served.emulator).catch((error: Error) => {
      throw new UsageError(`--write-env ${writeEnv} cannot be written: ${error.message}.`)
    })
  }
  if (served.certificate === undefined || serve.tlsCert !== undefined) return serve.tlsCert
  // A new folder: a path that can be guessed could be somebody's link.
  const file = join(await mkdtemp(join(tmpdir(), 'edgetill-emulator-')), 'certificate.pem')
  await writeFile(file, served.certificate)
  return file
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

function describe(
  { emulator, origin }: ServedEmulator,
  args: EmulatorArguments,
  certificate: string | undefined,
  cards: boolean,
): string {
  const rows = (entries: [string, string][]) =>
    entries.map(([name, value]) => `  ${name.padEnd(20)} ${value}`).join('\n')
  const { baseUrl = '', apiUrl = '', ...credentials } = printable(emulator, args)
  const trust = certificate === undefined ? '' : `\n\n${howToTrust(certificate)}`
  const [first] = TEST_CARDS
  const listed: [string, string][] = cards
    ? TEST_CARDS.map(({ number, says }) => [number, says])
    : [[first?.number ?? '', `Paid at once. --cards lists all ${TEST_CARDS.length}.`]]
  return `The emulator is not the service: no money moves.

${cards ? 'Test cards' : 'Test card'} (any month to come, any three digits)
${rows(listed)}

Credentials
${rows(Object.entries(credentials))}${trust}

${rows([
  ['base_url', baseUrl],
  ['api_url', apiUrl],
  ['control it', `${origin}/_emulator/api`],
  ['what happened', `${origin}/_emulator`],
])}

Ctrl-C stops it.`
}

function howToTrust(file: string): string {
  return `https with a certificate that signs itself. To trust it:
  NODE_EXTRA_CA_CERTS=${file} node shop.ts
  SSL_CERT_FILE=${file} python3 shop.py
  php -d curl.cainfo=${file} shop.php
  curl --cacert ${file} ...`
}
