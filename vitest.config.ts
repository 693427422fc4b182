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
    ...(runtime === 'node' && { setupFiles: ['test/support/own-network.ts'] }),
    // A machine that is busy with other work takes ten times as long. Waits have a little less than the test that they are in.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 55_000, interval: 5 } },
    // npm run coverage: the rooms that decide about money.
    coverage: {
      reportOnFailure: true,
      include: ['src/{till,outcome,orders}/**/*.ts'],
      reporter: ['text', 'text-summary'],
    },
    // Nothing beyond loopback, in watch mode too: no look-up of request.cf, no telemetry.
    env: { CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' },
  },
})
