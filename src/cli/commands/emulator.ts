import { type Activity, createEmulator, type Emulator, TEST_CARDS } from '../../emulator/index.ts'
import { activityLine } from '../activity-lines.ts'
import { serveOnNode } from '../serve-node.ts'
import { readOptions, UsageError, wholeNumber } from '../usage.ts'

const HELP = `Usage: edgetill emulator [--port N] [--seed N] [--webhook-url URL] [--json | --quiet]

Serves an emulator of the payment service on loopback until Ctrl-C. No account, no network.

  --port N           the port; default 4010, 0 takes a free one
  --seed N           the same seed gives the same ids, tokens and random faults; default 1
  --webhook-url URL  where webhooks go whose request names no server_url
  --json             prints each event as a line of JSON, for programs
  --quiet            prints no requests and no webhooks, only internal errors
  --help             this text`

/** `edgetill emulator`: prints addresses, credentials and test cards, and serves until it is interrupted. */
export async function emulatorCommand(words: string[]): Promise<void> {
  const options = {
    port: { type: 'string' },
    seed: { type: 'string' },
    'webhook-url': { type: 'string' },
    json: { type: 'boolean' },
    quiet: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const
  const { port, seed, json = false, quiet = false, help, 'webhook-url': webhookUrl } = readOptions(words, options, HELP)
  if (help) return console.log(HELP)
  if (webhookUrl !== undefined && !/^https?:\/\/./.test(webhookUrl)) {
    throw new UsageError(`--webhook-url takes an http(s) address, not "${webhookUrl}".`, HELP)
  }
  // Everything that can be wrong usage is read before anything is started.
  const at = wholeNumber('port', port, 0, 65_535, HELP) ?? 4010
  const seeded = wholeNumber('seed', seed, 0, Number.MAX_SAFE_INTEGER, HELP) ?? 1
  let emulator: Emulator | undefined
  const served = await serveOnNode(
    async (request) => (await emulator?.fetch(request)) ?? new Response(null, { status: 503 }),
    { port: at },
  ).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EADDRINUSE') throw cause
    throw new Error(`Port ${at} is taken: stop what listens there, or choose another with --port (0 takes a free one).`)
  })
  // Before anything is printed: who reads the addresses may interrupt at once.
  const interrupted = new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, done)
  })
  emulator = createEmulator({
    origin: served.origin,
    seed: seeded,
    onActivity: (activity) => print(activity, { json, quiet }),
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
  })
  if (json)
    console.log(JSON.stringify({ type: 'start', overview: `${served.origin}/_emulator`, ...emulator.credentials }))
  else console.log(describe(emulator, served.origin))
  // Retries, delays and scheduled charges fall due by the clock, not by requests.
  const due = setInterval(() => void emulator.clock.advance({}), 1000)
  await interrupted
  clearInterval(due)
  // A webhook that waits for its receiver would hold the process.
  emulator.reset()
  await served.close()
  console.log(json ? JSON.stringify({ type: 'stop' }) : 'Stopped.')
}

function print(activity: Activity, { json, quiet }: { json: boolean; quiet: boolean }): void {
  if (activity.type === 'error' && !json) console.error(activityLine(activity))
  else if (!quiet || activity.type === 'error') console.log(json ? JSON.stringify(activity) : activityLine(activity))
}

function describe({ credentials }: Emulator, origin: string): string {
  const rows = (entries: [string, string][]) =>
    entries.map(([name, value]) => `  ${name.padEnd(20)} ${value}`).join('\n')
  return `The emulator is not the service: no money moves.

${rows([
  ['base_url', credentials.baseUrl],
  ['api_url', credentials.apiUrl],
  ['what happened', `${origin}/_emulator`],
])}

Credentials
${rows([
  ['posId', credentials.posId],
  ['apiKey', credentials.apiKey],
  ['apiSecret', credentials.apiSecret],
  ['endpointsKey', credentials.endpointsKey],
  ['scheme', credentials.scheme],
])}

Test cards (any month to come, any three digits)
${rows(TEST_CARDS.map(({ number, says }) => [number, says]))}

Ctrl-C stops it.`
}
