// Starts one shop on loopback: the worker's real bundle in workerd with its KV namespace, as wrangler.toml describes it;
// the emulator of the service over HTTP; and the shop's own pages.

import { resolve } from 'node:path'
import { unstable_startWorker as startWorker } from 'wrangler'
import { serveEmulator } from '../../src/cli/service/serve-emulator.ts'
import { serveOnNode } from '../../src/cli/service/serve-node.ts'
import type { Emulator } from '../../src/emulator/index.ts'
import { bindingsOf } from '../../src/testing/sample-shop.ts'
import { createShopPages } from './pages.ts'

export interface ShopOptions {
  /** Ports of the shop, the worker and the emulator. Default: free ports. */
  ports?: { shop: number; worker: number; emulator: number }
  /** Whether to print the worker's log, and to reload the worker when its files change. */
  log?: boolean
  /** More variables of the worker. */
  env?: Record<string, string>
  /** A fault on purpose, to test that it is noticed. */
  broken?: 'worker-secret' | 'no-webhooks' | undefined
}

export interface Shop {
  /** Origin of the shop's pages. */
  shop: string
  /** Origin of the worker. */
  worker: string
  /** Origin of the emulator. */
  service: string
  emulator: Emulator
  linkSecret: string
  adminToken: string
  stop(): Promise<void>
}

export async function startShop({ ports, log, env, broken }: ShopOptions = {}): Promise<Shop> {
  // Nothing beyond loopback: wrangler would fetch `request.cf` and send usage metrics.
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false'
  process.env.WRANGLER_SEND_METRICS = 'false'
  // All settings are here: a .dev.vars or .env that lies in the folder belongs to your own `wrangler dev`.
  process.env.CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV = 'false'
  const stops: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne()
  }
  try {
    const served = await serveEmulator(
      { port: ports?.emulator ?? 0 },
      broken === 'no-webhooks' ? { fetch: () => Promise.reject(new Error('webhooks are switched off')) } : {},
    )
    stops.push(() => served.close())
    const { emulator } = served
    // The variables and secrets are those of createTestShop: the demo and the tests run the same shop.
    const own = bindingsOf(emulator.credentials)
    const { LINK_SECRET: linkSecret, ADMIN_TOKEN: adminToken } = own
    if (broken === 'worker-secret') own.API_SECRET = 'not-the-secret-of-the-service'
    const typeOf = (name: string) => (/KEY|SECRET|TOKEN/.test(name) ? 'secret_text' : 'plain_text')
    const bindings = Object.entries({ ...own, ...env }).map(([name, value]) => [
      name,
      { type: typeOf(name), value } as const,
    ])
    const worker = await startWorker({
      config: resolve(import.meta.dirname, '../../wrangler.toml'),
      // Without a file's name wrangler reads .dev.vars.
      envFiles: ['none'],
      bindings: Object.fromEntries(bindings),
      dev: {
        server: { hostname: '127.0.0.1', port: ports?.worker ?? 0 },
        logLevel: log ? 'log' : 'none',
        watch: log ?? false,
        persist: false,
        inspector: false,
      },
    })
    stops.push(() => worker.dispose())
    const workerOrigin = (await worker.url).origin
    // Its address is known shortly before it responds.
    await worker.ready
    await (await fetch(`${workerOrigin}/health`)).text()
    const pages = createShopPages({ worker: workerOrigin, service: served.origin, linkSecret, adminToken })
    const shop = await serveOnNode(async (request) => pages.fetch(request), { port: ports?.shop ?? 0 })
    stops.push(() => shop.close())
    return { shop: shop.origin, worker: workerOrigin, service: served.origin, emulator, linkSecret, adminToken, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
