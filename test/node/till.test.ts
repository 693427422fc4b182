import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import connect from 'postgres'
import { beforeAll, expect, it, vi } from 'vitest'
import { type FetchHandler, serveOnNode } from '../../src/cli/service/serve-node.ts'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { createClient } from '../../src/index.ts'
import { pay } from '../../src/testing/index.ts'
import { postgres as onPostgres } from '../../src/till/index.ts'
import { isForChange } from '../support/environment.ts'
import { PAYMENT, REFUND } from '../till/support/open-till.ts'
import { folderInCheckout } from './support/fixtures.ts'
import { freePort } from './support/free-port.ts'
import { usePostgres } from './support/postgres.ts'
import { type Running, startCommand } from './support/process.ts'
import { writeProgram } from './support/program.ts'
import { root } from './support/runtimes.ts'

const folder = folderInCheckout()
const postgres = usePostgres()
let emulator: Emulator
/** Called with each refund that arrives. */
let onRefund = (): void => {}

beforeAll(async () => {
  const port = await freePort()
  emulator = createEmulator({ origin: `http://127.0.0.1:${port}` })
  const listen: FetchHandler = async (request) => {
    const response = await emulator.fetch(request)
    if (new URL(request.url).pathname.endsWith('/refund')) onRefund()
    return response
  }
  const served = await serveOnNode(listen, { port })
  return () => served.close()
})

/** How each driver opens the same database in each process. */
const NODE_SQLITE = `import { DatabaseSync } from 'node:sqlite'\nconst real = sqlite(new DatabaseSync(env.FILE))`
const DRIVERS = {
  'node:sqlite': ['node', NODE_SQLITE],
  'node:sqlite on Deno': ['deno', NODE_SQLITE],
  'bun:sqlite': ['bun', `import { Database } from 'bun:sqlite'\nconst real = sqlite(new Database(env.FILE))`],
  postgres: [
    'node',
    `import connect from 'postgres'\nconst sql = connect(env.URL, { onnotice() {} })\nconst real = postgres(sql)`,
  ],
  pg: ['node', `import pg from 'pg'\nconst real = postgres(new pg.Pool({ connectionString: env.URL }))`],
} as const
type Driver = keyof typeof DRIVERS

/** A process of a shop: it presses the refund button, and may stop or end itself at a statement or before its call. */
const PROGRAM = `
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { createClient } from 'edgetill'
import { createTill, postgres, sqlite } from 'edgetill/till'
const { env } = process
OPENING
const skew = () => Number(readFileSync(env.SKEW, 'utf8'))
const now = Date.now
Date.now = () => now() + skew() + Number(env.CLOCK ?? 0)
// Those of migrate() do not count.
let statements = -1000
let written = 99
const at = (moment) => {
  if (env.AT !== moment) return
  console.log('here')
  process.kill(process.pid, env.SIGNAL)
}
const database = {
  get clock() {
    return '(' + real.clock + ' + ' + skew() + ')'
  },
  async run(sql, values) {
    const n = ++statements
    const isOperation = sql.startsWith('INSERT INTO edgetill_log') && values.includes('operation')
    at('before ' + n)
    const rows = await real.run(sql, values)
    at('after ' + n)
    at(isOperation ? 'written' : n === written + 1 ? 'checked' : '')
    if (isOperation) written = n
    return rows
  },
}
const client = createClient({ ...JSON.parse(env.CREDENTIALS), maxRetries: 0, fetch: (url, init) => {
  if (url.endsWith('/refund')) at('fetch')
  return fetch(url, init)
} })
const till = createTill({ client, database })
await till.migrate()
statements = 0
const limitMinor = env.LIMIT && Number(env.LIMIT)
const refund = (key) => till.refund(JSON.parse(env.REFUND), { key, ...(limitMinor && { limitMinor }) })
const results = await Promise.all(Array.from({ length: Number(env.PRESSES ?? 1) }, () => refund(env.KEY ?? 'press')))
for (const key of JSON.parse(env.THEN ?? '[]')) results.push(await refund(key))
console.log('RESULT ' + JSON.stringify({ statements, results, attention: await till.attention(), ids: (await till.orders({ limit: 1 })).orders.map(({ order_id }) => order_id), order: await till.order(JSON.parse(env.REFUND).order_id) }))
process.exit(0)
`

interface Result {
  statements: number
  results: { outcome: string; reason?: string; record?: object }[]
  attention: { kind: string; order_id?: string }[]
  /** Of the newest order. */
  ids: string[]
  order: { totals: { refunded_minor: number } }
}

/** The result that a process has printed. */
function resultOf(output: string): Result {
  const [, result] = /RESULT (.*)/.exec(output) ?? []
  if (result === undefined) throw new Error(output)
  return JSON.parse(result) as Result
}

