import { Command } from 'commander'
import { addSecretOptions, readSecrets, type SecretFlags } from '../service/secrets.ts'
import { UsageError } from '../terminal/errors.ts'
import { eventLine, shownEvent } from '../terminal/event-text.ts'
import { readStdin } from '../terminal/stdin.ts'
import { processTerminal } from '../terminal/terminal.ts'
import { causesText } from '../webhooks/verify/causes.ts'
import { type Verdict, verifyBody, verifyForm } from '../webhooks/verify/verify.ts'

interface VerifyFlags extends SecretFlags {
  data?: string
  signature?: string
  json?: true
}

/** `edgetill verify`: whether a webhook is genuine, with its event, or exactly why it is not. */
export function command(): Command {
  const verify = new Command('verify').description(
    'Verifies a webhook: the body of its form from stdin, or its two fields. Prints the event, or exactly why it is not genuine.\n' +
      'A matching signature exits 0 even if the data cannot be read; anything else exits 1.',
  )
  return addSecretOptions(verify)
    .option('--data <TEXT>', 'the field data, decoded once')
    .option('--signature <TEXT>', 'the field signature, decoded once')
    .option('--json', 'the result as JSON, for programs')
    .action(async ({ data, signature, json, ...flags }: VerifyFlags) => {
      if ((data === undefined) !== (signature === undefined)) {
        throw new UsageError('--data and --signature belong together: pass both, or a body on stdin.')
      }
      const secrets = await readSecrets(flags)
      const verdict =
        data === undefined || signature === undefined
          ? verifyBody(await readStdin('the body of a webhook'), secrets)
          : verifyForm({ data, signature }, secrets)
      if (json)
        processTerminal().out(
          JSON.stringify(verdict.valid && verdict.event ? { ...verdict, event: shownEvent(verdict.event) } : verdict),
        )
      else printVerdict(verdict)
      if (!verdict.valid) process.exitCode = 1
    })
}

function printVerdict(verdict: Verdict): void {
  const { out, err, paint } = processTerminal()
  if (!verdict.valid) {
    err(`Not genuine: ${causesText(verdict.causes)}\n${verdict.explanation}`)
    if (verdict.proven) err('With that undone, the signature matches.')
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
