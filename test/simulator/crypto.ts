// The runtime's cryptography answers from other threads, in an order that no seed decides. During a schedule its results are
// computed at once, and what is random comes from the seed.
import { hkdf } from '@noble/hashes/hkdf.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha1 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'

type Name = string | { name: string; hash?: string | { name: string }; salt?: BufferSource; info?: BufferSource }
interface Key {
  bytes: Uint8Array
  hash: string
}

const bytesOf = (source: BufferSource): Uint8Array =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source)
const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer
const hashOf = (name: Name | undefined): string => (typeof name === 'string' ? name : (name?.name ?? 'SHA-256'))
const functionOf = (name: string) => (name === 'SHA-1' ? sha1 : sha256)
const TAG_BYTES = 16

/** A cipher in the place of AES-GCM: a stream that the key and the nonce decide, and a tag. */
function crypt({ bytes: key }: Key, iv: Uint8Array, text: Uint8Array): Uint8Array {
  const result = new Uint8Array(text)
  for (let at = 0; at < text.length; at += 32) {
    const block = hmac(sha256, key, new Uint8Array([...iv, at >> 16, (at >> 8) & 255, at & 255]))
    for (let i = 0; i < 32 && at + i < text.length; i++)
      result[at + i] = (text[at + i] as number) ^ (block[i] as number)
  }
  return result
}

const tagOf = (key: Key, iv: Uint8Array, hidden: Uint8Array): Uint8Array =>
  hmac(sha256, key.bytes, new Uint8Array([...iv, ...hidden])).subarray(0, TAG_BYTES)

const equal = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i])

const SUBTLE = {
  async digest(name: Name, data: BufferSource) {
    return bufferOf(functionOf(hashOf(name))(bytesOf(data)))
  },
  async importKey(_format: string, data: BufferSource, name: Name): Promise<Key> {
    return { bytes: new Uint8Array(bytesOf(data)), hash: hashOf(typeof name === 'string' ? undefined : name.hash) }
  },
  async deriveKey(name: Exclude<Name, string>, key: Key): Promise<Key> {
    const none = new Uint8Array()
    const bytes = hkdf(sha256, key.bytes, bytesOf(name.salt ?? none), bytesOf(name.info ?? none), 32)
    return { bytes, hash: 'SHA-256' }
  },
  async sign(_name: Name, key: Key, data: BufferSource) {
    return bufferOf(hmac(functionOf(key.hash), key.bytes, bytesOf(data)))
  },
  async verify(_name: Name, key: Key, mark: BufferSource, data: BufferSource) {
    return equal(hmac(functionOf(key.hash), key.bytes, bytesOf(data)), bytesOf(mark))
  },
  async encrypt({ iv }: { iv: BufferSource }, key: Key, data: BufferSource) {
    const hidden = crypt(key, bytesOf(iv), bytesOf(data))
    return new Uint8Array([...hidden, ...tagOf(key, bytesOf(iv), hidden)]).buffer
  },
  async decrypt({ iv }: { iv: BufferSource }, key: Key, data: BufferSource) {
    const all = bytesOf(data)
    const hidden = all.subarray(0, -TAG_BYTES)
    if (!equal(tagOf(key, bytesOf(iv), hidden), all.subarray(-TAG_BYTES)))
      throw new DOMException('The tag differs.', 'OperationError')
    return bufferOf(crypt(key, bytesOf(iv), hidden))
  },
}

/** Replaces the runtime's cryptography. @returns What puts it back. */
export function replaceCrypto(random: () => number): () => void {
  const digits = () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
  const values = {
    randomUUID: () => `${digits()}-0000-4000-8000-${digits()}${digits().slice(0, 4)}`,
    getRandomValues: <T extends Uint8Array>(array: T): T => {
      for (let i = 0; i < array.length; i++) array[i] = Math.floor(random() * 256)
      return array
    },
  }
  // The pause before a retry is drawn by it.
  const draw = Math.random
  Math.random = random
  for (const [name, value] of Object.entries(values)) Object.defineProperty(crypto, name, { configurable: true, value })
  for (const [name, value] of Object.entries(SUBTLE))
    Object.defineProperty(crypto.subtle, name, { configurable: true, value })
  return () => {
    Math.random = draw
    for (const name of Object.keys(values)) Reflect.deleteProperty(crypto, name)
    for (const name of Object.keys(SUBTLE)) Reflect.deleteProperty(crypto.subtle, name)
  }
}
