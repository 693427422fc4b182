import { defineConfig } from 'vitest/config'
import { root } from './support/pack.ts'

// Checks of the tarball itself. On Node alone; scripts/run-tests.ts makes the tarball first.
export default defineConfig({
  test: {
    root,
    include: ['test/tarball/**/*.test.ts'],
    // It imports JSON as only a bundler can.
    server: { deps: { inline: [/@actions\/workflow-parser/] } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
