import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import connect from 'postgres'
import { beforeAll, expect, it } from 'vitest'
import { type FetchHandler, serveOnNode } from '../../src/cli/service/serve-node.ts'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { createClient } from '../../src/index.ts'
import { pay } from '../../src/testing/index.ts'
import { postgres as onPostgres } from '../../src/till/index.ts'
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
    const name = sql.startsWith('INSERT INTO edgetill_log') ? values[2] : ''
    at('before ' + n)
    const rows = await real.run(sql, values)
    at('after ' + n)
    at(name === 'operation' ? 'written' : n === written + 1 ? 'checked' : '')
    if (name === 'operation') written = n
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
const refund = (key) => till.refund(JSON.parse(env.REFUND), { key })
const results = await Promise.all(Array.from({ length: Number(env.PRESSES ?? 1) }, () => refund('press')))
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
  order: { totals: { refunded: number } }
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
    expect([await refunded(order_id), again.order.totals.refunded, again.attention]).toEqual([1, 3000, []])
    expect(again.ids).toEqual([order_id])
  },
  60_000,
)

it.each(['node:sqlite', 'postgres'] as const)(
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
      for (let n = 1; !(await play(moment, n)); n++) expect(n).toBeLessThan(40)
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
      const { results, attention } = resultOf((await frozen.finished).output)
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
    for (const [died, asks] of [
      [day, -day],
      [-day, day],
    ] as const) {
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
  expect(output.trim()).toBe('NOTHING createTill,d1,postgres,sqlite')
}, 60_000)

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