/** The processes of one database. */
async function openShop(driver: Driver) {
  const [runtime, opening] = DRIVERS[driver]
  const name = driver.replaceAll(/\W/g, '-')
  const file = join(folder, `${name}.mjs`)
  await writeProgram(PROGRAM.replace('OPENING', opening), file)
  const skew = join(folder, `${name}.skew`)
  writeFileSync(skew, '0')
  const start = (order_id: string, environment: Record<string, string> = {}): Running =>
    startCommand(join(root, 'node_modules/.bin', runtime), [...(runtime === 'deno' ? ['run', '-A'] : []), file], {
      env: {
        ...{ FILE: join(folder, `${name}.db`), URL: postgres.url, SKEW: skew },
        ...{ CREDENTIALS: JSON.stringify(emulator.credentials), REFUND: JSON.stringify({ ...REFUND, order_id }) },
        ...environment,
      },
    })
  const client = createClient({ ...emulator.credentials })
  return {
    start,
    /** A process that goes through. */
    press: async (order_id: string, environment: Record<string, string> = {}): Promise<Result> =>
      resultOf((await start(order_id, environment).finished).output),
    /** For the database and each process alike. */
    wait: (minutes: number) => writeFileSync(skew, String(minutes * 60_000)),
    async sell(order_id: string): Promise<void> {
      const { url } = await client.createPayment({ ...PAYMENT, order_id })
      await pay(url, { card: 'success' })
    },
    async refunded(order_id: string): Promise<number> {
      const operations = await client.listOrderOperations({ order_id })
      return operations.filter(({ kind }) => kind === 'refund').length
    },
  }
}

it.each(Object.keys(DRIVERS) as Driver[])(
  '%s: twenty presses from two processes, one of them killed, are one refund',
  async (driver) => {
    const { start, press, sell, refunded, wait } = await openShop(driver)
    const order_id = `${driver.replaceAll(/\W/g, '')}-20`
    await sell(order_id)
    let killed: Running | undefined
    onRefund = () => void killed?.stop('SIGKILL')
    const both = [start(order_id, { PRESSES: '10' }), start(order_id, { PRESSES: '10' })]
    killed = both[0]
    const ends = await Promise.all(both.map((one) => one.finished))
    onRefund = () => {}
    expect(ends.map(({ output }) => output).join()).toContain('RESULT')
    expect(await refunded(order_id)).toBe(1)

    wait(11)
    const again = await press(order_id, { PRESSES: '3' })
    expect(new Set(again.results.map(({ outcome }) => outcome))).toEqual(new Set(['done']))
    expect([await refunded(order_id), again.order.totals.refunded_minor, again.attention]).toEqual([1, 3000, []])
    expect(again.ids).toEqual([order_id])
  },
  60_000,
)

it.each(['node:sqlite', 'postgres'] as const)(
  '%s: two attempts that two processes refund at once under a limit stay below it',
  async (driver) => {
    const { start, sell, refunded, wait } = await openShop(driver)
    wait(0)
    for (let round = 1; round <= 3; round++) {
      const order_id = `${driver === 'postgres' ? 'p' : 's'}-limit-${round}`
      const attempts = [order_id, `${order_id}~2`]
      for (const attempt of attempts) await sell(attempt)
      const limited = { PRESSES: '5', LIMIT: '5000' }
      const both = [1, 2].map((attempt) => start(`${order_id}~${attempt}`, { ...limited, KEY: `key ${attempt}` }))
      const ends = await Promise.all(both.map((one) => one.finished))
      const words = ends.flatMap(({ output }) =>
        resultOf(output).results.map(({ outcome, reason }) => reason ?? outcome),
      )
      const made = await Promise.all(attempts.map(refunded))
      expect([words.includes('done'), made.sort()]).toEqual([true, [0, 1]])
      expect(words.filter((word) => !/^(done|unknown|over_limit|in_progress)$/.test(word))).toEqual([])
    }
  },
  60_000,
)

