/** The part of the runtime's own `crypto` module that is used. */
interface NativeCrypto {
  hash(algorithm: string, data: string, encoding: string): string
  createHmac(algorithm: string, key: string): { update(text: string): { digest(encoding: string): string } }
}

/**
 * The runtime's own synchronous hashes: Node, Deno, Bun and workerd at newer dates have them. They are looked up at
 * use, never at import. @throws {TypeError} where there are none.
 */
export const nativeCrypto = (): NativeCrypto => nativeModule('crypto') as NativeCrypto

/** A module of the runtime. @throws {TypeError} where there are none. */
export function nativeModule(id: string): unknown {
  const host = globalThis as unknown as { process: { getBuiltinModule(id: string): unknown } }
  return host.process.getBuiltinModule(id)
}

/** The hash of a text in UTF-8 as Base64Url, unpadded. */
export type TextHash = (text: string) => string

const PROBE = 'edgetill é'

/**
 * The runtime's own hash if it has a hash: 1-3 µs, while noble takes 6-20 (Web Crypto has no synchronous form). A
 * half-implemented node:crypto must not decide whether a webhook is genuine or new, so that it first has to agree with
 * noble.
 */
export function chooseHash(algorithm: 'sha1' | 'sha256', portable: TextHash): TextHash {
  try {
    const { hash } = nativeCrypto()
    const native: TextHash = (text) => hash(algorithm, text, 'base64url')
    if (native(PROBE) === portable(PROBE)) return native
  } catch {
    // There is none, or it may not be used.
  }
  return portable
}
