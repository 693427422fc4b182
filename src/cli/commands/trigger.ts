import { encodeUtf8 } from '../../lib/utf8.ts'
import { didYouMean } from '../../schemas/documented.ts'
import { readEvent, signWebhook } from '../../webhooks/index.ts'
import { readSecrets, SECRET_OPTIONS } from '../service/secrets.ts'
import { isSuccess } from '../terminal/activity-lines.ts'
import { type ExitCode, UsageError } from '../terminal/errors.ts'
import { eventLine, withoutTokens } from '../terminal/event-text.ts'
import { webAddress } from '../terminal/option-values.ts'
import { applySettings, setting } from '../terminal/set-values.ts'
import { printable, type Terminal } from '../terminal/terminal.ts'
import { defineVerb, type Flags, flag, group, option, repeated, type Verb } from '../terminal/verb.ts'
import { type Reply, replyFields, replyText, sendRequest, shownReply } from '../webhooks/send.ts'
import { EVENT_KINDS, triggeredEvent } from '../webhooks/triggered-event.ts'

const FORM: [string, string][] = [
  ['content-type', 'application/x-www-form-urlencoded'],
  ['user-agent', 'edgetill-trigger'],
]
const JSON_BODY: [string, string][] = [['content-type', 'application/json']]

/** The kinds that the emulator books. No documented call creates a payment with such a method. */
const PAYMENTS = ['credit', 'p2p', 'lookup']
const BOOKED = ['capture', 'refund', 'void', 'auth_increment', 'charge', ...PAYMENTS]

const OPTIONS = {
  ...SECRET_OPTIONS,
  ...group('Options:', {
    to: option('<URL>', 'the receiver of the webhook', webAddress),
    emulator: option('<URL>', 'the address of an emulator, which records the event', webAddress),
    set: repeated('<PATH=VALUE>', 'a field of the event: order_id=A-1, fee.amount=1.5; may be repeated', setting),
    json: flag('the payload and the response as JSON, for programs'),
  }),
}
type TriggerFlags = Flags<typeof OPTIONS>

export const verb: Verb = defineVerb({
  name: 'trigger',
  heading: 'Webhooks',
  summary: 'send a complete signed webhook of any kind',
  description:
    'Makes a complete signed webhook of any kind and sends it. Exits 0 when the response is 2xx, 1 otherwise.\n' +
    'With --emulator, a running emulator records the event and sends its webhook.',
  examples: [
    'trigger refund --to http://127.0.0.1:3000/webhooks --set amount=20',
    'trigger charge --emulator http://127.0.0.1:4010 --set order_id=A-1',
  ],
  argument: {
    name: '<KIND>',
    says: `${EVENT_KINDS.join(', ')}; with --emulator also charge`,
    values: [...new Set([...EVENT_KINDS, ...BOOKED])],
  },
  options: OPTIONS,
  async run({ argument: kind, flags, terminal }) {
    if ((flags.to === undefined) === (flags.emulator === undefined)) {
      throw new UsageError('Pass --to URL, the receiver of the webhook, or --emulator URL.')
    }
    return await (flags.emulator === undefined ? send(kind, flags, terminal) : book(kind, flags, terminal))
  },
})

async function send(kind: string, flags: TriggerFlags, terminal: Terminal): Promise<ExitCode> {
  const { to = '', set = [], json } = flags
  const known = EVENT_KINDS.find((one) => one === kind)
  if (known === undefined) throw unknownKind(kind, EVENT_KINDS)
  const payload = triggeredEvent(known, set)
  const [secret] = await readSecrets(flags)
  const { body } = signWebhook(payload, secret.value)
  const { out, err, paint } = terminal
  const reply = await replyOf(to, FORM, body, terminal)
  const isTaken = isSuccess(reply.status)
  if (json) {
    // The token of the sample charges nothing. A token that you set may, and the signed body holds it as well.
    const hidden = set.some(({ path, text }) => [...path, text].some((part) => /(cc|recurring)_token/.test(part)))
    const shown = hidden ? { payload: withoutTokens(payload), body: '[hidden]' } : { payload, body }
    out(JSON.stringify({ to, ...shown, ...replyFields(reply) }))
  } else {
    out(eventLine(readEvent(payload)))
    if (reply.status === null) err(`${to} cannot be reached (${reply.error}). Is the receiver running there?`)
    else out(`-> ${to}: ${paint(isTaken ? 'green' : 'red', printable(replyText(reply)))}`)
  }
  return isTaken ? 0 : 1
}

async function book(kind: string, { emulator, set = [], json }: TriggerFlags, terminal: Terminal): Promise<ExitCode> {
  if (!BOOKED.includes(kind)) throw unknownKind(kind, BOOKED)
  const isPayment = PAYMENTS.includes(kind)
  const text = { order_id: '', currency: '', status_code: '' }
  const fields = Object.entries(applySettings(text, set)).filter(([, value]) => value !== '')
  const input = { ...(isPayment && { method: kind, amount: 100.5, currency: 'UAH' }), ...Object.fromEntries(fields) }
  const url = new URL(`/_emulator/api/${isPayment ? 'payment' : kind}`, emulator).href
  const { out, err } = terminal
  const reply = await replyOf(url, JSON_BODY, JSON.stringify(input), terminal)
  if (json) out(JSON.stringify({ to: url, payload: withoutTokens(input), ...replyFields(reply) }))
  else if (reply.status === null) err(`${url} cannot be reached (${reply.error}). Is the emulator running there?`)
  else if (isSuccess(reply.status)) out(`The emulator recorded it: ${printable(reply.text)}`)
  else err(`The emulator rejected it: ${printable(replyText(reply))}`)
  return isSuccess(reply.status) ? 0 : 1
}

async function replyOf(url: string, headers: [string, string][], body: string, terminal: Terminal): Promise<Reply> {
  const sent = sendRequest(url, 'POST', headers, encodeUtf8(body))
  return shownReply(await sent.finally(terminal.progress('Waiting for the receiver')))
}

function unknownKind(kind: string, known: readonly string[]): UsageError {
  const meant = didYouMean(kind, known)
  const hint = meant ? ` Did you mean ${meant}?` : ''
  return new UsageError(`Unknown kind "${kind}".${hint} Expected one of: ${known.join(', ')}.`)
}
