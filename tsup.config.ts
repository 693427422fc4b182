import { copyFile } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { rolldown } from 'rolldown'
import { dts as declarations } from 'rolldown-plugin-dts'
import { defineConfig } from 'tsup'
import manifest from './package.json' with { type: 'json' }
import { ENTRIES } from './scripts/entries.ts'

/** The folders whose routes are mounted in an app of the user. */
const SHOP = [resolve('src/shop') + sep, resolve('src/console') + sep]

const library = Object.fromEntries(ENTRIES.map(({ name, source }) => [name, `./${source}`]))

export default defineConfig(({ outDir = 'dist', dts }) => ({
  outDir,
  entry: { ...library, cli: 'src/cli/main.ts' },
  format: ['esm'],
  platform: 'neutral',
  target: 'es2022',
  define: { EDGETILL_VERSION: JSON.stringify(manifest.version) },
  // Dependencies stay outside. A devDependency that is imported is bundled: commander and smol-toml.
  external: [/^node:/],
  // A peer dependency: a shop's engine shares Hono with the app that mounts it. The emulator and the command line bring it.
  noExternal: [/^hono(\/|$)/],
  esbuildPlugins: [
    {
      name: 'hono-of-the-shop',
      setup({ onResolve }) {
        onResolve({ filter: /^hono(\/|$)/ }, ({ path, importer }) =>
          SHOP.some((folder) => importer.startsWith(folder)) ? { path, external: true, sideEffects: false } : undefined,
        )
      },
    },
  ],
  // Deno and Workers know a built-in module by this prefix alone.
  removeNodeProtocol: false,
  clean: true,
  splitting: true,
  treeshake: true,
  onSuccess: async () => {
    for (const name of ['hono', 'commander', 'smol-toml', 'uqr']) {
      await copyFile(`node_modules/${name}/LICENSE`, join(outDir, `LICENSE-${name}.txt`))
    }
    if (dts === false) return
    // Each file's declarations follow from its own annotations (isolatedDeclarations); then they are bundled.
    const bundle = await rolldown({
      input: library,
      platform: 'neutral',
      external: [/^[^./]/],
      plugins: declarations({ oxc: true, emitDtsOnly: true }),
    })
    await bundle.write({ dir: outDir, format: 'esm' })
    await bundle.close()
  },
}))
