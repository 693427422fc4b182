// Reads the routes of `/api` from guides/shop-reference.md; test/node/worker-routes.test.ts holds it against the engine.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const text = readFileSync(join(import.meta.dirname, '../../guides/shop-reference.md'), 'utf8')

/** The cells of the table whose first column has this title. */
function cellsOf(title: string): string[][] {
  const [, rest = ''] = text.split(`\n| ${title} |`)
  const rows = (rest.split('\n\n')[0] ?? '').split('\n').slice(2)
  return rows.map((row) => row.split('|').slice(1, -1))
}

const quoted = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, found]) => found as string)

/** The errors of a capture, refund or void: one list for the three. */
const MONEY = quoted(/Its errors:\n([\s\S]*?)\n\n/.exec(text)?.[1])
const moneyErrors = (kind: string) =>
  MONEY.filter((code) => !code.endsWith('_not_executed') || code === `${kind}_not_executed`)

export interface DescribedRoute {
  /** `GET /api/orders` */
  route: string
  does: string
  query: string[]
  errors: string[]
}

export const ROUTES: readonly DescribedRoute[] = cellsOf('route of `/api`').map(([call, does = '', query, errors]) => {
  const [route = ''] = quoted(call)
  const [, kind] = /:order_id\/(capture|refund|void)$/.exec(route) ?? []
  return { route, does: does.trim(), query: quoted(query), errors: kind ? moneyErrors(kind) : quoted(errors) }
})

/** Each code of an error: the statuses that it comes with, and what it means. */
export const ERRORS: ReadonlyMap<string, { statuses: number[]; means: string }> = new Map(
  cellsOf('code').flatMap(([codes, statuses = '', means = '']) =>
    quoted(codes).map((code) => [code, { statuses: statuses.split(',').map(Number), means: means.trim() }] as const),
  ),
)

/** The filters of the list of orders. */
export const FILTERS: readonly string[] = cellsOf('parameter').flatMap(([name]) => quoted(name))

/** Those that every route can return. */
export const COMMON: readonly string[] = ['unauthorized', 'unknown_parameter', 'config', 'state', 'internal']
