import { defineConfig } from 'vitest/config'
import { fromTarball } from './support/from-tarball.ts'
import { root } from './support/pack.ts'
import { suiteFiles } from './support/suite.ts'

// The portable suite, unchanged, against the packed tarball: on Node, Deno and Bun.
export default defineConfig({
  plugins: [fromTarball()],
  test: {
    root,
    include: suiteFiles(),
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
