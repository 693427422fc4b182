import { Command } from 'commander'
import { signWebhook } from '../../webhooks/index.ts'
import { addSecretOptions, readSecrets, type SecretFlags } from '../service/secrets.ts'
import { UsageError } from '../terminal/errors.ts'
import { readStdin } from '../terminal/stdin.ts'
import { processTerminal } from '../terminal/terminal.ts'

/** `edgetill sign`: the body of a signed webhook, from JSON. */
export function command(): Command {
  const sign = new Command('sign').description(
    'Signs a webhook of your own: JSON from stdin, the body of its form on stdout. The JSON is signed byte for byte.',
  )
  return addSecretOptions(sign)
    .option('--json', 'data, signature and body as JSON, for programs')
    .action(async ({ json, ...flags }: SecretFlags & { json?: true }) => {
      const [secret] = await readSecrets(flags)
      const text = await readStdin('the JSON of an event')
      if (text === undefined) throw new UsageError('The input is not UTF-8.')
      try {
        JSON.parse(text)
      } catch {
        // The runtime's message repeats a part of the input.
        throw new UsageError('The input is not JSON.')
      }
      const signed = signWebhook(text, secret.value)
      processTerminal().out(json ? JSON.stringify(signed) : signed.body)
    })
}
