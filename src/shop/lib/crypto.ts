import { equalText } from '../../lib/constant-time.ts'
import { sha256Base64url } from '../../lib/sha256.ts'

/**
 * Compares a received secret with the real one. Both are hashed first, so that neither their contents nor their lengths
 * can be inferred from the time it takes.
 */
export const equalSecret = (received: string, expected: string): boolean =>
  equalText(sha256Base64url(received), sha256Base64url(expected))
