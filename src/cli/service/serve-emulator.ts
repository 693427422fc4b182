import { readFile } from 'node:fs/promises'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../emulator/index.ts'
import { isConfigError } from '../../errors.ts'
import { UsageError } from '../terminal/errors.ts'
import { type Identity, selfSigned } from './self-signed.ts'
import { type Served, serveOnNode } from './serve-node.ts'

export interface ServeEmulatorOptions {
  /** Default: a free one. */
  port?: number
  /** Default 127.0.0.1. */
  host?: string
  /** The address that others reach it at. Default: where it listens. */
  origin?: string
  /** Serves https, with a certificate that signs itself. */
  tls?: boolean
  /** Serves https with the certificate and the key in these files. */
  tlsCert?: string
  tlsKey?: string
}

export interface ServedEmulator {
  emulator: Emulator
  origin: string
  /** The certificate of `tls`, in PEM: what a client has to trust. */
  certificate?: string
  close(): Promise<void>
}

/** Serves an emulator over HTTP, with its clock: retries and scheduled charges fall due by the clock, not by requests. */
export async function serveEmulator(
  { origin, tls = false, tlsCert, tlsKey, ...where }: ServeEmulatorOptions,
  options: EmulatorOptions,
): Promise<ServedEmulator> {
  const everywhere = where.host === '0.0.0.0' || where.host === '::'
  // A wrong option is rejected whether or not the port is free.
  createEmulator(origin === undefined ? options : { ...options, origin })
  const named = [...(options.allowHosts ?? []), ...(origin === undefined ? [] : [new URL(origin).hostname])]
  const own = ['localhost', '127.0.0.1', '::1', ...(where.host === undefined || everywhere ? [] : [where.host])]
  const given = await readIdentity(tlsCert, tlsKey)
  const identity = given ?? (tls ? selfSigned([...new Set([...own, ...named])]) : undefined)
  let emulator: Emulator | undefined
  const served: Served = await serveOnNode(
    async (request) => (await emulator?.fetch(request)) ?? new Response(null, { status: 503 }),
    { ...where, tls: identity },
  )
  try {
    const reached = everywhere ? `${identity ? 'https' : 'http'}://127.0.0.1:${served.port}` : served.origin
    emulator = createEmulator({ ...options, origin: origin ?? reached })
  } catch (error) {
    await served.close()
    throw error
  }
  const { credentials, shops, reset } = emulator
  const main = emulator
  const due = setInterval(() => {
    // At the end of the emulator's time nothing more falls due; anything else is a mistake that has to be seen.
    for (const { clock } of [main, ...shops.list()]) {
      clock.advance({}).catch((error: unknown) => {
        if (!isConfigError(error)) console.error(error)
      })
    }
  }, 1000)
  return {
    emulator,
    origin: new URL(credentials.baseUrl).origin,
    ...(identity !== undefined && { certificate: identity.cert }),
    async close() {
      clearInterval(due)
      // A webhook that waits for its receiver would hold the process.
      for (const shop of shops.list()) shop.reset()
      reset()
      await served.close()
    },
  }
}

async function readIdentity(certFile?: string, keyFile?: string): Promise<Identity | undefined> {
  if (certFile === undefined && keyFile === undefined) return undefined
  const read = async (option: string, file: string | undefined): Promise<string> => {
    if (file === undefined) throw new UsageError(`${option} is missing: --tls-cert and --tls-key belong together.`)
    return readFile(file, 'utf8').catch((error: Error) => {
      throw new UsageError(`${option} ${file} cannot be read: ${error.message}.`)
    })
  }
  return { cert: await read('--tls-cert', certFile), key: await read('--tls-key', keyFile) }
}
