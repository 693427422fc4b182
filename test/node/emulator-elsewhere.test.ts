import { join } from 'node:path'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { describe, expect, it } from 'vitest'
import type { Seen } from './programs/serve-emulator.ts'
import { root, runOn } from './support/runtimes.ts'

/** The emulator as other runtimes serve it: `emulator.fetch` handed to Deno and Bun, and the emulator as a Worker. */
describe.each(['deno', 'bun'] as const)('on %s', (runtime) => {
  it('emulator.fetch is a server as it is', async () => {
    const { statuses, record, page, orders } = await runOn<Seen>(runtime, 'serve-emulator', {})
    expect(statuses).toEqual([303, 200, 200, 200])
    expect(record).toMatchObject({ order_id: 'A-1', status: 'success', cc_mask: '411111******1111' })
    expect(page).toContain('<h1>Pay 1.00 UAH</h1>')
    expect(orders).toBe(1)
  })
})

describe('as a Worker', () => {
  it('export default createEmulator() keeps its orders and delivers webhooks after the response', async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `import { createEmulator } from './src/emulator/index.ts'
export default createEmulator({ origin: 'http://emulator.test', fetch: (url, init) => globalThis.HOOK.fetch(url, init) })`,
        resolveDir: root,
        loader: 'ts',
      },
      absWorkingDir: root,
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'neutral',
      // The receiver is another Worker, reached by a binding.
      banner: {
        js: "import { env } from 'cloudflare:workers'; globalThis.HOOK = { fetch: (...given) => env.HOOK.fetch(...given) };",
      },
      external: ['cloudflare:workers'],
    })
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        workers: [
          {
            name: 'emulator',
            modules: [{ type: 'ESModule', path: join('emulator.js'), contents: outputFiles[0]?.text ?? '' }],
            compatibilityDate: '2026-08-03',
            serviceBindings: { HOOK: 'receiver' },
          },
          {
            name: 'receiver',
            modules: [
              {
                type: 'ESModule',
                path: 'receiver.js',
                contents: 'export default { fetch: () => new Response(null, { status: 202 }) }',
              },
            ],
            compatibilityDate: '2026-08-03',
          },
        ],
        cf: false,
      }),
    )
    try {
      const read = async (name: string) =>
        (await miniflare.dispatchFetch(`http://emulator.test/_emulator/api/${name}`)).json()
      const made = await miniflare.dispatchFetch('http://emulator.test/_emulator/api/payment', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          method: 'credit',
          order_id: 'C',
          amount: 2,
          currency: 'UAH',
          server_url: 'http://shop.test/hook',
        }),
      })
      expect(made.status).toBe(200)
      expect(await read('orders')).toMatchObject([{ order_id: 'C', status: 'success' }])
      await miniflare.dispatchFetch('http://emulator.test/_emulator/api/clock', { method: 'POST', body: '{}' })
      expect(await read('deliveries')).toMatchObject([{ order_id: 'C', attempts: [{ status: 202 }] }])
    } finally {
      await miniflare.dispose()
    }
  })
})
