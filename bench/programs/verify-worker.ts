// workerd, where clocks stand still between I/O: runs a batch for each request, and the host takes the time.

import { EVENT_KINDS } from './events.ts'
import { prepare, runBatch } from './verify-batch.ts'

export default {
  async fetch(request: Request): Promise<Response> {
    const { kind, name, count } = (await request.json()) as { kind?: string; name?: string; count?: number }
    const found = EVENT_KINDS.find((one) => one === kind)
    if (!found) return Response.json({ kinds: EVENT_KINDS })
    const contenders = await prepare(found)
    const contender = contenders.find((one) => one.name === name)
    if (!contender) return Response.json(contenders.map((one) => ({ name: one.name, role: one.role })))
    await runBatch(contender, count ?? 0)
    return new Response('done')
  },
}
