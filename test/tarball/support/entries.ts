import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './pack.ts'

const json = <T>(file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as T
const { name } = json<{ name: string }>('package.json')
const { exports } = json<{ exports: Record<string, string> }>('deno.json')

/** Every public entry: its source in the checkout → the specifier that a user of the package imports. */
export const ENTRIES: ReadonlyMap<string, string> = new Map(
  Object.entries(exports).map(([subpath, source]) => [source.replace(/^\.\//, ''), name + subpath.slice(1)]),
)
