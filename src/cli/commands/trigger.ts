import { Argument, Command } from 'commander'
import { encodeUtf8 } from '../../lib/utf8.ts'
import { didYouMean } from '../../schemas/documented.ts'
import { readEvent, signWebhook } from '../../webhooks/index.ts'
import { addSecretOptions, readSecrets, type SecretFlags } from '../service/secrets.ts'
import { UsageError } from '../terminal/errors.ts'
import { eventLine, withoutTokens } from '../terminal/event-text.ts'
import { repeated, webAddress } from '../terminal/option-values.ts'
import { applySettings, type Setting, setting } from '../terminal/set-values.ts'
import { printable, processTerminal } from '../terminal/terminal.ts'
import { isSuccess, type Reply, replyFields, replyText, sendRequest, shownReply } from '../webhooks/send.ts'
import { EVENT_KINDS, triggeredEvent } from '../webhooks/triggered-event.ts'

interface TriggerFlags extends SecretFlags {
  to?: string
  emulator?: string
  set?: Setting[]
  json?: true
}

const FORM: [string, string][] = [
  ['content-type', 'application/x-www-form-urlencoded'],
  ['user-agent', 'edgetill-trigger'],
]
const JSON_BODY: [string, string][] = [['content-type', 'application/json']]

/** `edgetill trigger KIND`: a complete signed webhook of any kind, sent to a receiver; or an event of the emulator, by hand. */
export function command(): Command {
  const trigger = new Command('trigger')
    .description(
      'Makes a complete signed webhook of any kind and sends it. Exits 0 when the response is 2xx, 1 otherwise.\n' +
        'With --emulator, a running emulator books the event and sends the webhook of it.',
    )
    .addArgument(new Argument('<KIND>', `${EVENT_KINDS.join(', ')}; with --emulator also charge`))
  return addSecretOptions(trigger)
    .option('--to <URL>', 'the receiver of the webhook', webAddress)
    .option('--emulator <URL>', "the emulator's address: its order order_id gets the event", webAddress)
    .option(
      '--set <PATH=VALUE>',
      'a field of the event: order_id=A-1, fee.amount=1.5; may be repeated',
      repeated(setting),
    )
    .option('--json', 'the payload and the response as JSON, for programs')
    .action((kind: string, flags: TriggerFlags) => {
      if ((flags.to === undefined) === (flags.emulator === undefined)) {
        throw new UsageError('Pass --to URL, the receiver of the webhook, or --emulator URL.')
      }
      return flags.emulator === undefined ? send(kind, flags) : book(kind, flags.emulator, flags)
    })
}

async function send(kind: string, { to = '', set = [], json, ...flags }: TriggerFlags): Promise<void> {
  const known = EVENT_KINDS.find((one) => one === kind)
  if (known === undefined) throw unknownKind(kind, EVENT_KINDS)
  const payload = triggeredEvent(known, set)
  const [secret] = await readSecrets(flags)
  const { body } = signWebhook(payload, secret.value)
  const { out, err, paint } = processTerminal()
  const reply = await replyOf(to, FORM, body)
  if (!isSuccess(reply.status)) process.exitCode = 1
  if (json) {
    // The token of the sample charges nothing. One that was set may, and the signed body holds it as well.
    const hidden = set.some(({ path, text }) => [...path, text].some((part) => /(cc|recurring)_token/.test(part)))
    const shown = hidden ? { payload: withoutTokens(payload), body: '[hidden]' } : { payload, body }
    return out(JSON.stringify({ to, ...shown, ...replyFields(reply) }))
  }
  out(eventLine(readEvent(payload)))
  if (reply.status === null) return err(`${to} cannot be reached (${reply.error}). Is the receiver running there?`)
  out(`-> ${to}: ${paint(isSuccess(reply.status) ? 'green' : 'red', printable(replyText(reply)))}`)
}

/** What the emulator does for a kind. A payment of these methods cannot be created by a documented call. */
const PAYMENTS = ['credit', 'p2p', 'lookup']
const BOOKED = ['capture', 'refund', 'void', 'auth_increment', 'charge', ...PAYMENTS]

async function book(kind: string, emulator: string, { set = [], json }: TriggerFlags): Promise<void> {
  if (!BOOKED.includes(kind)) throw unknownKind(kind, BOOKED)
  const isPayment = PAYMENTS.includes(kind)
  const text = { order_id: '', currency: '', status_code: '' }
  const given = Object.entries(applySettings(text, set)).filter(([, value]) => value !== '')
  const input = { ...(isPayment && { method: kind, amount: 100.5, currency: 'UAH' }), ...Object.fromEntries(given) }
  const url = new URL(`/_emulator/api/${isPayment ? 'payment' : kind}`, emulator).href
  const { out, err } = processTerminal()
  const reply = await replyOf(url, JSON_BODY, JSON.stringify(input))
  if (!isSuccess(reply.status)) process.exitCode = 1
  if (json) return out(JSON.stringify({ to: url, payload: withoutTokens(input), ...replyFields(reply) }))
  if (isSuccess(reply.status)) return out(`The emulator booked it: ${printable(reply.text)}`)
  if (reply.status === null) return err(`${url} cannot be reached (${reply.error}). Is the emulator running there?`)
  err(`The emulator rejected it: ${printable(replyText(reply))}`)
}

/** What came back, fit to be shown. */
async function replyOf(url: string, headers: [string, string][], body: string): Promise<Reply> {
  const done = processTerminal().progress('Waiting for the receiver')
  return shownReply(await sendRequest(url, 'POST', headers, encodeUtf8(body)).finally(done))
}

function unknownKind(kind: string, known: readonly string[]): UsageError {
  const meant = didYouMean(kind, known)
  return new UsageError(
    `Unknown kind "${kind}".${meant ? ` Did you mean ${meant}?` : ''} Expected one of: ${known.join(', ')}.`,
  )
}
