import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { specifierOf } from '../../../scripts/entries.ts'
import { importsOf } from '../../node/support/imports.ts'
import { runsOn } from '../../tiers.ts'
import { LEFT_OUT } from '../left-out.ts'
import { root } from './pack.ts'

/** The test files that run on every runtime. */
export function portableFiles(): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => runsOn('deno', file, 'all'))
    .sort()
}

/** Those of them that run against the tarball too: all that are not left out by name. */
export const suiteFiles = (): string[] => portableFiles().filter((file) => !Object.hasOwn(LEFT_OUT, file))

/** On workerd those that can differ there: the others take minutes, and run there against the sources. */
export const workerdSuiteFiles = (): string[] => suiteFiles().filter((file) => runsOn('workerd', file, 'quick'))

/** The first internal file of `src/` that a file reaches at run time, through whatever helpers; types are erased. */
export function internalBehind(file: string, reached: Map<string, string | undefined> = new Map()): string | undefined {
  if (reached.has(file)) return reached.get(file)
  reached.set(file, undefined)
  for (const { to, typeOnly } of importsOf(file, readFileSync(join(root, file), 'utf8'))) {
    if (typeOnly || !/\.tsx?$/.test(to) || specifierOf(to) !== undefined) continue
    const internal = to.startsWith('src/') ? to : internalBehind(to, reached)
    if (internal === undefined) continue
    reached.set(file, internal)
    return internal
  }
  return undefined
}
