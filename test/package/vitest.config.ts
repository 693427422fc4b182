import { defineConfig } from 'vitest/config'
import { root } from './support/pack.ts'

// What is looked at in the tarball itself. On Node alone; test/run.ts makes the tarball first.
export default defineConfig({
  test: {
    root,
    include: ['test/package/**/*.test.ts'],
    // It imports JSON as only a bundler can.
    server: { deps: { inline: ['@actions/workflow-parser'] } },
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
