import { createEmulator, type Emulator, type EmulatorOptions } from '../../emulator/index.ts'
import { type Served, serveOnNode } from './serve-node.ts'

export interface ServeEmulatorOptions {
  /** Default: a free one. */
  port?: number
  /** Default 127.0.0.1. */
  host?: string
  /** The address that others reach it at. Default: where it listens. */
  origin?: string
}

export interface ServedEmulator {
  emulator: Emulator
  origin: string
  close(): Promise<void>
}

/** Serves an emulator over HTTP, with its clock: retries and scheduled charges fall due by the clock, not by requests. */
export async function serveEmulator(
  { origin, ...where }: ServeEmulatorOptions,
  options: EmulatorOptions,
): Promise<ServedEmulator> {
  // A wrong option is rejected whether or not the port is free.
  createEmulator(origin === undefined ? options : { ...options, origin })
  let emulator: Emulator | undefined
  const served: Served = await serveOnNode(
    async (request) => (await emulator?.fetch(request)) ?? new Response(null, { status: 503 }),
    where,
  )
  try {
    const everywhere = where.host === '0.0.0.0' || where.host === '::'
    const own = everywhere ? `http://127.0.0.1:${served.port}` : served.origin
    emulator = createEmulator({ ...options, origin: origin ?? own })
  } catch (error) {
    await served.close()
    throw error
  }
  const { clock, credentials, reset } = emulator
  const due = setInterval(() => {
    // At the end of the emulator's time nothing more falls due; anything else is a mistake that has to be seen.
    clock.advance({}).catch((error: unknown) => {
      if (!(error instanceof Error && error.name === 'InputError')) console.error(error)
    })
  }, 1000)
  return {
    emulator,
    origin: new URL(credentials.baseUrl).origin,
    async close() {
      clearInterval(due)
      // A webhook that waits for its receiver would hold the process.
      reset()
      await served.close()
    },
  }
}
