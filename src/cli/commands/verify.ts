import { readSecrets, SECRET_OPTIONS } from '../service/secrets.ts'
import { UsageError } from '../terminal/errors.ts'
import { eventLine, shownEvent } from '../terminal/event-text.ts'
import { readStdin } from '../terminal/stdin.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { defineVerb, flag, group, option, type Verb } from '../terminal/verb.ts'
import { causesText } from '../webhooks/verify/causes.ts'
import { type Verdict, verifyBody, verifyForm } from '../webhooks/verify/verify.ts'

export const verb: Verb = defineVerb({
  name: 'verify',
  heading: 'Webhooks',
  summary: 'verify a webhook, or explain why it is not genuine',
  description:
    'Verifies a webhook: the body of its form from stdin, or its two fields. Prints the event, or exactly why it is ' +
    'not genuine.\n' +
    'A matching signature exits 0 even if the data cannot be read; anything else exits 1.',
  examples: ['verify --env-file shop.env < webhook.txt', 'verify --data DATA --signature SIGNATURE --json'],
  options: {
    ...SECRET_OPTIONS,
    ...group('Options:', {
      data: option('<TEXT>', 'the field data, decoded once'),
      signature: option('<TEXT>', 'the field signature, decoded once'),
      json: flag('the result as JSON, for programs'),
    }),
  },
  async run({ flags, terminal }) {
    const { data, signature, json } = flags
    if ((data === undefined) !== (signature === undefined)) {
      throw new UsageError('--data and --signature belong together: pass both, or a body on stdin.')
    }
    const secrets = await readSecrets(flags)
    const verdict =
      data === undefined || signature === undefined
        ? verifyBody(await readStdin('the body of a webhook'), secrets)
        : verifyForm({ data, signature }, secrets)
    const shown = verdict.valid && verdict.event ? { ...verdict, event: shownEvent(verdict.event) } : verdict
    if (json) terminal.out(JSON.stringify(shown))
    else printVerdict(verdict, terminal)
    return verdict.valid ? 0 : 1
  },
})

function printVerdict(verdict: Verdict, { out, err, paint }: Terminal): void {
  if (!verdict.valid) {
    err(`Not genuine: ${causesText(verdict.causes)}\n${verdict.explanation}`)
    if (verdict.proven) err('Without that change, the signature matches.')
    return
  }
  out(`${paint('green', 'Genuine')}: signed with ${verdict.secret}.`)
  if (!verdict.event) {
    out(`It cannot be read (${verdict.unreadable}): ${verdict.explanation}`)
    return
  }
  const { event } = verdict
  out(eventLine(event))
  for (const { path, message } of event.issues) out(`Not as documented: ${path} ${message}`)
  if (event.kind === 'unknown') out('Not as documented: the API document has no such method.')
  out(JSON.stringify(shownEvent(event), null, 2))
}
