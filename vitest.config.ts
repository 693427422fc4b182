import { defineConfig } from 'vitest/config'

// The suite's form for Node, Deno and Bun. Files under test/node need a process, a socket or a file system: Node alone.
const onNode = !('Deno' in globalThis) && !('Bun' in globalThis)

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/browser/**', 'test/tarball/**', ...(onNode ? [] : ['test/node/**'])],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})
