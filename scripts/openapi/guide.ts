// The words of guides/shop-reference.md about the routes of `/api`; its table is made from the rows.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { API } from '../../src/shop/routes/api.ts'
import { carryOver } from '../../src/shop/routes/carry-over.ts'
import type { Route } from '../../src/shop/routes/route.ts'

/** Every route, also those that only a shop with `carryOver` has: they take and return lines, and OpenAPI has none of them. */
export const ROUTES: Readonly<Record<string, Route>> = { ...API, ...(carryOver.routes() as Record<string, Route>) }

export const GUIDE_FILE: string = join(import.meta.dirname, '../../guides/shop-reference.md')
const text = readFileSync(GUIDE_FILE, 'utf8')

/** The cells of the table whose first column has this title. */
function cellsOf(title: string): string[][] {
  const [, rest = ''] = text.split(`\n| ${title} |`)
  const rows = (rest.split('\n\n')[0] ?? '').split('\n').slice(2)
  return rows.map((row) => row.split('|').slice(1, -1))
}

const quoted = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, found]) => found as string)

/** The effect of each route: the one thing that its row does not say. */
export const DOES: ReadonlyMap<string, string> = new Map(
  cellsOf('route of `/api`').flatMap(([call, , does = '']) => quoted(call).map((one) => [one, does.trim()] as const)),
)

/** The guide, with the table of the routes as the rows say it. */
export function guideText(): string {
  const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')
  const rows = Object.entries(ROUTES).map(([call, row]) => {
    const { may, query = {} } = row
    const cells = [list([call]), may, DOES.get(call) ?? '', list(Object.keys(query)), list(errorsOf(row))]
    return cells.map((cell) => `| ${cell}${cell && ' '}`).join('')
  })
  return text.replace(/(\n\| route of `\/api` .*\n.*\n)[\s\S]*?\n\n/, (_, head) => `${head}${rows.join('|\n')}|\n\n`)
}

/** The errors of a route, beside those that every route can return. */
export const errorsOf = ({ query = {}, body, errors = [] }: Route): string[] => [
  ...(body ? ['invalid_json', 'invalid_input'] : []),
  ...('cursor' in { ...query, ...body } ? ['invalid_cursor'] : []),
  ...errors,
]

/** Each code of an error: its statuses and its meaning. */
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
