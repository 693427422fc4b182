import { defineConfig } from 'vitest/config'
import { root } from './support/pack.ts'

// What is looked at in the tarball itself. On Node alone; test/run.ts makes the tarball first.
export default defineConfig({
  test: {
    root,
    include: ['test/package/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
