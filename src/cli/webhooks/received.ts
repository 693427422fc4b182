import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { decodeUtf8, encodeUtf8 } from '../../lib/utf8.ts'
import { parseJson } from '../json.ts'
import { UsageError } from '../terminal/errors.ts'

const text = v.string()
const receivedSchema = v.object({
  received_at: text,
  method: text,
  url: text,
  forwarded_to: v.nullable(text),
  headers: v.array(v.tuple([text, text])),
  summary: text,
  /** The body as a text, or in Base64 where it is not UTF-8: its bytes are signed. */
  body: text,
  encoding: v.picklist(['utf8', 'base64']),
})

export type Received = v.InferOutput<typeof receivedSchema>

/** A body as it is saved. `Buffer.from(body, encoding)` gives its bytes again. */
export function bodyText(bytes: Uint8Array): Pick<Received, 'body' | 'encoding'> {
  const body = decodeUtf8(bytes)
  // A byte order mark would be lost in a text.
  if (body !== undefined && encodeUtf8(body).length === bytes.length) return { body, encoding: 'utf8' }
  return { body: Buffer.from(bytes).toString('base64'), encoding: 'base64' }
}

/** Makes the folder, before anything is received that could not be kept. Others cannot read it. @throws {UsageError} */
export async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new UsageError(`--save ${folder} cannot be used: ${error.message}.`)
  })
}

/**
 * Saves a request as one file; its name sorts by the time of receipt. Others cannot read it: it may hold a card token.
 */
export async function saveReceived(folder: string, received: Received, count: number): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = `${received.received_at.replaceAll(/[-:.]/g, '')}-${String(count).padStart(4, '0')}.json`
  const file = join(folder, name)
  await writeFile(file, `${JSON.stringify(received, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  return file
}

/** The requests of a folder, in the order in which they were received. @throws {UsageError} */
export async function loadReceived(folder: string): Promise<Received[]> {
  const saves = `edgetill listen --save ${folder}`
  const entries = await readdir(folder).catch(({ code, message }: NodeJS.ErrnoException) => {
    const cause = code === 'ENOENT' ? 'there is no such folder' : message
    throw new UsageError(`${folder} cannot be read: ${cause}. ${saves} makes it.`)
  })
  const names = entries.filter((name) => name.endsWith('.json')).sort()
  if (names.length === 0) throw new UsageError(`${folder} holds no webhooks. ${saves} saves them.`)
  return Promise.all(
    names.map(async (name) => {
      const file = join(folder, name)
      const read = v.safeParse(receivedSchema, parseJson(await readFile(file, 'utf8').catch(() => '')))
      if (read.success) return read.output
      throw new UsageError(`${file} was not saved by edgetill listen. Move it out of the folder.`)
    }),
  )
}
