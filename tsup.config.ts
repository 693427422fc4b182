import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, defineConfig, type Options } from 'tsup'

const library = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  card: 'src/card/index.ts',
  orders: 'src/orders/index.ts',
  emulator: 'src/emulator/index.ts',
}

export default defineConfig(({ outDir = 'dist', dts, silent = false }) => {
  const both: Options = { outDir, silent, format: ['esm'], platform: 'neutral', target: 'es2022' }
  return {
    ...both,
    entry: { ...library, cli: 'src/cli/main.ts' },
    external: [/^node:/],
    // Deno and Workers know a built-in module by this prefix alone.
    removeNodeProtocol: false,
    clean: true,
    splitting: true,
    treeshake: true,
    // After the code, not beside it: the declarations are held against what the code exports.
    onSuccess: async () => {
      if (dts === false) return
      await build({ ...both, config: false, entry: library, dts: { entry: library, only: true } })
      await Promise.all(Object.keys(library).map((entry) => keepTypesTypes(resolve(outDir, entry))))
    },
  }
})

/**
 * The bundler of declarations writes `export type { Class }` like `export { Class }`. What is not there at run time
 * becomes a type again: a program that makes an instance of it would compile, and not start.
 */
async function keepTypesTypes(entry: string): Promise<void> {
  const there: object = await import(pathToFileURL(`${entry}.js`).href)
  const mark = (name: string) => (Object.hasOwn(there, name.split(' ').at(-1) ?? '') ? name : `type ${name}`)
  const text = await readFile(`${entry}.d.ts`, 'utf8')
  const marked = text.replace(
    /^export \{ (.*?) \}/gm,
    (_, names: string) => `export { ${names.split(', ').map(mark).join(', ')} }`,
  )
  await writeFile(`${entry}.d.ts`, marked)
}
