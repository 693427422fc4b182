import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { fromSource, vitestFiles } from './test/tiers.ts'

// EDGETILL_COMPATIBILITY_DATE runs the same suite in an older workerd environment (see scripts/run-tests.ts).
const compatibilityDate = process.env.EDGETILL_COMPATIBILITY_DATE ?? '2026-10-23'
const withoutNode = compatibilityDate <= '2026-08-03'

export default defineConfig({
  plugins: [
    cloudflareTest({
      miniflare: { compatibilityDate, kvNamespaces: ['STATE'], d1Databases: ['DB'] },
    }),
  ],
  resolve: fromSource,
  define: {
    'globalThis.EDGETILL_WITHOUT_NODE': JSON.stringify(withoutNode),
    'globalThis.EDGETILL_ENVIRONMENT': JSON.stringify({
      EDGETILL_SEED: process.env.EDGETILL_SEED,
      EDGETILL_LONG: process.env.EDGETILL_LONG,
    }),
  },
  test: {
    ...vitestFiles('workerd'),
    // As in vitest.config.ts. A module graph for each file takes three times as long.
    isolate: false,
    setupFiles: withoutNode ? ['test/support/without-node-globals.ts'] : [],
    testTimeout: 60_000,
    expect: { poll: { timeout: 55_000, interval: 5 } },
  },
})
