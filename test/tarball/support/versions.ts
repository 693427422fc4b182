import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './pack.ts'

const modules = join(root, 'test/tarball/versions/node_modules')

/** The path of a file in a package that is installed with the versions. */
export function installed(name: string, file: string): string {
  const path = join(modules, name, file)
  if (!existsSync(path)) throw new Error(`${name} is not installed: run \`npm ci --prefix test/tarball/versions\`.`)
  return path
}

/** The executable of a Node: 24 is the checkout's own. */
export const nodeAt = (major: 20 | 22 | 24 | 26): string =>
  major === 24 ? join(root, 'node_modules/node/bin/node') : installed(`node-${major}`, 'bin/node')

/** Vitest 5 needs Node 22, the package only Node 20: the newest Vitest that runs there. */
export const vitestOfNode20 = (): string => dirname(installed('vitest', 'vitest.mjs'))

/** Every TypeScript at hand, oldest first, with its compiler: a script for Node. */
export function typescripts(): [version: string, compiler: string][] {
  const names = existsSync(modules) ? readdirSync(modules).filter((name) => name.startsWith('typescript-')) : []
  const all = names.map((name): [string, string] => [name.slice('typescript-'.length), installed(name, 'bin/tsc')])
  all.push(['5.9', join(root, 'node_modules/typescript/bin/tsc')])
  return all.sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
}
