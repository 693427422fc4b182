import type { KnipConfig } from 'knip'

export default {
  // The files that are started or imported from outside, besides package.json's `exports` and `bin`; a "!" marks what is shipped, where code that only a test uses is dead code too.
  entry: [
    'examples/*.ts!',
    'examples/shop/{demo,dev}.ts!',
    'examples/receivers/*.ts!',
    // Started by name in a separate process, Worker or compiler.
    'bench/{run,programs/*,types/*}.ts',
    'scripts/*.ts',
    // Read as types.
    'test/node/programs/*.ts',
    // Imported by test/node/documents.test.ts, each for the document that has its name.
    'test/node/documents/*.ts',
    'test/node/prove/bare.ts',
    'test/support/without-node-globals.ts',
    'test/support/bun-sqlite.d.ts',
    'test/worker/support/sql-js.d.ts',
    'test/**/*.test.ts',
  ],
  project: ['{src,worker,examples}/**/*.{ts,tsx}!', '{bench,test,scripts}/**/*.{ts,tsx}'],
  vitest: { config: ['vitest*.config.ts', 'test/**/*.config.ts'] },
  // A type is exported with the function whose signature names it, for whoever wants to write it down.
  ignoreExportsUsedInFile: { interface: true, type: true },
  ignoreDependencies: [
    // Commands of scripts/check.ts and runtimes of scripts/run-tests.ts.
    'bun',
    'deno',
    'node',
    'publint',
    // Read as a file, into a page.
    'axe-core',
    // Imported by a program in test/node/till.test.ts.
    'pg',
    // Of bench/package.json and test/tarball/versions/package.json.
    '@paddle/paddle-node-sdk',
    '@polar-sh/sdk',
    'standardwebhooks',
    'stripe',
    'svix',
  ],
} satisfies KnipConfig
