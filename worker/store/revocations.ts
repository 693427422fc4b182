import type { KvStore } from './kv.ts'

/** KV's shortest time to live. */
const SHORTEST_SECONDS = 60
const PREFIX = 'revoked/'

/** A link's token begins with 16 characters that no other link has. */
const nonceOfPath = (path: string): string => path.slice(path.lastIndexOf('/') + 1).slice(0, 16)

/**
 * Revokes a link.
 *
 * Key `revoked/<first 16 characters of the link's token>`; value: when; gone when the link has expired.
 */
export async function putRevocation(
  store: KvStore,
  nonce: string,
  { at, expiresAt }: { at: number; expiresAt: number },
): Promise<void> {
  const seconds = Math.ceil((expiresAt - at) / 1000)
  await store.put(PREFIX + nonce, { at, expires_at: expiresAt }, undefined, Math.max(seconds, SHORTEST_SECONDS))
}

/** Whether the link with this path was revoked. */
export async function isRevoked(store: KvStore, path: string): Promise<boolean> {
  return (await store.get(PREFIX + nonceOfPath(path))) !== undefined
}
