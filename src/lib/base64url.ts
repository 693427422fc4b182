const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Encodes bytes as Base64Url; the `=` padding is kept unless `padding` is false. */
export function encodeBase64url(bytes: Uint8Array, padding = true): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i
    const group = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    text += ALPHABET.charAt(group >> 18) + ALPHABET.charAt((group >> 12) & 63)
    if (left > 1) text += ALPHABET.charAt((group >> 6) & 63)
    if (left > 2) text += ALPHABET.charAt(group & 63)
    else if (padding) text += left === 2 ? '=' : '=='
  }
  return text
}

const BASE64URL = /^[\w-]*={0,2}$/

/**
 * Decodes Base64Url, padded or not, to a string with one character a byte.
 * Answers undefined for anything else, the standard alphabet's `+` and `/` included.
 */
export function decodeBase64urlBinary(text: string): string | undefined {
  if (!BASE64URL.test(text)) return undefined
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return undefined
  }
}

/** Decodes Base64Url to bytes; undefined when the text is not Base64Url. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const binary = decodeBase64urlBinary(text)
  return binary === undefined ? undefined : binaryToBytes(binary)
}

/** One byte for each character of a binary string. A plain loop: `Uint8Array.from(text, fn)` costs more than the hash. */
export function binaryToBytes(binary: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}
