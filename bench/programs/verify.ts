// Node, Deno and Bun, whose clocks can be trusted: measures in its own process and prints µs for each round.

import { takeTurns } from '../sample.ts'
import type { EventKind } from './events.ts'
import { prepare, runBatch } from './verify-batch.ts'
import type { Contender } from './verify-contenders.ts'

interface Argument {
  rounds: number
  batchMs: number
  kinds: EventKind[]
}
export interface VerifyResult {
  kind: string
  name: string
  role: Contender['role']
  micros: number[]
}

const host = globalThis as unknown as { Deno?: { args: string[] }; process: { argv: string[] } }
const { rounds, batchMs, kinds } = JSON.parse(host.Deno?.args[0] ?? host.process.argv[2] ?? '') as Argument
const results: VerifyResult[] = []
for (const kind of kinds) {
  const contenders = await prepare(kind)
  const counts = new Map<unknown, number>()
  for (const contender of contenders) {
    await time(() => runBatch(contender, 2000))
    const perCall = (await time(() => runBatch(contender, 1000))) / 1000
    counts.set(contender, Math.max(10, Math.round(batchMs / perCall)))
  }
  const micros = await takeTurns(contenders, rounds, async (contender) => {
    const count = counts.get(contender) ?? 1
    return ((await time(() => runBatch(contender, count))) / count) * 1000
  })
  for (const contender of contenders) {
    results.push({ kind, name: contender.name, role: contender.role, micros: micros.get(contender) ?? [] })
  }
}
console.log(JSON.stringify(results))

async function time(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
