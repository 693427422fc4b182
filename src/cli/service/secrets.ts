import type { Command } from 'commander'
import { readSecretFile, readVariables } from '../terminal/environment.ts'
import { UsageError } from '../terminal/errors.ts'
import type { NamedSecret } from '../webhooks/verify/diagnose.ts'

/** What commander reads for a verb that needs the API secret alone. */
export interface SecretFlags {
  envFile?: string
  secretFile?: string
}

/** The options of a verb that needs the API secret alone. A process list shows flags: no flag takes the secret itself. */
export function addSecretOptions(command: Command): Command {
  return command
    .optionsGroup('The API secret (or the variable EDGETILL_API_SECRET):')
    .option('--env-file <FILE>', 'a file of NAME=value lines, which come before the environment')
    .option('--secret-file <FILE>', 'a file that holds the API secret alone')
    .optionsGroup('Options:')
}

/**
 * The API secret, and the previous one while it is being replaced.
 *
 * @throws {UsageError} when none is configured, or a file cannot be read.
 */
export async function readSecrets({ envFile, secretFile }: SecretFlags): Promise<[NamedSecret, ...NamedSecret[]]> {
  const variables = await readVariables(envFile)
  const current: NamedSecret =
    secretFile === undefined
      ? { name: 'EDGETILL_API_SECRET', value: variables.EDGETILL_API_SECRET ?? '' }
      : { name: secretFile, value: await readSecretFile(secretFile) }
  if (current.value === '') {
    throw new UsageError(
      'The API secret is missing: set EDGETILL_API_SECRET, or pass --env-file or --secret-file. The merchant portal shows ' +
        'it; the emulator prints its own. On Deno, allow it with --allow-env=EDGETILL_API_SECRET.',
    )
  }
  const previous = variables.EDGETILL_API_SECRET_PREVIOUS
  return previous === undefined ? [current] : [current, { name: 'EDGETILL_API_SECRET_PREVIOUS', value: previous }]
}
