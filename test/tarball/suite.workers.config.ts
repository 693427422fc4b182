import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { fromTarball } from './support/from-tarball.ts'
import { root } from './support/pack.ts'

// The same in workerd: with `nodejs_compat`, or at the last date that has neither `process` nor `Buffer`.
const withoutNode = process.env.EDGETILL_WITHOUT_NODE === '1'

export default defineConfig({
  plugins: [
    fromTarball(),
    cloudflareTest({
      miniflare: withoutNode
        ? { compatibilityDate: '2026-08-03', kvNamespaces: ['STATE'], d1Databases: ['DB'] }
        : {
            compatibilityDate: '2026-10-23',
            compatibilityFlags: ['nodejs_compat'],
            kvNamespaces: ['STATE'],
            d1Databases: ['DB'],
          },
    }),
  ],
  define: { 'globalThis.EDGETILL_WITHOUT_NODE': JSON.stringify(withoutNode) },
  test: {
    root,
    include: process.env.EDGETILL_SUITE?.split(' ') ?? [],
    isolate: false,
    setupFiles: withoutNode ? ['test/support/without-node-globals.ts'] : [],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // As against the sources: a machine that is busy with other work takes ten times as long.
    expect: { poll: { timeout: 55_000, interval: 5 } },
    env: { EDGETILL_SEED: process.env.EDGETILL_SEED ?? '' },
  },
})
