import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { InvalidArgumentError } from 'commander'
import type { OnEvent } from '../../shop/options.ts'
import { createRandom } from '../../testing/prove/random.ts'
import { signWebhook } from '../../webhooks/index.ts'
import { readSecrets, SECRET_OPTIONS } from '../service/secrets.ts'
import { type OrderFile, readOrderFile } from '../take-home/order-file.ts'
import { walk } from '../take-home/step.ts'
import { parseEnvFile, readTextFile } from '../terminal/environment.ts'
import { UsageError } from '../terminal/errors.ts'
import { wholeNumber } from '../terminal/option-values.ts'
import { printable } from '../terminal/terminal.ts'
import { defineVerb, flag, option, repeated, type Verb } from '../terminal/verb.ts'

export const verb: Verb = defineVerb({
  name: 'step',
  heading: 'Checks',
  summary: "run your onEvent over an exported order's events",
  description:
    'Runs your onEvent for each event of a file that `order --export` wrote, and shows the order after each; or sends each\n' +
    'event to a receiver, signed. Your code really runs: what it calls is called. Exits 1 when it threw or rejected one.',
  examples: ['step order.json --on-event worker/on-event.ts', 'step order.json --url http://127.0.0.1:3000/webhooks'],
  argument: { name: '<FILE>', says: 'what `edgetill order ID --worker-url URL --export FILE` wrote' },
  options: {
    onEvent: option('<FILE>', 'the file that exports onEvent, such as worker/on-event.ts'),
    binding: repeated('<NAME=FILE>', 'a member of its env: the default export of a module; may be repeated', bindingOf),
    url: option('<URL>', 'a receiver of webhooks, in any language: gets each event as a webhook'),
    copies: flag('each event comes twice'),
    shuffle: option('<SEED>', 'the events come in an order that this number decides', wholeNumber(0, 0xffff_ffff)),
    stopAfter: option('<COUNT>', 'the first events alone, as many as this says', wholeNumber(1, 0xffff_ffff)),
    json: flag('print JSON, one step a line'),
    ...SECRET_OPTIONS,
  },
  note: 'Variables of --env-file .dev.vars are members of env too.',
  async run({ argument: file, flags, terminal, fetch = globalThis.fetch }) {
    const { onEvent: code, url, binding = [], envFile, json } = flags
    if ((code === undefined) === (url === undefined)) throw new UsageError('Pass --on-event FILE or --url URL.')
    const read = readOrderFile(await readTextFile(file, 'FILE'))
    if (!read) throw new UsageError(`${file} is not an order of this version: write it with edgetill order --export.`)
    const taken = { ...read, events: arranged(read.events, flags) }
    let isThrown = false
    if (url !== undefined) {
      const [{ value: secret }] = await readSecrets(flags)
      for (const { id, event } of taken.events) {
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        const { status } = await fetch(url, { method: 'POST', headers, body: signWebhook(event, secret).body })
        isThrown ||= status >= 300
        const text = `${printable(`${id}  ${event.method} ${event.status}`)} -> ${status}`
        terminal.out(json ? JSON.stringify({ id, status }) : text)
      }
      return isThrown ? 1 : 0
    }
    const variables = envFile === undefined ? {} : await parseEnvFile(envFile, '--env-file')
    const bound = await Promise.all(binding.map(async ([name, path]) => [name, (await load(path)).default]))
    const { onEvent } = await load(code ?? '')
    if (typeof onEvent !== 'function')
      throw new UsageError(
        `${code} exports no function onEvent: in a new project it is undefined, with an example above it.`,
      )
    for await (const step of walk(taken, onEvent as OnEvent, { ...variables, ...Object.fromEntries(bound) })) {
      const { id, order, error } = step
      isThrown ||= error !== undefined
      const { totals, flags: marks } = order
      const { method, status } = taken.events.find((one) => one.id === id)?.event ?? {}
      const line = `${id}  ${method} ${status}  captured ${totals.captured / 100}, refunded ${totals.refunded / 100}`
      const look = marks.length > 0 ? `  look at it: ${marks.join(', ')}` : ''
      // Each part is escaped, not the line break between them.
      const text = [`${line}${look}`, ...(error === undefined ? [] : [`  onEvent threw ${error}`])]
        .map(printable)
        .join('\n')
      terminal.out(json ? JSON.stringify(step) : text)
    }
    return isThrown ? 1 : 0
  },
})

function bindingOf(text: string): [name: string, file: string] {
  const [, name, file] = /^(\w+)=(.+)$/.exec(text) ?? []
  if (name && file) return [name, file]
  throw new InvalidArgumentError('It takes NAME=FILE like DB=test/database.ts.')
}

async function load(file: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(resolve(file)).href)
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string }
    const fix =
      code === 'ERR_UNKNOWN_FILE_EXTENSION' ? 'Use Node 24, which reads TypeScript, or pass a .js file.' : message
    throw new UsageError(`${file} could not be loaded. ${fix}`)
  }
}

function arranged(
  events: OrderFile['events'],
  { copies, shuffle, stopAfter }: { [name in 'shuffle' | 'stopAfter']?: number | undefined } & { copies?: unknown },
): OrderFile['events'] {
  const all = copies ? events.flatMap((one) => [one, one]) : events
  return (shuffle === undefined ? all : createRandom(shuffle).shuffled(all)).slice(0, stopAfter)
}
