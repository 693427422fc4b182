import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { variablesOf } from '../../emulator/control/pages/connect.ts'
import { type Activity, type Emulator, TEST_CARDS } from '../../emulator/index.ts'
import { isConfigError } from '../../errors.ts'
import { EMULATOR_OPTIONS, type EmulatorArguments, readEmulatorArguments } from '../service/emulator-options.ts'
import { type ServedEmulator, serveEmulator } from '../service/serve-emulator.ts'
import { listenError } from '../service/serve-node.ts'
import { fromFile, openStateFile, readJsonFile, type StateFile } from '../service/state-file.ts'
import { activityLine } from '../terminal/activity-lines.ts'
import { readEnvFile } from '../terminal/environment.ts'
import { UsageError } from '../terminal/errors.ts'
import { untilStopped } from '../terminal/interrupt.ts'
import { isLoopback } from '../terminal/loopback.ts'
import { processTerminal } from '../terminal/terminal.ts'
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
  run: ({ flags }) => emulate(readEmulatorArguments(flags)),
})

async function emulate(args: EmulatorArguments): Promise<void> {
  if (args.wait) return await waitForEmulator(args)
  const { json, writeEnv } = args
  const { out, err } = processTerminal()
  const stopped = untilStopped()
  let state: StateFile | undefined
  let served: ServedEmulator | undefined
  const onActivity = (activity: Activity): void => {
    state?.changed()
    print(activity, args)
  }
  try {
    served = await serveEmulator(args.serve, { ...args.emulator, onActivity }, async (emulator) => {
      state = await begin(args, emulator)
      if (writeEnv !== undefined) await writeEnvFile(writeEnv, emulator)
    }).catch((error: unknown) => {
      // An option that the emulator rejects is wrong usage here.
      throw isConfigError(error) ? new UsageError(error.message) : listenError(error, args.serve)
    })
    const { host = '127.0.0.1' } = args.serve
    if (!isLoopback(host)) err(warning(host, served.origin, args.serve.origin !== undefined))
    const start = { type: 'start', overview: `${served.origin}/_emulator`, ...printable(served.emulator, args) }
    out(json ? JSON.stringify(start) : describe(served, args))
    await stopped
  } finally {
    // Whatever became of the file: what is served, and its timers, would hold the process and the port.
    try {
      await state?.close()
    } finally {
      await served?.close()
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
async function waitForEmulator({ writeEnv, serve }: EmulatorArguments): Promise<void> {
  const { origin = `http://${serve.host ?? '127.0.0.1'}:${serve.port}` } = serve
  for (const until = Date.now() + WAIT_MS; Date.now() < until; await sleep(100)) {
    const variables = writeEnv === undefined ? {} : await readEnvFile(writeEnv).catch(() => undefined)
    const url = variables && `${variables.EDGETILL_BASE_URL ?? origin}/_emulator/health`
    if (url !== undefined && (await fetch(url).catch(() => undefined))?.ok) return
  }
  const where = writeEnv === undefined ? `at ${origin}` : `whose variables are in ${writeEnv}`
  throw new Error(`No emulator ${where} has responded within ${WAIT_MS / 1000} s.`)
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

function describe({ emulator, origin }: ServedEmulator, args: EmulatorArguments): string {
  const rows = (entries: [string, string][]) =>
    entries.map(([name, value]) => `  ${name.padEnd(20)} ${value}`).join('\n')
  const { baseUrl = '', apiUrl = '', ...credentials } = printable(emulator, args)
  const [first] = TEST_CARDS
  const listed: [string, string][] = args.cards
    ? TEST_CARDS.map(({ number, says }) => [number, says])
    : [[first?.number ?? '', `Paid at once. --cards lists all ${TEST_CARDS.length}.`]]
  return `The emulator is not the service: no money moves.

${args.cards ? 'Test cards' : 'Test card'} (any month to come, any three digits)
${rows(listed)}

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
