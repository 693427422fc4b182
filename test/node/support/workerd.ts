import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { root } from './runtimes.ts'

/** A program of test/node/programs/ as one module for workerd. */
export async function bundled(program: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'test/node/programs', program)],
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*', 'bun:*'],
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

interface Worker {
  contents: string
  bindings?: object
  /** The classes of its Durable Objects. */
  objects?: Record<string, string>
  /** The names of its D1 databases. */
  databases?: string[]
  /** Hyperdrive bindings: the address of the database behind each. */
  hyperdrives?: Record<string, string>
  /** The services that it reaches outside. */
  outside?: (request: Request) => Promise<Response>
  /** Where its files are. */
  folder?: string
}

/** Begins to start workerd with a worker. */
export const openWorkerd = ({
  contents,
  bindings = {},
  objects = {},
  databases = [],
  hyperdrives = {},
  outside,
  folder,
}: Worker): Miniflare =>
  new Miniflare({
    ...convertV4MiniflareOptions({
      modules: [{ type: 'ESModule', path: 'worker.js', contents }],
      compatibilityDate: '2026-10-23',
      cf: false,
      log: new Log(LogLevel.NONE),
      // Crashes are reported there.
      handleRuntimeStdio: (...streams: Readable[]) => streams.forEach((stream) => void stream.resume()),
      bindings: bindings as Record<string, string>,
      kvNamespaces: { STATE: 'state' },
      d1Databases: databases,
      // Drivers of Postgres need Node's modules.
      ...(Object.keys(hyperdrives).length > 0 && { hyperdrives, compatibilityFlags: ['nodejs_compat'] }),
      durableObjects: Object.fromEntries(
        Object.entries(objects).map(([binding, className]) => [binding, { className, useSQLite: true }]),
      ),
      ...(outside && { outboundService: outside as never }),
    }),
    ...(folder !== undefined && { resourcePersistencePath: folder }),
  })
