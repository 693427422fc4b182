import { createEmulator, type Emulator } from '../../../src/emulator/index.ts'
import { direct, type Json, post } from '../../emulator/call.ts'
import { type Running, start } from './process.ts'

/** Starts `edgetill emulator` in a process that ends with the test. */
export async function startEmulator(...words: string[]): Promise<{ run: Running; origins: string[] }> {
  const run = start('src/cli/main.ts', 'emulator', '--port', '0', ...words)
  await run.seen(words.includes('--json') ? '"type":"start"' : 'Ctrl-C stops it.')
  const named = run.output().matchAll(/(?:what happened +|"overview":")(https?:\/\/[^/]+)/g)
  return { run, origins: [...named].map(([, origin = '']) => origin) }
}

const defaults = createEmulator()

/** Sends a direct payment to an emulator with the usual credentials. */
export function payAt(origin = '', fields: Json = {}): Promise<Response> {
  const credentials = { ...defaults.credentials, baseUrl: origin }
  return post(
    { ...defaults, fetch: fetch as Emulator['fetch'], credentials },
    '/api/v1/payment',
    direct(defaults, fields),
  )
}
