import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { callWorker, workerOf, workerOptions } from '../service/worker.ts'
import { FailedError, UsageError } from '../terminal/errors.ts'
import { milliseconds } from '../terminal/option-values.ts'
import { defaulting, defineVerb, flag, option, type Use, type Verb } from '../terminal/verb.ts'

const OPTIONS = {
  ...workerOptions("the new shop's address (or EDGETILL_WORKER_URL)"),
  envFile: option('<FILE>', 'a file with these variables; it comes first'),
  timeout: defaulting(option('<TIME>', 'how long to wait for a response', milliseconds), 60_000, '60s'),
  allowInsecureHttp: flag('http:// beyond loopback: others can read the token'),
}

/** A request has at most this many rows, and about this many characters. */
const [ROWS, LENGTH] = [200, 2 ** 20]

export const verb: Verb = defineVerb({
  name: 'load',
  heading: 'Checks',
  summary: "load a shop's log into another database",
  description:
    'Loads the log of a closed shop (GET /api/log) into an empty or closed shop, and opens that after the last row.\n' +
    'Repeat it after a failure: until it ends, the shop takes no money calls and no webhooks.',
  examples: ['load shop.log --env-file .env', 'load shop.log --worker-url http://localhost:3000 --token-file token'],
  readOn: 'guides/server.md',
  argument: { name: '<FILE>', says: 'what GET /api/log returned' },
  options: OPTIONS,
  run: load,
})

async function load(use: Use<typeof OPTIONS, string>): Promise<void> {
  const { argument: file, flags, signal, terminal } = use
  const worker = await workerOf(flags, use, {}, true)
  let [lines, length, loaded]: [string[], number, number] = [[], 0, 0]
  let isOpen: unknown
  const send = async () => {
    const rest = { input: lines.splice(0).join('\n'), signal, timeoutMs: flags.timeout, holds: 'loaded' }
    const body = await callWorker(worker, 'POST /api/log', use, rest)
    length = 0
    loaded += Number(body.loaded)
    isOpen = body.open
  }
  const stream = createReadStream(file)
  const failed = new Promise<never>((_, reject) =>
    stream.once('error', ({ message }) => reject(new UsageError(`${file} cannot be read: ${message}.`))),
  )
  const sent = (async () => {
    for await (const line of createInterface({ input: stream })) {
      if (line === '') continue
      lines.push(line)
      length += line.length
      if (lines.length >= ROWS || length >= LENGTH) await send()
    }
    if (lines.length > 0) await send()
  })()
  await Promise.race([sent, failed]).finally(terminal.progress('Loading'))
  if (!isOpen) throw new FailedError(`${file} is incomplete: its last line must be ["end",{}]. The shop stays closed.`)
  terminal.out(`${loaded} rows loaded: the shop is open.`)
}
