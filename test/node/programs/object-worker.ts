// Plays test/testing/behaviours.ts over objects of the runtime.

import type { DurableObjectState } from '@cloudflare/workers-types'
import type { ShopEnv } from '../../../src/shop/env.ts'
import type { ObjectState } from '../../../src/shop/runtime.ts'
import { BEHAVIOURS, type Behaviour, type Counts, objectClass, play } from '../../testing/behaviours.ts'

interface Env extends ShopEnv {
  OBJECTS: ShopEnv['TILL']
  DIRECTOR: ShopEnv['TILL']
}

// The objects share one isolate.
const counts: Counts[] = BEHAVIOURS.map(() => ({ sent: 0 }))

const post = (objects: Env['DIRECTOR'], name: string, path: string, body: string) =>
  objects.get(objects.idFromName(name) as never).fetch(`https://object/${path}`, { method: 'POST', body })

export class Behaving {
  private readonly object: InstanceType<ReturnType<typeof objectClass>>

  constructor(state: DurableObjectState, env: Env) {
    const index = Number(state.id.name)
    const Class = objectClass(counts[index] as Counts, {
      die: () => state.abort(),
      send: () => void post(env.DIRECTOR, 'director', 'sent', `${index}`),
      written: (cursor) => (cursor as { rowsWritten: number }).rowsWritten,
    })
    this.object = new Class(state as unknown as ObjectState)
  }

  fetch(request: Request): Promise<Response> {
    return this.object.fetch(request)
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
      case '/behaviours':
        return Response.json(await Promise.all(BEHAVIOURS.map((one, index) => this.play(one, index))))
    }
    ;(counts[Number(body)] as Counts).sent++
    return new Response()
  }

  private play(behaviour: Behaviour, index: number): Promise<unknown[]> {
    const call = (word: string): Promise<unknown> =>
      post(this.env.OBJECTS, `${index}`, '', word).then(
        (response) => response.json(),
        () => 'rejected',
      )
    return play(behaviour, call)
  }
}

export default {
  fetch: async (request: Request, { DIRECTOR }: Env): Promise<Response> => {
    const path = new URL(request.url).pathname.slice(1)
    return Response.json(await (await post(DIRECTOR, 'director', path, await request.text())).json())
  },
}
