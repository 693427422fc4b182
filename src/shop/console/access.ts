import { decode, verifyWithJwks } from 'hono/jwt'
import { HOUR_MS } from '../lib/day.ts'
import type { ConsoleAccess } from './options.ts'

type Keys = NonNullable<Parameters<typeof verifyWithJwks>[1]['keys']>

/** The keys are fetched again after an hour, and for an unknown key, but not more than once a minute. */
const PAUSE_MS = 60_000
/** How far the clock of Access may be ahead. */
const AHEAD_S = 30

/**
 * Reads the person whom Cloudflare Access let through.
 *
 * @returns The e-mail address in lower case; undefined for an invalid token, and for a service's token, which names no
 *   person.
 */
export function createAccess(
  { team, audience }: ConsoleAccess,
  now: () => number,
  fetch: typeof globalThis.fetch,
): (token: string) => Promise<string | undefined> {
  const issuer = `https://${team}.cloudflareaccess.com`
  let keys: Keys = []
  let fetchedAt = Number.NEGATIVE_INFINITY
  let fetching: Promise<void> | undefined

  async function fetchKeys(): Promise<void> {
    fetchedAt = now()
    const response = await fetch(`${issuer}/cdn-cgi/access/certs`, { signal: AbortSignal.timeout(10_000) })
    const body = response.ok ? ((await response.json()) as { keys?: unknown }) : {}
    if (Array.isArray(body.keys)) keys = body.keys as Keys
  }

  async function keysFor(kid: unknown): Promise<Keys> {
    const age = now() - fetchedAt
    const isKnown = keys.some((key) => key.kid === kid)
    if (age >= HOUR_MS || (!isKnown && age >= PAUSE_MS)) {
      fetching ??= fetchKeys().finally(() => {
        fetching = undefined
      })
    }
    await fetching?.catch(() => {})
    return keys
  }

  return async (token) => {
    try {
      const { kid } = decode(token).header
      const { exp, iat, nbf, email } = await verifyWithJwks(token, {
        keys: await keysFor(kid),
        allowedAlgorithms: ['RS256'],
        verification: { iss: issuer, aud: audience, iat: false, nbf: false },
      })
      // hono never rejects a token without an expiry.
      if (typeof exp !== 'number' || typeof email !== 'string') return undefined
      const latest = Date.now() / 1000 + AHEAD_S
      if ([iat, nbf].some((begins) => begins !== undefined && !(Number(begins) <= latest))) return undefined
      return email.toLowerCase()
    } catch {
      return undefined
    }
  }
}
