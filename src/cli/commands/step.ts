import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { OnEvent } from '../../shop/options.ts'
import { readOrderFile } from '../take-home/order-file.ts'
import { walk } from '../take-home/step.ts'
import { readTextFile } from '../terminal/environment.ts'
import { UsageError } from '../terminal/errors.ts'
import { printable } from '../terminal/terminal.ts'
import { defineVerb, flag, option, required, type Verb } from '../terminal/verb.ts'

export const verb: Verb = defineVerb({
  name: 'step',
  heading: 'Checks',
  summary: "run your onEvent over an exported order's events",
  description:
    'Runs your onEvent for each event of a file that `order --export` wrote, and shows the order after each.\n' +
    'Your code really runs: what it calls is called. Exits 1 when it threw.',
  examples: ['step order.json --on-event worker/on-event.ts', 'step order.json --on-event on-event.js --json'],
  argument: { name: '<FILE>', says: 'what `edgetill order ID --worker-url URL --export FILE` wrote' },
  options: {
    onEvent: required(option('<FILE>', 'the file that exports onEvent, such as worker/on-event.ts')),
    json: flag('print JSON, one step a line'),
  },
  async run({ argument: file, flags, terminal }) {
    const taken = readOrderFile(await readTextFile(file, 'FILE'))
    if (!taken) throw new UsageError(`${file} is not an order of this version: write it with edgetill order --export.`)
    const onEvent = await load(flags.onEvent)
    let isThrown = false
    for await (const step of walk(taken, onEvent, {})) {
      const { id, order, error } = step
      isThrown ||= error !== undefined
      const { totals, flags: marks, method, status } = order
      const line = `${id}  ${method} ${status}  captured ${totals.captured / 100}, refunded ${totals.refunded / 100}`
      const look = marks.length > 0 ? `  look at it: ${marks.join(', ')}` : ''
      const text = `${line}${look}${error === undefined ? '' : `\n  onEvent threw ${error}`}`
      terminal.out(flags.json ? JSON.stringify(step) : printable(text))
    }
    return isThrown ? 1 : 0
  },
})

async function load(file: string): Promise<OnEvent> {
  try {
    const { onEvent } = await import(pathToFileURL(resolve(file)).href)
    if (typeof onEvent === 'function') return onEvent
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string }
    const fix =
      code === 'ERR_UNKNOWN_FILE_EXTENSION' ? 'Use Node 24, which reads TypeScript, or pass a .js file.' : message
    throw new UsageError(`${file} could not be loaded. ${fix}`)
  }
  throw new UsageError(
    `${file} exports no function onEvent: in a new project it is undefined, with an example above it.`,
  )
}
