import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { importsOf } from '../../host/support/imports.ts'
import { ENTRIES } from './entries.ts'
import { root } from './pack.ts'

export interface Suite {
  /** The test files that need nothing of `src/` but what the package exports: these can run against the tarball. */
  files: string[]
  /** The others, each with the internal file that it reaches. */
  internal: Map<string, string>
}

/** Divides the portable test files. Computed from their imports, so that no new file is forgotten. */
export function findSuite(): Suite {
  const suite: Suite = { files: [], internal: new Map() }
  const reached = new Map<string, string | undefined>()
  for (const file of testFiles()) {
    const internal = internalBehind(file, reached)
    if (internal === undefined) suite.files.push(file)
    else suite.internal.set(file, internal)
  }
  return suite
}

function testFiles(): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !/^test\/(host|browser|package)\//.test(file))
    .sort()
}

/** The first internal file of `src/` that a file reaches at run time, through whatever helpers; types are erased. */
function internalBehind(file: string, reached: Map<string, string | undefined>): string | undefined {
  if (reached.has(file)) return reached.get(file)
  reached.set(file, undefined)
  for (const { to, typeOnly } of importsOf(file, readFileSync(join(root, file), 'utf8'))) {
    if (typeOnly || !/\.tsx?$/.test(to) || ENTRIES.has(to)) continue
    const internal = to.startsWith('src/') ? to : internalBehind(to, reached)
    if (internal === undefined) continue
    reached.set(file, internal)
    return internal
  }
  return undefined
}
