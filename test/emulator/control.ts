import type { Emulator } from '../../src/emulator/index.ts'
import type { Json } from './call.ts'

/** Control requests and pages of an emulator, over HTTP. */

export const CONTROL = 'http://emulator.localhost/_emulator'

/** Posts a control request: JSON, or text as it is. */
export async function command(emulator: Emulator, name: string, body: unknown = {}, type = 'application/json') {
  const response = await emulator.fetch(`${CONTROL}/api/${name}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, json: (await response.json()) as Json }
}

/** The text of a page, or of what the control API reads: `/orders`, `/api/orders`. */
export async function read(emulator: Emulator, path: string): Promise<string> {
  return (await emulator.fetch(path.startsWith('http') ? path : CONTROL + path)).text()
}

export async function readJson<T = unknown>(emulator: Emulator, name: string): Promise<T> {
  return JSON.parse(await read(emulator, `/api/${name}`)) as T
}
