// Replays traces of the model over the engine's gates, one object for each trace.

import type { DurableObjectState } from '@cloudflare/workers-types'
import type { ShopEnv } from '../../../src/shop/env.ts'
import type { OrderGateObject } from '../../../src/shop/gate.ts'
import type { GateState } from '../../../src/shop/runtime.ts'
import type { Trace } from '../../simulator/explore.ts'
import { type Outcome, Replay } from '../../simulator/replay.ts'
import { Stage } from '../../simulator/stage.ts'

/** Of the whole isolate, which the objects share. */
const stages = new Map<string, Stage>()

export class OrderGate {
  private readonly state: DurableObjectState
  private readonly gate: OrderGateObject

  constructor(state: DurableObjectState, env: ShopEnv) {
    this.state = state
    this.gate = (stages.get(state.id.name ?? '') as Stage).open(state as unknown as GateState, env)
  }

  async fetch(request: Request): Promise<Response> {
    const { storage } = this.state
    const { host, pathname } = new URL(request.url)
    if (host !== 'control') return this.gate.fetch(request)
    if (pathname === '/sql') return Response.json(rowsOf(storage, await request.text()))
    if (pathname === '/alarm') await this.gate.alarm()
    if (pathname === '/lose') await Promise.all([storage.deleteAlarm(), storage.deleteAll()])
    if (pathname !== '/alarm') this.state.abort()
    return new Response()
  }

  async alarm(): Promise<void> {}
}

/** A gate that was lost has no tables. */
function rowsOf({ sql }: DurableObjectState['storage'], query: string): unknown[] {
  const [{ count } = { count: 0 }] = sql
    .exec<{ count: number }>("SELECT count(*) AS count FROM sqlite_master WHERE name = 'operation'")
    .toArray()
  return count === 0 ? [] : sql.exec(query).toArray()
}

/** A worker’s own request may not wait for another object’s promise. */
export class Director {
  private readonly env: ShopEnv

  constructor(_: unknown, env: ShopEnv) {
    this.env = env
  }

  async fetch(request: Request): Promise<Response> {
    const traces = (await request.json()) as Trace[]
    const play = (trace: Trace): Promise<Outcome> => {
      const order_id = `trace-${stages.size}`
      const stage = new Stage()
      stages.set(`order/${order_id}`, stage)
      return new Replay(this.env, order_id, stage, trace).play()
    }
    return Response.json(await Promise.all(traces.map(play)))
  }
}

export default {
  fetch: async (request: Request, { DIRECTOR: objects }: { DIRECTOR: ShopEnv['ORDER_GATE'] }): Promise<Response> => {
    const director = objects.get(objects.idFromName('director') as never)
    const init = { method: 'POST', body: await request.text() }
    return Response.json(await (await director.fetch(request.url, init)).json())
  },
}
