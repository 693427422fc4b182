// The worker, with a count of its steps: each call of KV, of a Durable Object's storage, of the service and of the
// merchant's code is one. At a step that the test names it waits forever for an address that makes the test stop workerd.

import type { DurableObjectState, ExecutionContext } from '@cloudflare/workers-types'
import { Hono } from 'hono'
import { createConsole } from '../../../src/console/index.ts'
import { operationKey } from '../../../src/index.ts'
import type { ShopEnv as Env } from '../../../src/shop/env.ts'
import { createShop } from '../../../src/shop/index.ts'
import type { GateState } from '../../../src/shop/runtime.ts'

/** Of the whole isolate, which the worker shares with its Durable Objects. */
let steps = 0
let stopAt = 0
/** Milliseconds that the test moved the clock on; an alarm of before may ring before the first request. */
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
  onEvent: ({ event }, { order_id }, { ORDER_GATE }) =>
    step(async () => {
      const { ok, status } = await tellShop(operationKey(event), String(event.method))
      // As when it goes over the limit of memory: nothing of the object runs any more.
      if (status === GONE) objects.get(String(ORDER_GATE.idFromName(`order/${order_id}`)))?.abort('over a limit')
      if (!ok) throw new Error('the shop failed')
    }),
  onAlert: async ({ kind }) => void (await tellShop(kind)),
})

const consoleApp = new Hono<{ Bindings: Env }>().route(
  '/console',
  createConsole(shop, { now: () => Date.now() + offset }),
)

const GONE = 410
/** The objects of this isolate, by their ids. */
const objects = new Map<string, DurableObjectState>()

const tellShop = (id: string, method = ''): Promise<Response> =>
  fetch(`https://shop.test/${method}`, { method: 'POST', body: id })

type Methods = Record<PropertyKey, (...parts: unknown[]) => Promise<unknown>>

/** Each method becomes a step; `replaced` stands in front of some. */
function stepped<T extends object>(target: T, replaced: Methods = {}): T {
  return new Proxy(target, {
    get: (_, name) =>
      replaced[name] ?? ((...parts: unknown[]) => step(async () => (target as unknown as Methods)[name]?.(...parts))),
  })
}

function steppedStorage<T extends object>(storage: T): T {
  const { getAlarm, setAlarm, transactionSync } = storage as unknown as Methods
  return stepped(storage, {
    // The alarm clock of the runtime is not the one that the test moves on.
    setAlarm: (at: unknown) => step(async () => setAlarm?.call(storage, Number(at) - offset)),
    getAlarm: () =>
      step(async () => {
        const at = (await getAlarm?.call(storage)) as number | null
        return at === null ? null : at + offset
      }),
    // Statements without an `await` between them are one write: a stop comes before or after it.
    sql: (storage as { sql?: unknown }).sql,
    transactionSync: (work: unknown) => transactionSync?.call(storage, work),
  } as unknown as Methods)
}

const withSteps = (env: Env): Env => ({ ...env, STATE: stepped(env.STATE) })

export class OrderGate extends shop.OrderGate {
  private readonly own: DurableObjectState['storage']
  private ringing: Promise<void> | undefined
  private rang: () => void = () => {}

  constructor(state: DurableObjectState, env: Env) {
    const storage = steppedStorage(state.storage)
    const waitUntil = (work: Promise<unknown>): void => state.waitUntil(work)
    super({ storage, waitUntil } as unknown as GateState, withSteps(env))
    this.own = state.storage
    objects.set(String(state.id), state)
  }

  override async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname !== '/test/alarm') return super.fetch(request)
    await this.moveAlarm(Number(searchParams.get('ms')))
    return new Response()
  }

  override async alarm(): Promise<void> {
    this.ringing = super.alarm()
    await this.ringing.finally(() => this.rang())
  }

  /** The alarm rings so much earlier; what is due has rung when this resolves. */
  private async moveAlarm(ms: number): Promise<void> {
    await this.ringing?.catch(() => {})
    const at = await this.own.getAlarm()
    if (at === null) return
    const rings = new Promise<void>((resolve) => {
      this.rang = resolve
    })
    await this.own.setAlarm(Math.max(at - ms, Date.now()))
    if (at - ms > Date.now()) return
    await rings
    await this.moveAlarm(0)
  }
}

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
    if (pathname === '/test/alarm') {
      const id = env.ORDER_GATE.idFromName(`order/${searchParams.get('order_id')}`)
      return (await env.ORDER_GATE.get(id as never).fetch(request.url, { method: 'POST', body: '' })) as never
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
