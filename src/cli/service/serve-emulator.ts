import { createSecureContext } from 'node:tls'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../emulator/index.ts'
import { isConfigError } from '../../errors.ts'
import { readTextFile } from '../terminal/environment.ts'
import { UsageError } from '../terminal/errors.ts'
import { type ServeOptions, serveOnNode } from './serve-node.ts'

export interface ServeEmulatorOptions extends Omit<ServeOptions, 'tls'> {
  origin?: string | undefined
  /** Serves https with the certificate and the key in these files. */
  tlsCert?: string | undefined
  tlsKey?: string | undefined
}

export type ServedEmulator = {
  emulator: Emulator
  origin: string
  /** Stops listening, runs `save`, which sees everything that was acknowledged, and then resets the emulator. */
  close(save?: () => Promise<unknown>): Promise<void>
}

/** Serves an emulator with its clock: retries fall due by the clock, not by requests. Requests wait for `prepare`. */
export async function serveEmulator(
  { origin, tlsCert, tlsKey, ...where }: ServeEmulatorOptions,
  options: EmulatorOptions,
  prepare: (emulator: Emulator) => Promise<void> = async () => {},
): Promise<ServedEmulator> {
  const everywhere = where.host === '0.0.0.0' || where.host === '::'
  // A wrong option is rejected whether or not the port is free.
  createEmulator(origin === undefined ? options : { ...options, origin })
  const tls = (tlsCert ?? tlsKey) ? await readIdentity(tlsCert, tlsKey) : undefined
  let ready: Emulator | undefined
  const served = await serveOnNode(
    async (request) => (await ready?.fetch(request)) ?? new Response(null, { status: 503 }),
    { ...where, tls },
  )
  try {
    const reached = everywhere ? `${tls ? 'https' : 'http'}://127.0.0.1:${served.port}` : served.origin
    const emulator = createEmulator({ ...options, origin: origin ?? reached })
    await prepare(emulator)
    ready = emulator
  } catch (error) {
    await served.close()
    throw error
  }
  const { credentials, shops, reset, clock } = ready
  const due = setInterval(() => {
    // At the end of the emulator's time nothing more falls due; anything else is a mistake that has to be seen.
    for (const one of [clock, ...shops.list().map((shop) => shop.clock)]) {
      one.advance({}).catch((error: unknown) => isConfigError(error) || console.error(error))
    }
  }, 1000)
  return {
    emulator: ready,
    origin: new URL(credentials.baseUrl).origin,
    async close(save = async () => {}) {
      clearInterval(due)
      try {
        await served.close()
        await save()
      } finally {
        // A webhook that waits for its receiver would hold the process.
        for (const shop of shops.list()) shop.reset()
        reset()
      }
    },
  }
}

async function readIdentity(certFile?: string, keyFile?: string): Promise<ServeOptions['tls']> {
  const read = async (option: string, file?: string): Promise<string> => {
    if (file !== undefined) return readTextFile(file, option)
    throw new UsageError(`${option} is missing: --tls-cert and --tls-key belong together.`)
  }
  const identity = { cert: await read('--tls-cert', certFile), key: await read('--tls-key', keyFile) }
  try {
    createSecureContext(identity)
  } catch (error) {
    const files = `--tls-cert ${certFile} and --tls-key ${keyFile}`
    throw new UsageError(
      `${files} cannot be used: ${(error as Error).message}. They must be a certificate and its key, in PEM.`,
    )
  }
  return identity
}
