/** Encodes bytes as Base64Url; the `=` padding is kept unless `padding` is false. */
export function encodeBase64url(bytes: Uint8Array, padding = true): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  const text = btoa(binary).replaceAll('+', '-').replaceAll('/', '_')
  return padding ? text : text.replace(/=+$/, '')
}

/**
 * Decodes Base64Url or standard Base64, padded or not, to a string with one character a byte. Returns undefined for anything else.
 */
export function decodeBase64urlBinary(text: string): string | undefined {
  let { length } = text
  while (text.endsWith('=', length)) length--
  try {
    const binary = atob(text.slice(0, length).replaceAll('-', '+').replaceAll('_', '/'))
    // It skips white space, so that too few bytes come out.
    return length % 4 !== 1 && binary.length === (length * 3) >> 2 ? binary : undefined
  } catch {
    return undefined
  }
}

/** One byte for each character of a binary string. A plain loop: `Uint8Array.from(text, fn)` costs more than the hash. */
export function binaryToBytes(binary: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}
