import { defineConfig } from 'vitest/config'
import { fromTarball } from './support/from-tarball.ts'
import { root } from './support/pack.ts'

/** Set for the Node that the checkout's Vitest does not run on: the folder of another one, which the tests import then. */
const { EDGETILL_VITEST: vitest } = process.env

// The portable suite, unchanged, against the packed tarball: on Node, Deno and Bun.
export default defineConfig({
  plugins: [fromTarball()],
  resolve: { alias: vitest ? { vitest } : {} },
  test: {
    root,
    include: process.env.EDGETILL_SUITE?.split(' ') ?? [],
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // As against the sources: a machine that is busy with other work takes ten times as long.
    expect: { poll: { timeout: 55_000, interval: 5 } },
  },
})
