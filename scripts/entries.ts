// The public entries of the package. deno.json's `exports` is the one list: the build, the checks, the tarball tests, the API
// snapshot and knip read it here. `npm run exports:update` copies it into package.json, which npm needs in another form.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Not import.meta.dirname: tsup bundles its configuration, and keeps only the URL.
const root = fileURLToPath(new URL('..', import.meta.url))
const readJson = <T>(file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as T

export interface Entry {
  /** The file in the checkout: `src/webhooks/index.ts`. */
  source: string
  /** The file in `dist`, without its ending: `webhooks`. */
  name: string
  /** The specifier that a user imports: `edgetill/webhooks`. */
  specifier: string
}

interface PackageJson {
  name: string
  exports: Record<string, string | { types: string; default: string }>
}

export const ENTRIES: readonly Entry[] = Object.entries(
  readJson<{ exports: Record<string, string> }>('deno.json').exports,
).map(([subpath, source]) => ({
  source: source.replace(/^\.\//, ''),
  name: subpath === '.' ? 'index' : subpath.slice(2),
  specifier: `${readJson<PackageJson>('package.json').name}${subpath.slice(1)}`,
}))

/** The specifier of a file of the checkout; undefined for a file that is not public. */
export const specifierOf = (source: string): string | undefined =>
  ENTRIES.find((entry) => entry.source === source)?.specifier

/** package.json's `exports`, derived from the list. */
export function packageExports(): PackageJson['exports'] {
  const exports: PackageJson['exports'] = {}
  for (const { name } of ENTRIES) {
    exports[name === 'index' ? '.' : `./${name}`] = { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` }
  }
  return { ...exports, './package.json': './package.json' }
}

if (import.meta.main) {
  const manifest = { ...readJson<PackageJson>('package.json'), exports: packageExports() }
  writeFileSync(join(root, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}
