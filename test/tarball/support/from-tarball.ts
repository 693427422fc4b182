import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import type { Plugin } from 'vite'
import { specifierOf } from '../../../scripts/entries.ts'
import { packedFolder, root } from './pack.ts'

/** Where a specifier of the package leads in the packed folder, by the package's own `exports`. */
export const resolveInTarball = (specifier: string) =>
  createRequire(join(packedFolder(), 'package.json')).resolve(specifier)

/** Turns each import of a public entry's source into one of the installed package; an import of anything else of `src/` fails. */
export function fromTarball(): Plugin {
  return {
    name: 'from-tarball',
    enforce: 'pre',
    resolveId(source, importer) {
      if (!source.startsWith('.') || importer === undefined) return null
      const file = relative(root, resolve(dirname(importer), source))
      if (!file.startsWith('src/')) return null
      const specifier = specifierOf(file)
      if (specifier === undefined) throw new Error(`${relative(root, importer)} reaches ${file}, which is not exported`)
      return resolveInTarball(specifier)
    },
  }
}
