import { join } from 'node:path'
import type { Miniflare } from 'miniflare'
import { EVENT_KINDS, type EventKind } from '../programs/events.ts'
import type { VerifyResult } from '../programs/verify.ts'
import { KEY, PARSED } from '../programs/verify-parts.ts'
import type { Goal, Measure, Subject } from '../report.ts'
import {
  BARE_DATE,
  bundleForWorkerd,
  PROCESS_RUNTIMES,
  root,
  runProgram,
  startWorkerd,
  TEMPLATE_DATE,
} from '../runtimes.ts'
import { sampleOf, takeTurns } from '../sample.ts'

const NOTES = [
  'edgetill decodes the form, checks the SHA-1 signature, decodes and parses the data, and checks the type of every documented field. It is synchronous.',
  'stripe, standardwebhooks and polar check an HMAC-SHA256 of the JSON body and parse it: no form, no field is checked. svix and paddle do the same and leave the parsing to the caller.',
  'On Deno, Bun and workerd, stripe resolves to its asynchronous Web Crypto build. The row "with node:crypto" passes it a crypto provider.',
  'Each run uses 64 different bodies in turn, one after the other, so that no engine caches a string.',
  'A comparison in one process that hands verifyWebhook the parsed form, as a framework with a body parser does, has another ratio than the row edgetill, which begins with the text of the body: the table of parts has both.',
]

const CHART = { table: 'Verify 1.1 kB of data', title: 'Verify a webhook of 1.1 kB (lower is better)' }

// The installed package does not do this on its own, but its users can.
const WITH_NODE_CRYPTO = 'stripe constructEvent with node:crypto'

const IN_GOALS: readonly EventKind[] = ['1.1 kB', '8 kB']

/** The goal on each runtime: edgetill's time divided by the best peer's, at 1.1 kB and at 8 kB. */
const GOALS: Record<string, [at1: number, at8: number]> = {
  node: [1.2, 2],
  deno: [0.75, 1],
  bun: [0.65, 1],
  workerd: [0.9, 2],
}

const tableOf = (kind: string): string => `Verify ${kind} of data`
const partsOf = (kind: string): string => `Where the time goes, ${kind} of data`

const OURS = 'edgetill'
type RatioGoal = [of: { runtime: string; kind: EventKind; row: string }, to: string, goal: number]

/** The limits of edgetill's rows, divided by another row. */
const RATIOS: RatioGoal[] = [
  ...(['1.1 kB', '1.1 kB, Cyrillic'] as const).flatMap((kind) =>
    [OURS, PARSED].map((row): RatioGoal => [{ runtime: 'node', kind, row }, 'stripe constructEvent', 0.97]),
  ),
  [{ runtime: 'deno', kind: '8 kB', row: OURS }, 'lower bound: native SHA-1, decoding, JSON.parse', 1.2],
  [{ runtime: 'node', kind: '1.1 kB', row: KEY }, OURS, 1],
  [{ runtime: 'deno', kind: '1.1 kB', row: KEY }, OURS, 0.9],
  [{ runtime: 'bun', kind: '1.1 kB', row: KEY }, OURS, 1.9],
]

