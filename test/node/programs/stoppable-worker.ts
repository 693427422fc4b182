// The worker, with a count of its steps: each call of KV, of the object of the shop, of the service and of the
// merchant's code is one. At a step that the test names it waits forever for an address that makes the test stop workerd.

import type { ExecutionContext } from '@cloudflare/workers-types'
import { Hono } from 'hono'
import { operationKey } from '../../../src/orders/index.ts'
import { createConsole } from '../../../src/shop/console/index.ts'
import type { ShopEnv as Env } from '../../../src/shop/env.ts'
import { createShop } from '../../../src/shop/index.ts'

/** Of the whole isolate, which the worker shares with its object. */
let steps = 0
let stopAt = 0
/** Milliseconds that the test moved the clock on. */
let offset = (globalThis as { OFFSET?: number }).OFFSET ?? 0

async function step<T>(work: () => Promise<T>): Promise<T> {
  steps += 1
  // Earlier writes are durable by then: a Durable Object sends nothing until it is.
  if (steps === stopAt) await fetch('https://stop.test/')
  return work()
}

const shop = createShop({
  now: () => Date.now() + offset,
  fetch: ((input, init) => step(() => fetch(input, init))) as typeof fetch,
  onEvent: ({ event }) =>
    step(async () => {
      const { ok } = await tellShop(operationKey(event))
      if (!ok) throw new Error('the shop failed')
    }),
  onAlert: async ({ kind }) => void (await tellShop(kind)),
})

const consoleApp = new Hono<{ Bindings: Env }>().route(
  '/console',
  createConsole(shop, { now: () => Date.now() + offset }),
)

const tellShop = (id: string): Promise<Response> => fetch('https://shop.test/', { method: 'POST', body: id })

type Methods = Record<PropertyKey, (...parts: unknown[]) => Promise<unknown>>

/** Each method becomes a step. */
function stepped<T extends object>(target: T): T {
  return new Proxy(target, {
    get:
      (_, name) =>
      (...parts: unknown[]) =>
        step(async () => (target as unknown as Methods)[name]?.(...parts)),
  })
}

/** Each call of KV and of the object is a step. */
const withSteps = (env: Env): Env => ({
  ...env,
  STATE: stepped(env.STATE),
  TILL: { idFromName: (name) => env.TILL.idFromName(name), get: (id) => stepped(env.TILL.get(id)) },
})

export const ShopObject = shop.ShopObject

export default {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/test/steps') {
      steps = 0
      stopAt = Number(searchParams.get('stop'))
      offset = Number(searchParams.get('offset'))
      return new Response()
    }
    if (pathname === '/test/clock') {
      offset = Number(searchParams.get('offset'))
      return new Response()
    }
    if (pathname === '/test/cron') {
      const runs: Promise<unknown>[] = []
      shop.scheduled(undefined, withSteps(env), { waitUntil: (work) => void runs.push(work) })
      await Promise.all(runs)
      return new Response()
    }
    const app = pathname.startsWith('/console') ? consoleApp : shop
    return app.fetch(request, withSteps(env), context as never)
  },
}
