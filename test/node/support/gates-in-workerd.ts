import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { createEmulator } from '../../../src/emulator/index.ts'
import { bindings } from '../../worker/support/world.ts'
import { root } from './runtimes.ts'

/** Starts workerd with test/node/programs/gates-worker.ts, which answers one path with JSON. */
export async function startGates(): Promise<{
  post<T>(path: string, body: unknown): Promise<T>
  end(): Promise<void>
}> {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'test/node/programs/gates-worker.ts')],
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    write: false,
  })
  const objects = { ORDER_GATE: 'OrderGate', OBJECTS: 'Behaving', DIRECTOR: 'Director' }
  const workerd = new Miniflare(
    convertV4MiniflareOptions({
      modules: [{ type: 'ESModule', path: 'worker.js', contents: outputFiles[0]?.text ?? '' }],
      compatibilityDate: '2026-10-23',
      cf: false,
      log: new Log(LogLevel.NONE),
      // What dies is reported there.
      handleRuntimeStdio: (...streams: Readable[]) => streams.forEach((stream) => void stream.resume()),
      bindings: bindings(createEmulator().credentials) as unknown as Record<string, string>,
      durableObjects: Object.fromEntries(
        Object.entries(objects).map(([binding, className]) => [binding, { className, useSQLite: true }]),
      ),
    }),
  )
  await workerd.ready
  return {
    async post<T>(path: string, body: unknown) {
      const init = { method: 'POST', body: JSON.stringify(body) }
      return (await (await workerd.dispatchFetch(`https://worker.test/${path}`, init)).json()) as T
    },
    end: () => workerd.dispose(),
  }
}
