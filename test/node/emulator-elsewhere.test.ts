import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { expect, it } from 'vitest'
import { root } from './support/runtimes.ts'

it('the emulator is a Worker: export default createEmulator() keeps its orders and delivers webhooks after the response', async () => {
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
  const named = (name: string, contents: string) => ({
    name,
    modules: [{ type: 'ESModule' as const, path: `${name}.js`, contents }],
    compatibilityDate: '2026-08-03',
  })
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        { ...named('emulator', outputFiles[0]?.text ?? ''), serviceBindings: { HOOK: 'receiver' } },
        named('receiver', 'export default { fetch: () => new Response(null, { status: 202 }) }'),
      ],
      cf: false,
    }),
  )
  try {
    const read = async (name: string) =>
      (await miniflare.dispatchFetch(`http://emulator.test/_emulator/api/${name}`)).json()
    const payment = { method: 'credit', order_id: 'C', amount: 2, currency: 'UAH', server_url: 'http://shop.test/hook' }
    const made = await miniflare.dispatchFetch('http://emulator.test/_emulator/api/payment', {
      method: 'POST',
      body: JSON.stringify(payment),
    })
    expect(made.status).toBe(200)
    expect(await read('orders')).toMatchObject([{ order_id: 'C', status: 'success' }])
    await miniflare.dispatchFetch('http://emulator.test/_emulator/api/clock', { method: 'POST', body: '{}' })
    expect(await read('deliveries')).toMatchObject([{ order_id: 'C', attempts: [{ status: 202 }] }])
  } finally {
    await miniflare.dispose()
  }
})
