const WINDOW_MS = 60_000
const MOST = 10
/** How many addresses are tracked at most: an attacker has many. */
const KNOWN = 10_000

/** Whether an address has to wait before it tries another token. `isWrong` counts a wrong token. */
export type Tries = (address: string | undefined, isWrong?: boolean) => Promise<boolean> | boolean

/**
 * Rate-limits token guessing: after ten wrong tokens from an address within a minute, more tokens are rejected unread.
 * Each isolate counts for itself. Other addresses and signed-in people never wait; a request without an address is not
 * counted.
 */
export function createTries(now: () => number): Tries {
  const tries = new Map<string, number[]>()
  return (address = '', isWrong = false) => {
    if (address === '') return false
    const recent = (tries.get(address) ?? []).filter((at) => at > now() - WINDOW_MS)
    if (isWrong && tries.size > KNOWN) tries.clear()
    if (isWrong) tries.set(address, [...recent, now()])
    return recent.length >= MOST
  }
}
