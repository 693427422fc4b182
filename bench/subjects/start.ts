import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { buildPackage, DIST } from '../bundles.ts'
import type { Measure, Subject } from '../report.ts'
import { bundleForWorkerd, PROCESS_RUNTIMES, root, runProgram, TEMPLATE_DATE, WORKERD_BUNDLE } from '../runtimes.ts'
import { sampleOf, takeTurns } from '../sample.ts'

interface Candidate {
  name: string
  module: string
  ours?: boolean
}

export const measure: Subject = async ({ quick, say }) => {
  await buildPackage()
  const candidates = candidatesFor()
  const rounds = quick ? 5 : 15
  const measures: Measure[] = []
  for (const runtime of PROCESS_RUNTIMES) {
    say(runtime)
    const program = join(root, 'bench/programs/import-time.ts')
    const times = await takeTurns(candidates, rounds, ({ module }) => runProgram<number>(runtime, program, { module }))
    for (const candidate of candidates)
      measures.push(cell('import time', candidate, runtime, times.get(candidate) ?? []))
  }
  say('workerd')
  measures.push(...(await startsInWorkerd(candidates, quick ? 4 : 12)))
  return {
    subject: 'start',
    notes: [
      'Import time: `await import(package)` in a fresh process, files in the page cache; ours as built for publishing.',
      'Start in workerd: a fresh isolate loads the minified bundle of everything that the package exports and answers one request, less the same for an empty Worker. The whole worker is the template, answering `GET /health`.',
    ],
    measures,
    goals: [],
  }
}

function candidatesFor(): Candidate[] {
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

function cell(table: string, { name, ours }: Candidate, column: string, values: number[]): Measure {
  return { table, row: name, column, unit: 'ms', ...sampleOf(values), ours: ours ?? false }
}

async function startsInWorkerd(candidates: readonly Candidate[], rounds: number): Promise<Measure[]> {
  const loader = await bundleForWorkerd({ entry: join(root, 'bench/programs/loader-worker.ts') })
  const worker: Candidate = { name: 'the whole worker', module: '' }
  const all = [...candidates, worker]
  const codes = new Map<Candidate, string>()
  for (const candidate of all) codes.set(candidate, await codeOf(candidate))
  const perLoad = 4
  const times = new Map<Candidate, number[]>(all.map((candidate) => [candidate, []]))
  for (let round = 0; round < rounds; round++) {
    // Loaded isolates stay in memory: each round has a process of its own.
    const workerd = new Miniflare(
      convertV4MiniflareOptions({
        modules: [{ type: 'ESModule', path: 'worker.js', contents: loader }],
        compatibilityDate: TEMPLATE_DATE,
        cf: false,
        workerLoaders: { LOADER: {} },
      }),
    )
    const load = async (candidate: Candidate, batch: number, count: number): Promise<number> => {
      const ids = Array.from({ length: count }, (_, index) => `${candidate.name} ${batch} ${index}`)
      const body = JSON.stringify({ ids, code: codes.get(candidate), date: TEMPLATE_DATE })
      const startedAt = performance.now()
      const response = await workerd.dispatchFetch('http://bench/', { method: 'POST', body })
      if (!response.ok) throw new Error(`${candidate.name} does not start in workerd: ${await response.text()}`)
      await response.arrayBuffer()
      return (performance.now() - startedAt) / count
    }
    try {
      const empty = candidates.at(-1) as Candidate
      await load(empty, -1, 2)
      const once = await takeTurns(all, 1, (candidate) => load(candidate, round, perLoad))
      const idle = once.get(empty)?.[0] ?? 0
      for (const candidate of all) times.get(candidate)?.push((once.get(candidate)?.[0] ?? 0) - idle)
    } finally {
      await workerd.dispose()
    }
  }
  return all
    .filter(({ name }) => name !== 'an empty module')
    .map((candidate) => cell('start of an isolate in workerd', candidate, 'workerd', times.get(candidate) ?? []))
}

async function codeOf({ module }: Candidate): Promise<string> {
  const specifier = JSON.stringify(module.startsWith('file:') ? new URL(module).pathname : module)
  const source =
    module === ''
      ? `export { default } from './worker/index.ts'`
      : `import * as all from ${specifier}
export default { fetch: () => new Response(Object.keys(all).join()) }`
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: root, loader: 'ts' },
    ...WORKERD_BUNDLE,
    minify: true,
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}
