import { defineConfig } from 'vitest/config'
import { fromTarball } from './support/from-tarball.ts'
import { root } from './support/pack.ts'
import { suiteFiles } from './support/suite.ts'

/** Set for the Node that the checkout's Vitest does not run on: the folder of another one, which the tests import then. */
const { EDGETILL_VITEST: vitest } = process.env

// The portable suite, unchanged, against the packed tarball: on Node, Deno and Bun.
export default defineConfig({
  plugins: [fromTarball()],
  resolve: { alias: vitest ? { vitest } : {} },
  test: {
    root,
    include: suiteFiles(),
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
