import { defineConfig } from 'vitest/config'
import { root } from '../tarball/support/pack.ts'

// The recipes of the guides in what each framework builds, with the packed package: npm run test:frameworks.
export default defineConfig({
  test: {
    root,
    include: ['test/frameworks/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
