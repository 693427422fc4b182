import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { variablesOf } from '../../emulator/control/pages/connect.ts'
import { type Activity, type Emulator, TEST_CARDS } from '../../emulator/index.ts'
import { isConfigError } from '../../errors.ts'
import { EMULATOR_OPTIONS, type EmulatorFlags, emulatorOptions } from '../service/emulator-options.ts'
import { type ServedEmulator, serveEmulator } from '../service/serve-emulator.ts'
import { listenError } from '../service/serve-node.ts'
import { fromFile, openStateFile, type StateFile } from '../service/state-file.ts'
import { activityLine } from '../terminal/activity-lines.ts'
import { readEnvFile } from '../terminal/environment.ts'
import { UsageError } from '../terminal/errors.ts'
import { untilStopped } from '../terminal/interrupt.ts'
import { isLoopback } from '../terminal/option-values.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { defineVerb, type Verb } from '../terminal/verb.ts'

export const verb: Verb = defineVerb({
  name: 'emulator',
  heading: 'Start',
  summary: 'serve an emulator of the payment service on loopback',
  description:
    'Serves an emulator of the payment service on loopback, until Ctrl-C.\n' +
    'Own credentials: --pos-id, --api-key, --api-secret, --endpoints-key, --scheme.',
  examples: ['emulator --write-env .env', 'emulator --clock 2026-01-31T10:00:00Z'],
  readOn: 'guides/emulator.md',
  options: EMULATOR_OPTIONS,
  run: ({ flags, terminal }) => (flags.wait ? waitForEmulator(flags) : emulate(flags, terminal)),
})

async function emulate(flags: EmulatorFlags, terminal: Terminal): Promise<void> {
  const { json, quiet, writeEnv, port = 4010, host = '127.0.0.1', origin, tlsCert, tlsKey } = flags
  const where = { port, host, origin, tlsCert, tlsKey }
  const { out, err } = terminal
  keepHeapSmall()
  const stopped = untilStopped()
  const options = emulatorOptions(flags)
  const fixed = Object.keys(options.credentials ?? {})
  let state: StateFile | undefined
  let served: ServedEmulator | undefined
  const onActivity = (activity: Activity): void => {
    state?.changed()
    print(activity, flags, terminal)
  }
  try {
    served = await serveEmulator(where, { ...options, onActivity }, async (emulator) => {
      state = await begin(flags, emulator)
      if (writeEnv !== undefined) await writeEnvFile(writeEnv, emulator)
    }).catch((error: unknown) => {
      // An option that the emulator rejects is wrong usage here.
      throw isConfigError(error) ? new UsageError(error.message) : listenError(error, where)
    })
    if (!isLoopback(host)) err(warning(host, served.origin, origin !== undefined))
    const start = {
      type: 'start',
      overview: `${served.origin}/_emulator`,
      ...printable(served.emulator, fixed),
    }
    if (json) out(JSON.stringify(start))
    else if (!quiet) out(describe(served, fixed, flags.cards))
    await stopped
  } finally {
    await (served === undefined ? state?.close() : served.close(state?.close))
  }
  if (json) out(JSON.stringify({ type: 'stop' }))
  else if (!quiet) out('Stopped.')
}

/**
 * Collects garbage before it is a tenth of the heap. V8's own limit lets it grow to a multiple of the orders under
 * load.
 */
function keepHeapSmall(): void {
  try {
    setFlagsFromString('--heap-growing-percent=10')
  } catch {
    // Bun and Deno have no such flag.
  }
}

async function begin({ state, seedFile }: EmulatorFlags, emulator: Emulator): Promise<StateFile | undefined> {
  const seed = async () => seedFile === undefined || (await fromFile('--seed-file', seedFile, emulator.seedOrders))
  return state === undefined ? void (await seed()) : openStateFile(state, emulator, seed)
}

/** Writes the variables that other programs read; others in the file are kept. Only the owner may read it. */
async function writeEnvFile(file: string, { credentials }: Emulator): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const [, url = ''] = /^EDGETILL_BASE_URL=["']?([^"'\s]*)/m.exec(text) ?? []
  if (/^EDGETILL_/m.test(text) && url !== credentials.baseUrl && !isLoopback(url)) {
    throw new UsageError(`--write-env ${file} has EDGETILL_ variables that no emulator wrote: choose another file.`)
  }
  const others = text.split('\n').filter((line) => line !== '' && !line.startsWith('EDGETILL_'))
  const lines = [...others, ...variablesOf(credentials)]
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 }).catch((error: Error) => {
    throw new UsageError(`--write-env ${file} cannot be written: ${error.message}.`)
  })
}

const WAIT_MS = 30_000

/** Waits for an emulator that is starting, and for the file of its `--write-env`. */
async function waitForEmulator({ writeEnv, port = 4010, host = '127.0.0.1', ...flags }: EmulatorFlags): Promise<void> {
  const { origin = `http://${host}:${port}` } = flags
  for (const until = Date.now() + WAIT_MS; Date.now() < until; await sleep(100)) {
    const variables = await readEnvFile(writeEnv).catch(() => undefined)
    const url = variables && `${variables.EDGETILL_BASE_URL ?? origin}/_emulator/health`
    if (url !== undefined && (await fetch(url).catch(() => undefined))?.ok) return
  }
  const where = writeEnv === undefined ? `at ${origin}` : `whose variables are in ${writeEnv}`
  throw new Error(`No emulator ${where} has responded within ${WAIT_MS / 1000} s.`)
}

function print(activity: Activity, { json, quiet }: EmulatorFlags, { out, err, paint }: Terminal): void {
  if (activity.type === 'error' && !json) err(activityLine(activity, paint))
  else if (!quiet || activity.type === 'error') out(json ? JSON.stringify(activity) : activityLine(activity, paint))
}

function warning(host: string, origin: string, chosen: boolean): string {
  const where =
    `Warning: listening on ${host}. Everybody on this network can use the emulator and read its credentials,\n` +
    'and can make this machine send requests to any address (server_url, validation_url) and read 16 kB of each ' +
    'response.'
  return chosen ? where : `${where}\nRedirects lead to ${origin}; use --origin http://ADDRESS:PORT for other machines.`
}

/** The credentials, but for the secrets that were given from outside: a terminal's output is kept and shared. */
function printable({ credentials }: Emulator, own: readonly string[]): Record<string, string> {
  const secret = ['apiKey', 'apiSecret', 'endpointsKey'].filter((name) => own.includes(name))
  return { ...credentials, ...Object.fromEntries(secret.map((name) => [name, '(yours)'])) }
}

function describe({ emulator, origin }: ServedEmulator, own: readonly string[], cards = false): string {
  const rows = (entries: [string, string][]) =>
    entries.map(([name, value]) => `  ${name.padEnd(20)} ${value}`).join('\n')
  const { baseUrl = '', apiUrl = '', ...credentials } = printable(emulator, own)
  const [{ number }] = TEST_CARDS as [(typeof TEST_CARDS)[number]]
  const more = `Paid at once. --cards lists all ${TEST_CARDS.length}.`
  return `The emulator is not the service: no money moves.

${cards ? 'Test cards' : 'Test card'} (any future month, any three digits)
${rows(cards ? TEST_CARDS.map((one) => [one.number, one.says]) : [[number, more]])}

Credentials
${rows(Object.entries(credentials))}

${rows([
  ['base_url', baseUrl],
  ['api_url', apiUrl],
  ['control it', `${origin}/_emulator/api`],
  ['what happened', `${origin}/_emulator`],
])}

Ctrl-C stops it.`
}
