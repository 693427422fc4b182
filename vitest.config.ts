import { defineConfig } from 'vitest/config'
import { fromSource, vitestFiles } from './test/tiers.ts'

// The suite on Node, Deno and Bun. test/tiers.ts says which files each of them loads.
const runtime = 'Deno' in globalThis ? 'deno' : 'Bun' in globalThis ? 'bun' : 'node'

export default defineConfig({
  resolve: fromSource,
  test: {
    ...vitestFiles(runtime),
    // One module graph for all files: no test changes a global without putting it back. Twice as fast as a process each.
    isolate: false,
    // Node has by far the most: they would go on alone, on one core, when all other runtimes are done.
    ...(runtime === 'node' && { maxWorkers: 2 }),
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Nothing beyond loopback, in watch mode too: no look-up of request.cf, no telemetry.
    env: { CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' },
  },
})
