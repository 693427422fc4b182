// Node, Deno and Bun: calls a server on loopback and prints wall and CPU time of a call for each round.

import { takeTurns } from '../sample.ts'
import { type Caller, type CallResult, callersFor } from './call-callers.ts'
import { peersFor } from './call-peers.ts'

interface Argument {
  origin: string
  port: number
  rounds: number
  /** Calls of a turn, when they are made one after the other. */
  calls: number
}
interface Host {
  Deno?: { args: string[] }
  Bun?: unknown
  process: { argv: string[]; cpuUsage(): { user: number; system: number } }
}
const host = globalThis as unknown as Host
const { origin, port, rounds, calls } = JSON.parse(host.Deno?.args[0] ?? host.process.argv[2] ?? '') as Argument

const callers = [...callersFor(origin), ...peersFor(port, !host.Deno && !host.Bun)]
const results: CallResult[] = []
for (const atOnce of [1, 100]) {
  for (const caller of callers) await callMany(caller, 300, atOnce)
  const turn = Math.max(calls, atOnce)
  const cpu = new Map<Caller, number[]>(callers.map((caller) => [caller, []]))
  const wall = await takeTurns(callers, rounds, async (caller) => {
    const used = host.process.cpuUsage()
    const startedAt = performance.now()
    await callMany(caller, turn, atOnce)
    const elapsed = performance.now() - startedAt
    const after = host.process.cpuUsage()
    cpu.get(caller)?.push((after.user - used.user + after.system - used.system) / turn)
    return (elapsed / turn) * 1000
  })
  for (const caller of callers) {
    const { operation, name } = caller
    results.push({ operation, name, atOnce, wall: wall.get(caller) ?? [], cpu: cpu.get(caller) ?? [] })
  }
}
console.log(JSON.stringify(results))

async function callMany({ call }: Caller, count: number, atOnce: number): Promise<void> {
  for (let done = 0; done < count; done += atOnce) {
    if (atOnce === 1) await call()
    else await Promise.all(Array.from({ length: atOnce }, call))
  }
}
