import { rmSync } from 'node:fs'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import process from 'node:process'
import { rolldown } from 'rolldown'
import { dts as declarations } from 'rolldown-plugin-dts'
import { defineConfig, type Options } from 'tsup'
import manifest from './package.json' with { type: 'json' }
import { ENTRIES } from './scripts/entries.ts'

/** The folder whose routes are mounted in an app of the user. */
const SHOP = resolve('src/shop') + sep

const library = Object.fromEntries(ENTRIES.map(({ name, source }) => [name, `./${source}`]))

/** Entries that share a shop, an emulator or a command line: loaded once, in chunks. */
const SHARED = ['worker', 'server', 'console', 'emulator', 'testing', 'schemas']
const pick = (isIn: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(library).filter(([name]) => isIn(name)))

const options = {
  format: ['esm'],
  platform: 'neutral',
  target: 'es2022',
  define: { EDGETILL_VERSION: JSON.stringify(manifest.version) },
  external: [/^node:/],
  // Deno and Workers know a built-in module by this prefix alone.
  removeNodeProtocol: false,
  treeshake: true,
  // The Ukrainian texts as they are, not escaped.
  esbuildOptions(esbuild) {
    esbuild.charset = 'utf8'
  },
} as const satisfies Options

/** What one program imports together: these share one chunk. */
const TOGETHER = ['index', 'webhooks', 'orders']

/**
 * What a script or an edge function loads: one file each, or two, with the used parts of the dependencies. It starts four
 * times as fast.
 */
const small = (outDir: string): Options => {
  const names = Object.keys(pick((name) => !SHARED.includes(name)))
  return {
    ...options,
    outDir,
    entry: Object.fromEntries(names.map((name) => [`parts/${name}`, library[name] as string])),
    noExternal: ['valibot', /^@noble\/hashes/],
    splitting: true,
    esbuildOptions(esbuild) {
      options.esbuildOptions(esbuild)
      esbuild.chunkNames = 'parts/[hash]'
    },
    dts: false,
    // Without whitespace; esbuild would drop the annotations by which a bundler leaves out the unused parts.
    onSuccess: async () => {
      const minify = {
        compress: { keepNames: { function: true, class: true } },
        mangle: false,
        codegen: { removeWhitespace: true },
      } as const
      const parts = resolve(outDir, 'parts')
      for (const group of [TOGETHER, ...names.filter((name) => !TOGETHER.includes(name)).map((name) => [name])]) {
        const input = Object.fromEntries(group.map((name) => [name, join(parts, `${name}.js`)]))
        const bundle = await rolldown({ input, platform: 'neutral', external: [/^[^./]/] })
        await bundle.write({
          ...{ dir: outDir, format: 'esm', minify, comments: { annotation: true, legal: false } },
          codeSplitting: { groups: [{ name: 'common', minShareCount: 2 }] },
          chunkFileNames: '[name]-[hash].js',
        })
        await bundle.close()
      }
      rmSync(parts, { recursive: true })
    },
  }
}

export default defineConfig(({ outDir = 'dist', dts }) => {
  // knip reads this file too, and must not remove what was built.
  if (/tsup/.test(process.argv[1] ?? '')) rmSync(outDir, { recursive: true, force: true })
  return [small(outDir), shared(outDir, dts !== false)]
})

const shared = (outDir: string, hasTypes: boolean): Options => ({
  ...options,
  outDir,
  entry: { ...pick((name) => SHARED.includes(name)), cli: 'src/cli/main.ts' },
  // A shop's engine shares Hono with the app that mounts it. The emulator and the command line bring it.
  noExternal: [/^hono(\/|$)/],
  esbuildPlugins: [
    {
      name: 'hono-of-the-shop',
      setup({ onResolve }) {
        onResolve({ filter: /^hono(\/|$)/ }, ({ path, importer }) =>
          importer.startsWith(SHOP) ? { path, external: true, sideEffects: false } : undefined,
        )
      },
    },
  ],
  splitting: true,
  // Two thirds of the package; names stay, for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  dts: false,
  onSuccess: async () => {
    for (const name of ['hono', 'commander', 'smol-toml', 'uqr', '@noble/hashes', 'valibot']) {
      const licence = name === 'valibot' ? 'LICENSE.md' : 'LICENSE'
      await copyFile(`node_modules/${name}/${licence}`, join(outDir, `LICENSE-${name.split('/').at(-1)}.txt`))
    }
    if (!hasTypes) return
    // Each file's declarations follow from its own annotations (isolatedDeclarations); then they are bundled.
    const bundle = await rolldown({
      input: library,
      platform: 'neutral',
      external: [/^[^./]/],
      plugins: declarations({ oxc: true, emitDtsOnly: true }),
    })
    await bundle.write({ dir: outDir, format: 'esm' })
    await bundle.close()
    // A project whose `lib` ends with ES2022 does not know Symbol.asyncDispose.
    const testing = join(outDir, 'testing.d.ts')
    await writeFile(testing, `/// <reference lib="esnext.disposable" />\n${await readFile(testing, 'utf8')}`)
  },
})
