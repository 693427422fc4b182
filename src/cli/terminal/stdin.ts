import { decodeUtf8 } from '../../lib/utf8.ts'
import { UsageError } from './errors.ts'

/** Bytes: far more than any webhook has, so that an endless input does not fill the memory. */
const LIMIT = 16 * 1024 * 1024

/**
 * All of stdin as a text, without a final line break; undefined when it is not UTF-8. @throws {UsageError} if empty.
 */
export async function readStdin(what: string): Promise<string | undefined> {
  if (process.stdin.isTTY) console.error(`Paste ${what}, then press Ctrl-D.`)
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of process.stdin) {
    parts.push(part as Uint8Array)
    size += (part as Uint8Array).length
    if (size > LIMIT) throw new UsageError(`The input is longer than ${LIMIT} bytes: pass ${what} on stdin.`)
  }
  const whole = decodeUtf8(Buffer.concat(parts))?.replace(/\r?\n$/, '')
  if (whole === '') throw new UsageError(`There is no input: pass ${what} on stdin.`)
  return whole
}
