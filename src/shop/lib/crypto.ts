import { equalText } from '../../lib/constant-time.ts'
import { sha256Base64url } from '../../lib/sha256.ts'

/** Both are hashed first: neither their contents nor their lengths can be inferred from the time that it takes. */
export const equalSecret = (received: string, expected: string): boolean =>
  equalText(sha256Base64url(received), sha256Base64url(expected))
