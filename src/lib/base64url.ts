/** Encodes bytes as Base64Url; the `=` padding is kept unless `padding` is false. */
export function encodeBase64url(bytes: Uint8Array, padding = true): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  const text = btoa(binary).replaceAll('+', '-').replaceAll('/', '_')
  return padding ? text : unpadded(text)
}

/**
 * Decodes Base64Url or standard Base64, padded or not, to a string with one character a byte. Returns undefined for
 * anything else.
 */
export function decodeBase64urlBinary(text: string): string | undefined {
  try {
    const binary = atob(unpadded(text).replaceAll('-', '+').replaceAll('_', '/'))
    // It skips white space, so that too few bytes come out.
    return binary.length === bytesIn(text) ? binary : undefined
  } catch {
    return undefined
  }
}

// A loop: a pattern takes quadratic time where many "=" stand before another letter.
function unpadded(text: string): string {
  let { length } = text
  while (text[length - 1] === '=') length--
  return text.slice(0, length)
}

/** How many bytes a text in Base64 encodes, padded or not; NaN if no text has that length. */
export function bytesIn(text: string): number {
  const { length } = unpadded(text)
  return length % 4 === 1 ? Number.NaN : (length * 3) >> 2
}

/**
 * One byte for each character of a binary string. A plain loop: `Uint8Array.from(text, fn)` costs more than the hash.
 */
export function binaryToBytes(binary: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}
