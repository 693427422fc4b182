import { signWebhook } from '../../webhooks/index.ts'
import { readSecrets, SECRET_OPTIONS } from '../service/secrets.ts'
import { UsageError } from '../terminal/errors.ts'
import { readStdin } from '../terminal/stdin.ts'
import { defineVerb, flag, group, type Verb } from '../terminal/verb.ts'

export const verb: Verb = defineVerb({
  name: 'sign',
  heading: 'Webhooks',
  summary: 'sign a webhook of your own',
  description:
    'Signs a webhook of your own: JSON from stdin, the body of its form on stdout. The JSON is signed byte for byte.',
  examples: ['sign --env-file shop.env < event.json', 'sign --secret-file secret.txt --json < event.json'],
  options: {
    ...SECRET_OPTIONS,
    ...group('Options:', { json: flag('data, signature and body as JSON, for programs') }),
  },
  async run({ flags, terminal }) {
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
    terminal.out(flags.json ? JSON.stringify(signed) : signed.body)
  },
})
