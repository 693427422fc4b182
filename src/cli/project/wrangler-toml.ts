import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { UsageError } from '../terminal/errors.ts'

export interface WranglerEnvironment {
  /** `test`; undefined for the top level, which `wrangler dev` uses. */
  name: string | undefined
  vars: Readonly<Record<string, unknown>>
  bindings: readonly string[]
  stores: readonly { table: 'kv_namespaces' | 'd1_databases' | 'hyperdrive'; binding: string; id: string }[]
  /** The class that TILL is bound to, and the classes that `exports` or `migrations` declare. */
  className: string | undefined
  classes: readonly string[]
  crons: number
  /** compatibility_date; '' if it is missing. */
  date: string
}

type Table = Record<string, unknown>

export async function readWranglerToml(folder: string): Promise<WranglerEnvironment[]> {
  const text = await readFile(join(folder, 'wrangler.toml'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new UsageError('This folder has no wrangler.toml. Run this in a project that `edgetill init` wrote.')
  })
  let whole: Table
  try {
    whole = parse(text)
  } catch (error) {
    throw new UsageError(`wrangler.toml cannot be read: ${error instanceof Error ? error.message : error}`)
  }
  const named = Object.entries(tableOf(whole.env)).map(([name, table]) => environmentOf(name, tableOf(table), whole))
  return [environmentOf(undefined, whole), ...named]
}

/** Tables that environments inherit, or that name no binding. */
const NO_BINDINGS: readonly string[] = ['env', 'vars', 'assets', 'exports', 'migrations']

function environmentOf(name: string | undefined, table: Table, whole: Table = table): WranglerEnvironment {
  const bindings = Object.entries(table).flatMap(([key, value]) => (NO_BINDINGS.includes(key) ? [] : bindingsIn(value)))
  const stores = (['kv_namespaces', 'd1_databases', 'hyperdrive'] as const).flatMap((key) => {
    const storeOf = ({ binding, id, database_id = id ?? '' }: Table) => ({
      binding: `${binding}`,
      id: `${database_id}`,
    })
    return listOf(table[key]).map((one) => ({ table: key, ...storeOf(one) }))
  })
  const inherited = (key: string): unknown => table[key] ?? whole[key]
  const till = listOf(tableOf(table.durable_objects).bindings).find((one) => one.name === 'TILL')
  const migrated = listOf(inherited('migrations')).flatMap((step) => step.new_sqlite_classes ?? [])
  const { crons } = tableOf(inherited('triggers'))
  return {
    name,
    vars: tableOf(table.vars),
    bindings: [...new Set(bindings)],
    stores,
    className: till && String(till.class_name),
    classes: [...Object.keys(tableOf(inherited('exports'))), ...migrated.map(String)],
    crons: Array.isArray(crons) ? crons.length : 0,
    date: String(inherited('compatibility_date') ?? ''),
  }
}

/** The names that a table and the tables in it bind: `binding`, and `name` beside a Durable Object's class. */
function bindingsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { binding, name, class_name } = value as Table
  const own = [binding, class_name === undefined ? undefined : name].filter((one) => typeof one === 'string')
  return [...own, ...Object.values(value).flatMap(bindingsIn)]
}

const listOf = (value: unknown): Table[] => (Array.isArray(value) ? value.map(tableOf) : [])
const tableOf = (value: unknown): Table => (typeof value === 'object' && value !== null ? (value as Table) : {})
