import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

// EDGETILL_COMPATIBILITY_DATE runs the same suite in an older workerd environment (see test/run.ts).
const compatibilityDate = process.env.EDGETILL_COMPATIBILITY_DATE ?? '2026-10-23'

export default defineConfig({
  plugins: [
    cloudflareTest({
      miniflare: { compatibilityDate, kvNamespaces: ['STATE'] },
    }),
  ],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/host/**', 'test/browser/**'],
    testTimeout: 20_000,
  },
})
