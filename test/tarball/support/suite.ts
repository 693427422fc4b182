import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { specifierOf } from '../../../scripts/entries.ts'
import { importsOf } from '../../node/support/imports.ts'
import { runsOn, testFiles } from '../../tiers.ts'
import { root } from './pack.ts'

/**
 * The part of the suite that runs against the tarball: `all` of it; what is `quick`, which loads every module; or what is
 * `runtime-dependent`.
 */
export type Part = 'all' | 'quick' | 'runtime-dependent'

let all: readonly string[] | undefined

/** The test files that run on every runtime, without those that look at more than the package exports. */
export function suiteFiles(part: Part): readonly string[] {
  all ??= testFiles().filter((file) => runsOn('deno', file, 'named') && internalBehind(file) === undefined)
  return part === 'all' ? all : all.filter((file) => runsOn(part === 'quick' ? 'node' : 'deno', file, 'quick'))
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
