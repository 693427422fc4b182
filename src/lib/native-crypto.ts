/** What is used of the runtime's own `crypto` module. */
interface NativeCrypto {
  hash(algorithm: string, data: string, encoding: string): string
  createHmac(algorithm: string, key: string): { update(text: string): { digest(encoding: string): string } }
}

/**
 * The runtime's own synchronous hashes: Node, Deno, Bun and workerd at newer dates have them. They are looked up at use,
 * never at import. @throws {TypeError} where there are none.
 */
export function nativeCrypto(): NativeCrypto {
  const host = globalThis as unknown as { process: { getBuiltinModule(id: string): NativeCrypto } }
  return host.process.getBuiltinModule('crypto')
}