export const measure: Subject = async ({ quick, say }) => {
  // Many short rounds: other work of the machine spoils some rounds, but not the median.
  const rounds = quick ? 25 : 151
  const batchMs = quick ? 3 : 6
  const kinds = EVENT_KINDS.filter((kind) => !quick || IN_GOALS.includes(kind))
  const measures: Measure[] = []
  const add = (runtime: string, results: VerifyResult[]) => {
    for (const { kind, name, role, micros } of results) {
      const cell = { row: name, column: runtime, unit: 'µs', ...sampleOf(micros), ours: role === 'ours' } as const
      if (role !== 'part') measures.push({ table: tableOf(kind), ...cell, peer: role === 'peer' })
      if (role === 'part' || role === 'ours') measures.push({ table: partsOf(kind), ...cell })
    }
  }
  for (const runtime of PROCESS_RUNTIMES) {
    say(runtime)
    add(runtime, await runProgram(runtime, join(root, 'bench/programs/verify.ts'), { rounds, batchMs, kinds }))
  }
  const bundle = await bundleForWorkerd({ entry: join(root, 'bench/programs/verify-worker.ts') })
  const dates = quick ? [TEMPLATE_DATE] : [TEMPLATE_DATE, BARE_DATE]
  for (const date of dates) {
    const name = date === TEMPLATE_DATE ? 'workerd' : `workerd ${date}`
    say(name)
    const workerd = await startWorkerd(bundle, date)
    try {
      add(name, await inWorkerd(workerd, kinds, quick ? 9 : 41, quick ? 25 : 40))
    } finally {
      await workerd.dispose()
    }
  }
  return { title: 'Verify a webhook', notes: NOTES, chart: CHART, measures, goals: goalsOf(measures) }
}

async function inWorkerd(
  workerd: Miniflare,
  kinds: readonly EventKind[],
  rounds: number,
  batchMs: number,
): Promise<VerifyResult[]> {
  const ask = async (body: object): Promise<{ text: string; ms: number }> => {
    const startedAt = performance.now()
    const response = await workerd.dispatchFetch('http://bench/', { method: 'POST', body: JSON.stringify(body) })
    const text = await response.text()
    const ms = performance.now() - startedAt
    if (!response.ok) throw new Error(`workerd: ${text}`)
    return { text, ms }
  }
  const results: VerifyResult[] = []
  for (const kind of kinds) {
    const contenders = JSON.parse((await ask({ kind })).text) as Pick<VerifyResult, 'name' | 'role'>[]
    const counts = new Map<string, number>()
    for (const { name } of contenders) {
      await ask({ kind, name, count: 3000 })
      counts.set(name, Math.max(50, Math.round(batchMs / ((await ask({ kind, name, count: 2000 })).ms / 2000))))
    }
    // The cost of a request that does nothing is subtracted.
    const empty: number[] = []
    for (let i = 0; i < 25; i++) empty.push((await ask({ kind, name: contenders[0]?.name, count: 0 })).ms)
    const idle = sampleOf(empty).low
    const micros = await takeTurns(contenders, rounds, async ({ name }) => {
      const count = counts.get(name) ?? 1
      return (((await ask({ kind, name, count })).ms - idle) / count) * 1000
    })
    for (const contender of contenders) results.push({ kind, ...contender, micros: micros.get(contender) ?? [] })
  }
  return results
}

function goalsOf(measures: readonly Measure[]): Goal[] {
  const peers = Object.entries(GOALS).flatMap(([runtime, goals]) =>
    IN_GOALS.flatMap((kind, index) => {
      const cells = measures.filter(({ table, column }) => table === tableOf(kind) && column === runtime)
      const best = cells.filter((cell) => cell.peer).sort((a, b) => a.median - b.median)
      const installed = best.find(({ row }) => row !== WITH_NODE_CRYPTO)
      return [...new Set([installed, best[0]])].map(
        (peer): RatioGoal => [{ runtime, kind, row: OURS }, String(peer?.row), goals[index] ?? Number.NaN],
      )
    }),
  )
  const median = (table: string, column: string, name: string) =>
    measures.find((one) => one.table === table && one.column === column && one.row === name)?.median ?? Number.NaN
  return [...peers, ...RATIOS].flatMap(([{ runtime, kind, row }, other, goal]) => {
    const time = median(row === OURS ? tableOf(kind) : partsOf(kind), runtime, row)
    const measured = time / median(tableOf(kind), runtime, other)
    const what = row === OURS ? 'verify' : row
    const text = `${what} ${kind} on ${runtime}: time divided by that of ${other === OURS ? 'a verify' : other}`
    // A quick run leaves out kinds.
    return Number.isNaN(measured) ? [] : [{ text, measured, goal, unit: '×' as const }]
  })
}
