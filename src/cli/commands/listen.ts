import { readSecrets, SECRET_OPTIONS } from '../service/secrets.ts'
import { listenError, serveOnNode } from '../service/serve-node.ts'
import { isSuccess } from '../terminal/activity-lines.ts'
import { shownEvent } from '../terminal/event-text.ts'
import { untilStopped } from '../terminal/interrupt.ts'
import { isLoopback, webAddress, wholeNumber } from '../terminal/option-values.ts'
import { printable, type Terminal } from '../terminal/terminal.ts'
import { defineVerb, flag, group, option, type Use, type Verb } from '../terminal/verb.ts'
import { createListener, type Heard } from '../webhooks/listener.ts'
import { prepareFolder } from '../webhooks/received.ts'
import { replyFields, replyText } from '../webhooks/send.ts'

const OPTIONS = {
  ...SECRET_OPTIONS,
  ...group('Options:', {
    port: option('<N>', 'the port; default 4011, 0 takes a free one', wholeNumber(0, 65_535)),
    host: option('<HOST>', 'where it listens; default 127.0.0.1, 0.0.0.0 for containers and phones'),
    forwardTo: option('<URL>', 'sends body and headers on unchanged, and shows the response', webAddress),
    save: option('<DIR>', 'keeps the webhooks, for edgetill replay; they may hold card tokens'),
    json: flag('each as a line of JSON, for programs'),
  }),
}

export const verb: Verb = defineVerb({
  name: 'listen',
  heading: 'Webhooks',
  summary: 'receive webhooks, verify, print and forward them',
  description:
    'Receives webhooks at any path, verifies them and prints a line for each, until Ctrl-C:\n' +
    'time, kind, status, amount and order, or why it is rejected.',
  examples: ['listen --env-file shop.env --save received', 'listen --forward-to http://127.0.0.1:3000/ --json'],
  options: OPTIONS,
  run: listenUntilStopped,
})

async function listenUntilStopped({ flags, terminal }: Use<typeof OPTIONS, unknown>): Promise<void> {
  const { port = 4011, host = '127.0.0.1', forwardTo, save, json } = flags
  const secrets = await readSecrets(flags)
  if (save !== undefined) await prepareFolder(save)
  const stopped = untilStopped()
  const listener = createListener({
    secrets,
    forwardTo,
    save,
    onHeard: (heard) => {
      if (!json) printHeard(terminal, heard)
      else if (forwardTo === undefined) printJson(terminal, heard)
    },
    onForwarded: (heard) => (json ? printJson(terminal, heard) : printReply(terminal, heard, forwardTo ?? '')),
  })
  const served = await serveOnNode(listener, { port, host }).catch((error: unknown) => {
    throw listenError(error, { port, host })
  })
  if (!isLoopback(host)) terminal.err(`Warning: listening on ${host}. Everybody on this network can send to it.`)
  if (json) terminal.out(JSON.stringify({ type: 'start', url: `${served.origin}/` }))
  else terminal.out(`Listening for webhooks on ${served.origin}/\nCtrl-C stops it.`)
  await stopped
  await served.close()
  terminal.out(json ? JSON.stringify({ type: 'stop' }) : 'Stopped.')
}

function printHeard({ out, paint }: Terminal, { at, method, path, status, summary, event, saved }: Heard): void {
  const savedAs = saved === undefined ? '' : `  (${saved})`
  const colour = event ? (event.record.status === 'failure' ? 'yellow' : 'green') : status === 200 ? 'dim' : 'red'
  const what = method === 'POST' ? summary : `${method} ${path}: ${summary}`
  out(`${at.slice(11, 19)}  ${paint(colour, printable(what))}${savedAs}`)
}

function printReply({ out, paint }: Terminal, { at, event, reply }: Heard, forwardTo: string): void {
  if (reply === undefined) return
  const order = event?.order_id === undefined ? '' : ` (order ${event.order_id})`
  const text = paint(isSuccess(reply.status) ? 'green' : 'red', printable(replyText(reply)))
  out(`${at.slice(11, 19)}  -> ${forwardTo}: ${text}${printable(order)}`)
}

function printJson({ out }: Terminal, { event, reply, ...heard }: Heard): void {
  const forwarded = reply && replyFields(reply)
  out(JSON.stringify({ type: 'request', ...heard, event: event && shownEvent(event), forwarded }))
}
