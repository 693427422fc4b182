import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { root } from './runtimes.ts'

/** Starts workerd with a program of test/node/programs. `objects`: its classes of Durable Objects, under their bindings. */
export async function startWorkerd(
  program: string,
  objects: Record<string, string>,
  bindings: Record<string, string> = {},
): Promise<Miniflare> {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'test/node/programs', program)],
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    write: false,
  })
  const workerd = new Miniflare(
    convertV4MiniflareOptions({
      modules: [{ type: 'ESModule', path: 'worker.js', contents: outputFiles[0]?.text ?? '' }],
      compatibilityDate: '2026-10-23',
      cf: false,
      log: new Log(LogLevel.NONE),
      handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
        stdout.resume()
        stderr.resume()
      },
      bindings,
      durableObjects: Object.fromEntries(
        Object.entries(objects).map(([binding, className]) => [binding, { className, useSQLite: true }]),
      ),
    }),
  )
  await workerd.ready
  return workerd
}
