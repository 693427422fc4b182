import { writeFile } from 'node:fs/promises'
import { Command } from 'commander'
import { type Activity, type Emulator, TEST_CARDS } from '../../emulator/index.ts'
import { addEmulatorOptions, type EmulatorArguments, readEmulatorArguments } from '../service/emulator-options.ts'
import { untilStopped } from '../service/interrupt.ts'
import { type ServedEmulator, serveEmulator } from '../service/serve-emulator.ts'
import { isLoopback, listenError } from '../service/serve-node.ts'
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
  const served = await serve(args)
  const { emulator, origin } = served
  const { host = '127.0.0.1' } = args.serve
  if (!isLoopback(host)) err(warning(host, origin, args.serve.origin !== undefined))
  if (args.writeEnv !== undefined) {
    await writeEnvFile(args.writeEnv, emulator).catch(async (error: Error) => {
      // What is served would hold the process.
      await served.close()
      throw new UsageError(`--write-env ${args.writeEnv} cannot be written: ${error.message}.`)
    })
  }
  if (json) out(JSON.stringify({ type: 'start', overview: `${origin}/_emulator`, ...printable(emulator, args) }))
  else out(describe(emulator, origin, args))
  await stopped
  await served.close()
  out(json ? JSON.stringify({ type: 'stop' }) : 'Stopped.')
}

async function serve({ serve, emulator, json, quiet }: EmulatorArguments): Promise<ServedEmulator> {
  try {
    return await serveEmulator(serve, { ...emulator, onActivity: (activity) => print(activity, { json, quiet }) })
  } catch (error) {
    // What the emulator does not accept as an option is wrong usage here.
    if (error instanceof Error && error.name === 'InputError') throw new UsageError(error.message)
    throw listenError(error, serve)
  }
}

/** The variables that the other verbs read, with its secrets: only the owner may read the file. */
async function writeEnvFile(file: string, { credentials }: Emulator): Promise<void> {
  const names = Object.entries(credentials).map(([name, value]) => {
    return `EDGETILL_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}=${value}\n`
  })
  await writeFile(file, names.join(''), { mode: 0o600 })
}

function print(activity: Activity, { json, quiet }: { json: boolean; quiet: boolean }): void {
  const { out, err } = processTerminal()
  if (activity.type === 'error' && !json) err(activityLine(activity))
  else if (!quiet || activity.type === 'error') out(json ? JSON.stringify(activity) : activityLine(activity))
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

function describe(emulator: Emulator, origin: string, args: EmulatorArguments): string {
  const rows = (entries: [string, string][]) =>
    entries.map(([name, value]) => `  ${name.padEnd(20)} ${value}`).join('\n')
  const { baseUrl = '', apiUrl = '', ...credentials } = printable(emulator, args)
  return `The emulator is not the service: no money moves.

${rows([
  ['base_url', baseUrl],
  ['api_url', apiUrl],
  ['what happened', `${origin}/_emulator`],
  ['control it', `${origin}/_emulator/api`],
])}

Credentials
${rows(Object.entries(credentials))}

Test cards (any month to come, any three digits)
${rows(TEST_CARDS.map(({ number, says }) => [number, says]))}

Ctrl-C stops it.`
}
