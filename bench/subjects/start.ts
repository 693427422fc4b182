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

/** What is started in workerd, as a program. */
interface Started {
  name: string
  source: string
  table: 'workers' | 'packages'
  ours?: boolean
}

const EMPTY = 'an empty Worker'
const WORKERS: Started[] = [
  { name: 'the template', source: `export { default } from './worker/index.ts'`, table: 'workers', ours: true },
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
      const shared = { table: 'start: import time', row: one.name, column: runtime, unit: 'ms' } as const
      measures.push({ ...shared, ...sampleOf(times.get(one) ?? []), ours: one.ours ?? false })
    }
  }
  say('workerd')
  measures.push(...(await startsInWorkerd(packages, quick ? 6 : 24)))
  return {
    subject: 'start',
    notes: [
      'Import time: `await import(package)` in a fresh process, files in the page cache; ours as built for publishing.',
      'In workerd: from asking for a fresh isolate to the first answer of the minified bundle (`GET /health`), 6 isolates a round and a process of its own for each round. CPU is user and system of the whole process, other threads included.',
      'What it takes over an empty Worker, round by round (median and quartiles), is the script’s own: the isolate itself and the request are in both.',
      'A package is everything that it exports, behind a Worker of one line.',
    ],
    measures,
    goals: [],
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
  const untold = measured.cpu.length === 0 ? ' (this system does not tell workerd’s CPU)' : ''
  const title = table === 'workers' ? 'a Worker in workerd' : 'a package in workerd, over an empty Worker'
  const shared = { table: `start: ${title}${untold}`, row: name, unit: 'ms', ours: ours ?? false } as const
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