it.each(isForChange ? (['node:sqlite'] as const) : (['node:sqlite', 'postgres'] as const))(
  '%s: killed at each statement, a key is one refund or none, and one answer',
  async (driver) => {
    const { start, press, sell, refunded, wait } = await openShop(driver)
    const seen: string[] = []
    const play = async (moment: 'before' | 'after', n: number): Promise<boolean> => {
      const order_id = `${driver === 'postgres' ? 'p' : 's'}-${moment}-${n}`
      await sell(order_id)
      wait(0)
      const { output } = await start(order_id, { AT: `${moment} ${n}`, SIGNAL: 'SIGKILL' }).finished
      const isOver = output.includes('RESULT')
      wait(11)
      const [first, second, other] = (await press(order_id, { THEN: '["press", "another"]' })).results
      expect([second, other?.outcome]).toEqual([first, 'done'])
      expect(await refunded(order_id)).toBe(first?.outcome === 'done' ? 2 : 1)
      seen.push(`${first?.outcome}`)
      return isOver
    }
    for (const moment of ['before', 'after'] as const) {
      for (let n = 1; !(await play(moment, n)); n += isForChange ? 4 : 1) expect(n).toBeLessThan(40)
    }
    // Both are among them: the call had not been made yet, and it was made and its end not written.
    expect(new Set(seen)).toEqual(new Set(['done', 'rejected']))
  },
  300_000,
)

it.each(['node:sqlite', 'postgres'] as const)(
  '%s: a process that is frozen before its call sends nothing once another has settled it',
  async (driver) => {
    const { start, press, sell, refunded, wait } = await openShop(driver)
    for (const moment of ['written', 'checked', 'fetch']) {
      const order_id = `${driver === 'postgres' ? 'p' : 's'}-${moment}`
      await sell(order_id)
      wait(0)
      const frozen = start(order_id, { AT: moment, SIGNAL: 'SIGSTOP' })
      await frozen.seen('here')
      wait(11)
      const settled = await press(order_id)
      expect(settled.results).toMatchObject([{ outcome: 'rejected' }])
      frozen.stop('SIGCONT')
      const { results, attention: all } = resultOf((await frozen.finished).output)
      // The tests of a driver share its tables.
      const attention = all.filter((one) => 'order_id' in one && one.order_id === order_id)
      if (moment === 'fetch') {
        // The window that remains. It is told.
        expect(results).toMatchObject([{ outcome: 'unknown', record: { amount: 30 } }])
        expect([await refunded(order_id), attention.map(({ kind }) => kind)]).toEqual([1, ['operation_contradicted']])
      } else {
        expect(results).toMatchObject([{ outcome: 'rejected' }])
        expect([await refunded(order_id), attention]).toEqual([0, []])
      }
    }
  },
  120_000,
)

it.each(['node:sqlite', 'postgres'] as const)(
  "%s: measures ages by the database's clock, whatever day the processes' machines have",
  async (driver) => {
    const { start, press, sell, refunded, wait } = await openShop(driver)
    const day = 86_400_000
    const clocks = [
      [day, -day],
      [-day, day],
    ] as const
    for (const [died, asks] of isForChange ? [clocks[driver === 'postgres' ? 0 : 1]] : clocks) {
      const order_id = `${driver === 'postgres' ? 'p' : 's'}-day${died > 0 ? 'after' : 'before'}`
      await sell(order_id)
      wait(0)
      await start(order_id, { CLOCK: `${died}`, AT: 'fetch', SIGNAL: 'SIGKILL' }).finished
      for (const [minutes, outcome] of [
        [0, 'unknown'],
        [9, 'unknown'],
        [11, 'rejected'],
      ] as const) {
        wait(minutes)
        expect((await press(order_id, { CLOCK: `${asks}` })).results).toMatchObject([{ outcome }])
      }
      const { results, attention } = await press(order_id, { CLOCK: `${died}`, THEN: '["another"]' })
      const own = attention.filter((one) => one.order_id === order_id)
      expect([results.map(({ outcome }) => outcome), own]).toEqual([['rejected', 'done'], []])
      expect(await refunded(order_id)).toBe(1)
    }
  },
  120_000,
)

it('opens nothing when it is imported', async () => {
  const program = `
import process from 'node:process'
const never = (name) => () => { throw new Error(name + ' at import') }
for (const name of ['fetch', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']) globalThis[name] = never(name)
for (const name of ['digest', 'importKey']) crypto.subtle[name] = never(name)
crypto.getRandomValues = crypto.randomUUID = never('random')
process.getBuiltinModule = never('a module')
const seen = () => JSON.stringify([Object.getOwnPropertyNames(globalThis).sort(), process.getActiveResourcesInfo(), process.eventNames()])
const before = seen()
const till = await import('edgetill/till')
console.log(before === seen() ? 'NOTHING' : before + ' then ' + seen(), Object.keys(till).sort().join())
`
  const file = await writeProgram(program, join(folder, 'import.mjs'))
  const { output } = await startCommand(join(root, 'node_modules/.bin/node'), [file], { env: {} }).finished
  expect(output.trim()).toBe('NOTHING createTill,d1,durable,postgres,sqlite,tillLog')
}, 60_000)

