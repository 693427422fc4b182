import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { specifierOf } from '../../../scripts/entries.ts'
import { importsOf } from '../../node/support/imports.ts'
import { runsOn, testFiles } from '../../tiers.ts'
import { LEFT_OUT } from '../left-out.ts'
import { root } from './pack.ts'

/** The test files that run on every runtime. */
export const portableFiles = (): string[] => testFiles().filter((file) => runsOn('deno', file, 'all'))

/**
 * How much of the suite runs against the tarball: `all` of it; what is `quick`, which loads every module; or what is
 * `runtime-dependent`. Each runtime has all of it against the sources, from which the tarball cannot differ on one runtime alone.
 */
export type Part = 'all' | 'quick' | 'runtime-dependent'

/** The part that scripts/run-tests.ts names to a process of the suite. */
const partOfRun = (): Part => (process.env.EDGETILL_SUITE as Part | undefined) ?? 'all'

/** Those of them that run against the tarball too, without those that are left out by name. */
export function suiteFiles(part: Part = partOfRun()): string[] {
  const isLeftOut = (file: string) => Object.keys(LEFT_OUT).some((start) => file.startsWith(start))
  const files = portableFiles().filter((file) => !isLeftOut(file))
  if (part === 'all') return files
  return files.filter((file) => runsOn(part === 'quick' ? 'node' : 'deno', file, 'quick'))
}

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
