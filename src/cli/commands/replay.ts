import { createRandom } from '../../testing/random.ts'
import { isSuccess } from '../terminal/activity-lines.ts'
import type { ExitCode } from '../terminal/errors.ts'
import { webAddress, wholeNumber } from '../terminal/option-values.ts'
import { printable } from '../terminal/terminal.ts'
import { defineVerb, flag, option, type Use, type Verb } from '../terminal/verb.ts'
import { loadReceived } from '../webhooks/received.ts'
import { replyFields, replyText, sendRequest } from '../webhooks/send.ts'

const OPTIONS = {
  to: option('<URL>', 'the receiver; default: where listen forwarded them, else where it received them', webAddress),
  shuffle: flag('in a random order'),
  double: flag('each webhook twice'),
  seed: option('<N>', 'the same seed gives the same order', wholeNumber(0, 2 ** 32 - 1)),
  json: flag('each as a line of JSON, for programs'),
}

export const verb: Verb = defineVerb({
  name: 'replay',
  heading: 'Webhooks',
  summary: 'resend the webhooks that listen saved',
  description:
    'Resends the webhooks that edgetill listen --save saved, byte for byte, one after another.\n' +
    'A receiver must handle any order and any repetition. Exits 0 when every response is 2xx, 1 otherwise.',
  examples: ['replay received --shuffle --double', 'replay received --to http://127.0.0.1:3000/webhooks --json'],
  argument: { name: '<DIR>', says: 'the folder of listen --save' },
  options: OPTIONS,
  run: replay,
})

async function replay({ argument: folder, flags, terminal }: Use<typeof OPTIONS>): Promise<ExitCode> {
  const { to, shuffle, double, seed, json } = flags
  const { out, err, paint, progress } = terminal
  const saved = await loadReceived(folder)
  const twice = double ? saved.flatMap((one) => [one, one]) : saved
  const chosen = seed ?? Math.floor(Math.random() * 2 ** 32)
  if (shuffle) err(`Shuffled with --seed ${chosen}.`)
  let failed = 0
  for (const one of shuffle ? createRandom(chosen).shuffled(twice) : twice) {
    const url = to ?? one.forwarded_to ?? one.url
    const sent = sendRequest(url, one.method, one.headers, Buffer.from(one.body, one.encoding))
    const reply = await sent.finally(progress('Waiting for the receiver'))
    if (!isSuccess(reply.status)) failed++
    const colour = isSuccess(reply.status) ? 'green' : 'red'
    const { summary, received_at } = one
    if (json) out(JSON.stringify({ summary, received_at, url, ...replyFields(reply) }))
    else out(`${printable(summary)} -> ${url}: ${paint(colour, printable(replyText(reply)))}`)
  }
  if (failed > 0) err(`${failed} of ${twice.length} got no 2xx response.`)
  return failed > 0 ? 1 : 0
}
