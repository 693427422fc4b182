import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { buildPackage, DIST } from '../bundles.ts'
import type { Measure, Subject } from '../report.ts'
import { PROCESS_RUNTIMES, root, runProgram, WORKERD_BUNDLE } from '../runtimes.ts'
import { sampleOf, takeTurns } from '../sample.ts'
import { measureStarts, type StartTimes } from '../worker-start.ts'

interface Package {
  name: string
  module: string
  ours?: boolean
}

/** A program that is started in workerd. */
interface Started {
  name: string
  source: string
  table: 'workers' | 'packages'
  ours?: boolean
}

/** How much longer than an empty process of Node the shortest use of the command may take. */
const VERSION_GOAL = 1.5

const EMPTY = 'an empty Worker'
const WORKERS: Started[] = [
  {
    name: 'the template',
    // A loaded isolate cannot be given a Durable Object; `GET /health` only looks whether there is one.
    source: `import worker from './worker/index.ts'
const TILL = { idFromName() {}, get() {} }
export default { fetch: (request, env, context) => worker.fetch(request, { ...env, TILL }, context) }`,
    table: 'workers',
    ours: true,
  },
  {
    name: 'a bare Hono Worker (hono/tiny, one route)',
    source: `import { Hono } from 'hono/tiny'
export default new Hono().get('/health', (c) => c.json({ status: 'ok' }))`,
    table: 'workers',
  },
  { name: EMPTY, source: `export default { fetch: () => Response.json({ status: 'ok' }) }`, table: 'workers' },
]

export const measure: Subject = async ({ quick, say }) => {
  await buildPackage()
  const packages = packagesFor()
  const measures: Measure[] = []
  for (const runtime of PROCESS_RUNTIMES) {
    say(runtime)
    const program = join(root, 'bench/programs/import-time.ts')
    const times = await takeTurns(packages, quick ? 5 : 15, ({ module }) =>
      runProgram<number>(runtime, program, { module }),
    )
    for (const one of packages) {
      const shared = { table: 'Import time', row: one.name, column: runtime, unit: 'ms' } as const
      measures.push({ ...shared, ...sampleOf(times.get(one) ?? []), ours: one.ours ?? false })
    }
  }
  say('the command')
  const version = await startsOfCommand(quick ? 11 : 41)
  measures.push(...version.measures)
  say('workerd')
  measures.push(...(await startsInWorkerd(packages, quick ? 6 : 24)))
  return {
    title: 'Start',
    notes: [
      'Import time is `await import(package)` in a fresh process, with the files in the page cache; edgetill is as built for publishing.',
      'In workerd it is the time from requesting a fresh isolate to the first response of the minified bundle (`GET /health`): 6 isolates and a new process in each round. CPU is user and system time of the whole process with its threads.',
      'The difference to an empty Worker in each round (median and quartiles) is the cost of the script alone: both include the isolate and the request.',
      'A package is everything that it exports, in a Worker of one line.',
    ],
    chart: { table: 'Import time', title: 'Import time (lower is better)' },
    measures,
    goals: [
      {
        text: 'edgetill --version, against an empty process of Node',
        measured: version.ratio,
        goal: VERSION_GOAL,
        unit: '×',
      },
    ],
  }
}

/** Processes of Node, from start to end: the command's version, and an empty module. */
async function startsOfCommand(rounds: number): Promise<{ measures: Measure[]; ratio: number }> {
  const command = { row: 'edgetill --version', words: [join(DIST, 'cli.js'), '--version'] }
  const empty = { row: 'an empty process', words: [join(root, 'test-output/bench/empty.js')] }
  const times = await takeTurns([command, empty], rounds, async ({ words }) => {
    const startedAt = performance.now()
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`)
    return performance.now() - startedAt
  })
  const ours = sampleOf(times.get(command) ?? [])
  const theirs = sampleOf(times.get(empty) ?? [])
  const shared = { table: 'The command, from start to end', column: 'node', unit: 'ms' } as const
  return {
    measures: [
      { ...shared, row: command.row, ours: true, ...ours },
      { ...shared, row: empty.row, ...theirs },
    ],
    ratio: ours.median / theirs.median,
  }
}

function packagesFor(): Package[] {
  const empty = join(root, 'test-output/bench/empty.js')
  mkdirSync(join(root, 'test-output/bench'), { recursive: true })
  writeFileSync(empty, 'export const nothing = 0\n')
  return [
    { name: 'edgetill', module: pathToFileURL(join(DIST, 'index.js')).href, ours: true },
    { name: 'edgetill/webhooks', module: pathToFileURL(join(DIST, 'webhooks.js')).href },
    { name: 'stripe', module: 'stripe' },
    { name: 'paddle', module: '@paddle/paddle-node-sdk' },
    { name: 'standardwebhooks', module: 'standardwebhooks' },
    { name: 'svix', module: 'svix' },
    { name: 'polar', module: '@polar-sh/sdk/2026-10' },
    { name: 'lemonsqueezy', module: '@lemonsqueezy/lemonsqueezy.js' },
    { name: 'an empty module', module: pathToFileURL(empty).href },
  ]
}

async function startsInWorkerd(packages: readonly Package[], rounds: number): Promise<Measure[]> {
  const all: Started[] = [...WORKERS]
  for (const { name, module, ours } of packages) {
    const specifier = JSON.stringify(module.startsWith('file:') ? new URL(module).pathname : module)
    const source = `import * as all from ${specifier}
export default { fetch: () => new Response(Object.keys(all).join()) }`
    all.push({ name, source, table: 'packages', ours: ours ?? false })
  }
  const bundles = new Map<Started, string>()
  for (const started of all) bundles.set(started, await bundled(started.source))
  const times = await measureStarts(bundles, rounds)
  const idle = [...times].find(([{ name }]) => name === EMPTY)?.[1] ?? { wall: [], cpu: [] }
  return [...times].flatMap(([started, measured]) => cellsOf(started, measured, idle))
}

function cellsOf({ name, table, ours }: Started, measured: StartTimes, idle: StartTimes): Measure[] {
  const unknown = measured.cpu.length === 0 ? ' (this system does not show the CPU time of workerd)' : ''
  const title = table === 'workers' ? 'A Worker in workerd' : 'A package in workerd, over an empty Worker'
  const shared = { table: `${title}${unknown}`, row: name, unit: 'ms', ours: ours ?? false } as const
  return (['cpu', 'wall'] as const).flatMap((kind): Measure[] => {
    const values = measured[kind]
    if (values.length === 0) return []
    const column = kind === 'cpu' ? 'CPU' : 'wall'
    const over = sampleOf(values.map((value, round) => value - (idle[kind][round] ?? Number.NaN)))
    if (table === 'packages') return [{ ...shared, column, ...over, difference: true }]
    const own: Measure = { ...shared, column: `${column} over an empty Worker`, ...over, difference: true }
    return [{ ...shared, column, ...sampleOf(values) }, ...(name === EMPTY ? [] : [own])]
  })
}

async function bundled(source: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: root, loader: 'ts' },
    ...WORKERD_BUNDLE,
    minify: true,
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}
