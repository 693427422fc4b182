import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

// The pages in a real Chromium (Debian's), driven by playwright-core. One at a time: they share a screen's worth of CPU.
export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '../..'),
    include: ['test/browser/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 90_000,
  },
})
