// Reads the routes of `/api` from guides/shop-reference.md; test/node/worker-routes.test.ts holds it against the engine.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Call } from '../../src/shop/routes/results.ts'

const text = readFileSync(join(import.meta.dirname, '../../guides/shop-reference.md'), 'utf8')

/** The cells of the table whose first column has this title. */
function cellsOf(title: string): string[][] {
  const [, rest = ''] = text.split(`\n| ${title} |`)
  const rows = (rest.split('\n\n')[0] ?? '').split('\n').slice(2)
  return rows.map((row) => row.split('|').slice(1, -1))
}

const quoted = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, found]) => found as string)

/** The rows of `/api`. */
export const GUIDE: readonly { route: Call; may: string; does: string; query: string[]; errors: string[] }[] = cellsOf(
  'route of `/api`',
).map(([call, may = '', does = '', query, errors]) => {
  return {
    route: quoted(call)[0] as Call,
    may: may.trim(),
    does: does.trim(),
    query: quoted(query),
    errors: quoted(errors),
  }
})

/** Each code of an error: the statuses that it comes with, and what it means. */
export const ERRORS: ReadonlyMap<string, { statuses: number[]; means: string }> = new Map(
  cellsOf('code').flatMap(([codes, statuses = '', means = '']) =>
    quoted(codes).map((code) => [code, { statuses: statuses.split(',').map(Number), means: means.trim() }] as const),
  ),
)

/** The effect of each filter of a list. */
export const FILTERS: ReadonlyMap<string, string> = new Map(
  cellsOf('parameter').flatMap(([name, means = '']) => quoted(name).map((one) => [one, means.trim()] as const)),
)

/** Those that every route can return. */
export const COMMON: readonly string[] = [
  'unauthorized',
  'too_many_tries',
  'invalid_parameter',
  'config',
  'state',
  'internal',
]
