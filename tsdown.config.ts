import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'tsdown'
import { ENTRIES } from './scripts/entries.ts'

const library = Object.fromEntries(ENTRIES.map(({ name, source }) => [name, source]))

// Dependencies stay outside the bundle. A devDependency that is imported is bundled: only Hono, by the emulator and the command.
export default defineConfig({
  entry: { ...library, cli: 'src/cli/main.ts' },
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  fixedExtension: false,
  // Declarations are emitted for each file from its own annotations (isolatedDeclarations), then bundled.
  dts: { oxc: true, entry: Object.values(library) },
  deps: { neverBundle: [/^node:/], onlyBundle: ['hono'] },
  failOnWarn: true,
  hooks: {
    'build:done': ({ options }) => {
      copyFileSync('node_modules/hono/LICENSE', join(options.outDir, 'LICENSE-hono.txt'))
    },
  },
})
