import { equalText } from '../../lib/constant-time.ts'
import { sha256Base64url } from '../../lib/sha256.ts'

/** Hashes both first, so that the time it takes reveals neither their contents nor their lengths. */
export const equalSecret = (received: string, expected: string): boolean =>
  equalText(sha256Base64url(received), sha256Base64url(expected))
