// Replays traces of the model over the engine's gates, and plays test/testing/behaviours.ts over objects of the runtime.

import type { DurableObjectState } from '@cloudflare/workers-types'
import type { ShopEnv } from '../../../src/shop/env.ts'
import type { OrderGateObject } from '../../../src/shop/gate.ts'
import type { GateState } from '../../../src/shop/runtime.ts'
import type { Trace } from '../../simulator/explore.ts'
import { type Outcome, Replay } from '../../simulator/replay.ts'
import { Stage } from '../../simulator/stage.ts'
import { type AlarmInfo, BEHAVIOURS, type Behaviour, type Counts, objectClass, play } from '../../testing/behaviours.ts'

interface Env extends ShopEnv {
  OBJECTS: ShopEnv['ORDER_GATE']
  DIRECTOR: ShopEnv['ORDER_GATE']
}

// The objects share one isolate.
const stages = new Map<string, Stage>()
const counts: Counts[] = BEHAVIOURS.map(() => ({ rung: 0, sent: 0 }))

const post = (objects: Env['DIRECTOR'], name: string, path: string, body: string) =>
  objects.get(objects.idFromName(name) as never).fetch(`https://object/${path}`, { method: 'POST', body })

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

  /** The trace says when. */
  async alarm(): Promise<void> {}
}

/** A gate that was lost has no tables. */
function rowsOf({ sql }: DurableObjectState['storage'], query: string): unknown[] {
  const tables = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'operation'").toArray()
  return tables.length === 0 ? [] : sql.exec(query).toArray()
}

export class Behaving {
  private readonly object: InstanceType<ReturnType<typeof objectClass>>

  constructor(state: DurableObjectState, env: Env) {
    const index = Number(state.id.name)
    const Class = objectClass(BEHAVIOURS[index] as Behaviour, counts[index] as Counts, {
      die: () => state.abort(),
      send: () => void post(env.DIRECTOR, 'director', 'sent', `${index}`),
    })
    this.object = new Class(state as unknown as GateState)
  }

  fetch(request: Request): Promise<Response> {
    return this.object.fetch(request)
  }

  alarm(info: AlarmInfo): Promise<void> {
    return this.object.alarm(info)
  }
}

/** An object too: a request of a Worker may not wait for what another object resolves. */
export class Director {
  private readonly env: Env

  constructor(_: unknown, env: Env) {
    this.env = env
  }

  async fetch(request: Request): Promise<Response> {
    const body = await request.text()
    switch (new URL(request.url).pathname) {
      case '/traces':
        return Response.json(await Promise.all((JSON.parse(body) as Trace[]).map((trace) => this.replay(trace))))
      case '/behaviours':
        return Response.json(await Promise.all(BEHAVIOURS.map((one, index) => this.play(one, index))))
    }
    ;(counts[Number(body)] as Counts).sent++
    return new Response()
  }

  private replay(trace: Trace): Promise<Outcome> {
    const order_id = `trace-${stages.size}`
    const stage = new Stage()
    stages.set(`order/${order_id}`, stage)
    return new Replay(this.env, order_id, stage, trace).play()
  }

  private play(behaviour: Behaviour, index: number): Promise<unknown[]> {
    const call = (word: string): Promise<unknown> =>
      post(this.env.OBJECTS, `${index}`, '', word).then(
        (response) => response.json(),
        () => 'rejected',
      )
    const rung = async (times: number): Promise<void> => {
      while ((counts[index] as Counts).rung < times) await new Promise((resolve) => setTimeout(resolve))
    }
    return play(behaviour, call, rung)
  }
}

export default {
  fetch: async (request: Request, { DIRECTOR }: Env): Promise<Response> => {
    const path = new URL(request.url).pathname.slice(1)
    return Response.json(await (await post(DIRECTOR, 'director', path, await request.text())).json())
  },
}
