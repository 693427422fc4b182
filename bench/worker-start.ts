import { setTimeout as wait } from 'node:timers/promises'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { cpuOf, findChild } from './process-cpu.ts'
import { bundleForWorkerd, TEMPLATE_DATE } from './runtimes.ts'
import { orderOf } from './sample.ts'
import { BINDINGS } from './worker-process.ts'

/** Isolates that are loaded in one turn. The cost of the request is divided among them. */
const LOADS = 6

/** Milliseconds for each round. */
export interface StartTimes {
  wall: number[]
  /** Empty if the system does not show the CPU time of workerd. */
  cpu: number[]
}

/** Loads each bundle into fresh isolates, in turn, and requests `/health` once from each isolate. */
export async function measureStarts<T extends { name: string }>(
  bundles: ReadonlyMap<T, string>,
  rounds: number,
): Promise<Map<T, StartTimes>> {
  const loader = await bundleForWorkerd({ entry: new URL('programs/loader-worker.ts', import.meta.url).pathname })
  const candidates = [...bundles.keys()]
  const times = new Map<T, StartTimes>(candidates.map((candidate) => [candidate, { wall: [], cpu: [] }]))
  for (let round = 0; round < rounds; round++) {
    // Loaded isolates stay in memory: each round has its own process.
    const workerd = new Miniflare(
      convertV4MiniflareOptions({
        modules: [{ type: 'ESModule', path: 'worker.js', contents: loader }],
        compatibilityDate: TEMPLATE_DATE,
        cf: false,
        bindings: BINDINGS,
        workerLoaders: { LOADER: {} },
      }),
    )
    const load = async ({ name }: T, ids: string[], code?: string): Promise<void> => {
      const body = JSON.stringify({ name, ids, code, date: TEMPLATE_DATE })
      const response = await workerd.dispatchFetch('http://bench/', { method: 'POST', body })
      const text = await response.text()
      if (!response.ok) throw new Error(`${name} does not start in workerd: ${response.status} ${text}`)
    }
    try {
      await workerd.ready
      const pid = findChild('workerd')
      const cpu = () => (pid === undefined ? undefined : cpuOf(pid))
      for (const [candidate, code] of bundles) await load(candidate, [`${candidate.name} first`], code)
      for (const candidate of orderOf(candidates, round)) {
        const ids = Array.from({ length: LOADS }, (_, index) => `${candidate.name} ${index}`)
        const used = cpu()
        const startedAt = performance.now()
        await load(candidate, ids)
        times.get(candidate)?.wall.push((performance.now() - startedAt) / LOADS)
        // Work that it left to V8's other threads counts too.
        await wait(20)
        const after = cpu()
        if (used !== undefined && after !== undefined) times.get(candidate)?.cpu.push((after - used) / LOADS)
      }
    } finally {
      await workerd.dispose()
    }
  }
  return times
}
