import { type Activity, type Emulator, TEST_CARDS } from '../../emulator/index.ts'
import { activityLine } from '../activity-lines.ts'
import { EMULATOR_HELP, type EmulatorArguments, readEmulatorArguments } from '../emulator-options.ts'
import { type ServedEmulator, serveEmulator } from '../serve-emulator.ts'
import { UsageError } from '../usage.ts'

/** `edgetill emulator`: prints addresses, credentials and test cards, and serves until it is interrupted. */
export async function emulatorCommand(words: string[]): Promise<void> {
  const args = readEmulatorArguments(words)
  const { help, json } = args
  if (help) return console.log(EMULATOR_HELP)
  // Before anything is printed: who reads the addresses may interrupt at once.
  const interrupted = new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, done)
  })
  const served = await serve(args)
  const { emulator, origin } = served
  const { host = '127.0.0.1' } = args.serve
  if (!isLoopback(host)) console.error(warning(host, origin, args.serve.origin !== undefined))
  if (json)
    console.log(JSON.stringify({ type: 'start', overview: `${origin}/_emulator`, ...printable(emulator, args) }))
  else console.log(describe(emulator, origin, args))
  await interrupted
  await served.close()
  console.log(json ? JSON.stringify({ type: 'stop' }) : 'Stopped.')
}

async function serve({ serve, emulator, json, quiet }: EmulatorArguments): Promise<ServedEmulator> {
  try {
    return await serveEmulator(serve, { ...emulator, onActivity: (activity) => print(activity, { json, quiet }) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      const advice = 'stop what listens there, or choose another with --port (0 takes a free one).'
      throw new Error(`Port ${serve.port} is taken: ${advice}`)
    }
    if ((error as NodeJS.ErrnoException).code === 'EADDRNOTAVAIL') {
      throw new Error(
        `This machine does not have the address ${serve.host}. Pass one of this machine's addresses, or 0.0.0.0 for all.`,
      )
    }
    // What the emulator does not accept as an option is wrong usage here.
    if (error instanceof Error && error.name === 'InputError') throw new UsageError(error.message, EMULATOR_HELP)
    throw error
  }
}

function print(activity: Activity, { json, quiet }: { json: boolean; quiet: boolean }): void {
  if (activity.type === 'error' && !json) console.error(activityLine(activity))
  else if (!quiet || activity.type === 'error') console.log(json ? JSON.stringify(activity) : activityLine(activity))
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1)$/.test(host)
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
