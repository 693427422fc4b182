import { readSecretFile, readVariables } from '../terminal/environment.ts'
import { UsageError } from '../terminal/errors.ts'
import { type Flags, group, option } from '../terminal/verb.ts'
import type { NamedSecret } from '../webhooks/verify/diagnose.ts'

/**
 * The options of a verb that needs only the API secret. A process list shows flags: no flag takes the secret itself.
 */
export const SECRET_OPTIONS = group('The API secret (or the variable EDGETILL_API_SECRET):', {
  envFile: option('<FILE>', 'a file of NAME=value lines, which come before the environment'),
  secretFile: option('<FILE>', 'a file with only the API secret'),
})

/** The API secret, and the previous one while it is being replaced. @throws {UsageError} when there is none. */
export async function readSecrets(flags: Flags<typeof SECRET_OPTIONS>): Promise<[NamedSecret, ...NamedSecret[]]> {
  const { envFile, secretFile } = flags
  const variables = await readVariables(envFile)
  const current: NamedSecret =
    secretFile === undefined
      ? { name: 'EDGETILL_API_SECRET', value: variables.EDGETILL_API_SECRET ?? '' }
      : { name: secretFile, value: await readSecretFile(secretFile) }
  if (current.value === '') {
    throw new UsageError(
      'The API secret is missing: set EDGETILL_API_SECRET, or pass --env-file or --secret-file. The merchant portal ' +
        'shows it; the emulator prints its own. On Deno, allow it with --allow-env=EDGETILL_API_SECRET.',
    )
  }
  const previous = variables.EDGETILL_API_SECRET_PREVIOUS
  return previous === undefined ? [current] : [current, { name: 'EDGETILL_API_SECRET_PREVIOUS', value: previous }]
}