const POOLS = {
  pg: async (url: string) => {
    // It has no types.
    const { Pool } = await import('pg' as string)
    const pool = new Pool({ connectionString: url, max: 1 })
    return { database: onPostgres(pool), take: () => pool.connect(), end: () => pool.end() }
  },
  'postgres.js': async (url: string) => {
    const sql = connect(url, { max: 1, onnotice() {} })
    const take = async () => {
      const connection = await sql.reserve()
      return { query: (text: string) => connection.unsafe(text), release: () => connection.release() }
    }
    return { database: onPostgres(sql), take, end: () => sql.end() }
  },
} as const

it.each(['pg', 'postgres.js'] as const)(
  '%s: writes outside the transaction of whoever gave its connection back too early',
  async (name) => {
    const { database, take, end } = await POOLS[name](postgres.url)
    await database.run('CREATE TABLE IF NOT EXISTS leak (name text)', [])
    const read = () => database.run('SELECT name FROM leak ORDER BY name', [])
    for (const [index, statement] of ['SELECT 1', "INSERT INTO leak VALUES ('own')", 'SELECT 1 / 0'].entries()) {
      const leaked = await take()
      await leaked.query('BEGIN')
      await leaked.query(statement).catch(() => [])
      leaked.release()
      expect(await database.run('INSERT INTO leak VALUES (?) RETURNING name', [`${index}`])).toEqual([
        { name: `${index}` },
      ])
    }
    // What the shop's own code does next on that connection loses nothing of it.
    const next = await take()
    await next.query('ROLLBACK').catch(() => {})
    next.release()
    expect(await read()).toEqual([{ name: '0' }, { name: '1' }, { name: '2' }])
    await expect(database.run('INSERT INTO nowhere VALUES (?)', ['x'])).rejects.toThrow('does not exist')
    expect(await read()).toHaveLength(3)
    const warned = vi.spyOn(process, 'emitWarning')
    await database.batch?.(['b', 'c'].map((value) => ['INSERT INTO leak VALUES (?)', [value]]))
    expect(await read()).toHaveLength(5)
    expect(warned.mock.calls).toEqual([])
    await database.run('DROP TABLE leak', [])
    await end()
  },
  60_000,
)

/** Makes the tables of the database that each line of its input names. */
const MIGRATOR = `
import process from 'node:process'
import { createInterface } from 'node:readline'
import connect from 'postgres'
import { createClient } from 'edgetill'
import { createTill, postgres } from 'edgetill/till'
const client = createClient(JSON.parse(process.env.CREDENTIALS))
for await (const url of createInterface(process.stdin)) {
  const sql = connect(url, { max: 1, onnotice() {} })
  await sql\`SELECT 1\`
  console.log('ready')
  const done = await createTill({ client, database: postgres(sql) }).migrate().then(() => 'made', (error) => error.message + error.cause)
  await sql.end()
  console.log(done)
}
`

it('makes its tables in eight processes that start at once, each time', async () => {
  const file = await writeProgram(MIGRATOR, join(folder, 'migrator.mjs'))
  const admin = connect(postgres.url, { max: 1, onnotice() {} })
  const env = { ...process.env, CREDENTIALS: JSON.stringify(emulator.credentials) }
  const processes = Array.from({ length: 8 }, () => {
    const child = spawn(join(root, 'node_modules/.bin/node'), [file], { env, stdio: ['pipe', 'pipe', 'inherit'] })
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    return { child, next: async () => (await lines.next()).value as string }
  })
  const isolations = ['read committed', 'repeatable read', 'serializable']
  const failed: string[] = []
  for (let round = 0; round < (isForChange ? 10 : 50); round++) {
    const name = `migrated_${round}`
    await admin.unsafe(`CREATE DATABASE ${name}`)
    await admin.unsafe(`ALTER DATABASE ${name} SET default_transaction_isolation = '${isolations[round % 3]}'`)
    for (const { child } of processes) child.stdin.write(`${postgres.url.replace(/[^/]*$/, name)}\n`)
    const ready = await Promise.all(processes.map(({ next }) => next()))
    const made = await Promise.all(processes.map(({ next }) => next()))
    failed.push(...ready.filter((line) => line !== 'ready'), ...made.filter((line) => line !== 'made'))
    await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`)
  }
  for (const { child } of processes) child.stdin.end()
  await admin.end()
  expect(failed).toEqual([])
}, 300_000)

it('takes no function of Postgres that is inside a transaction', async () => {
  const sql = connect(postgres.url)
  expect(onPostgres(sql).clock).toContain('clock_timestamp')
  await sql.begin(async (inside) => {
    expect(() => onPostgres(inside as never)).toThrow('Inside a transaction')
  })
  const reserved = await sql.reserve()
  expect(() => onPostgres(reserved)).toThrow('Inside a transaction')
  reserved.release()
  await sql.end()
})
