// The surroundings of one gate in workerd while a trace is replayed over it: clock, service, KV, and a storage that can fail.

import type { ShopEnv } from '../../src/shop/env.ts'
import { createOrderGate, type OrderGateObject } from '../../src/shop/gate.ts'
import type { GateState, KvNamespace } from '../../src/shop/runtime.ts'

/** How the service responds. */
export interface Answer {
  status: number
  body: unknown
}

/** Beyond the time at which workerd would run an alarm automatically. */
const START = Date.UTC(2100, 0)

export class Stage {
  /** Milliseconds since the trace began. */
  now = 0
  /** Where the gate waits: after it has begun to watch an operation, for a call that moves money, or for a question. */
  waitsFor: 'watches' | 'sends' | 'asks' | undefined
  /** The amounts that the service was called with, in minor units. */
  readonly sent: number[] = []
  /** The contents of KV. It stays when the gate is lost. */
  readonly kv = new Map<string, { value: string; metadata?: unknown }>()
  /** Whether the next operation cannot be stored. */
  cannotStore = false
  private isWatched = false
  private goes: (answer: Answer) => void = () => {}
  private arrives: () => void = () => {}
  private run: Promise<unknown> = Promise.resolve()

  /** Begins a run of the gate. @returns When it waits, or has ended. */
  begin(run: () => Promise<unknown>): Promise<void> {
    return this.untilItWaits(() => {
      this.run = run()
    })
  }

  /** Lets the gate go on. @returns When it waits again, or has ended. */
  goOn(answer: Answer = { status: 200, body: null }): Promise<void> {
    return this.untilItWaits(() => this.goes(answer))
  }

  /** The run was cut off. */
  async end(): Promise<void> {
    await this.run
    this.waitsFor = undefined
  }

  private async untilItWaits(begin: () => void): Promise<void> {
    this.waitsFor = undefined
    const waits = new Promise<void>((resolve) => {
      this.arrives = resolve
    })
    begin()
    await Promise.race([waits, this.run])
  }

  private wait(what: Stage['waitsFor']): Promise<Answer> {
    this.waitsFor = what
    return new Promise((resolve) => {
      this.goes = resolve
      this.arrives()
    })
  }

  /** The engine's gate in these surroundings. */
  open({ storage, waitUntil }: GateState, env: ShopEnv): OrderGateObject {
    const Gate = createOrderGate({
      now: () => START + this.now,
      fetch: (async (_: RequestInfo | URL, init?: RequestInit) => {
        // Nothing leaves an object before what it has written is on disk.
        await storage.sync()
        if (init?.method === 'POST') {
          const { charge_amount } = (await new Response(init.body).json()) as { charge_amount: number }
          this.sent.push(charge_amount * 100)
        }
        const { status, body } = await this.wait(init?.method === 'POST' ? 'sends' : 'asks')
        return Response.json(body, { status })
      }) as typeof fetch,
    })
    const state: GateState = {
      waitUntil: (work) => waitUntil(work),
      storage: {
        sql: {
          exec: (query, ...bindings) => {
            this.sees(query, bindings)
            return storage.sql.exec(query, ...bindings)
          },
        },
        transactionSync: (work) => storage.transactionSync(work),
        sync: () => storage.sync(),
        // So that it sets its alarm whenever it writes what is due.
        getAlarm: async () => null,
        setAlarm: async (time) => {
          await storage.setAlarm(time)
          if (!this.isWatched) return
          this.isWatched = false
          await this.wait('watches')
        },
        deleteAlarm: () => storage.deleteAlarm(),
      },
    }
    return new Gate(state, { ...env, STATE: this.namespace(), ORDER_GATE: shopObjects })
  }

  private sees(query: string, [kind, , , , task]: unknown[]): void {
    if (/INTO task/.test(query) && kind === 'open') {
      const { asks, listed } = JSON.parse(task as string) as { asks: number; listed?: true }
      this.isWatched = asks === 0 && !listed
    }
    if (!this.cannotStore || !/INTO operation/.test(query)) return
    this.cannotStore = false
    throw new Error('The disk is full.')
  }

  private namespace(): KvNamespace {
    const { kv } = this
    return {
      get: async (key) => kv.get(key)?.value ?? null,
      put: async (key, value, options) => void kv.set(key, { value, metadata: options?.metadata }),
      delete: async (key) => void kv.delete(key),
      list: async ({ prefix = '' } = {}) => ({
        keys: [...kv].flatMap(([name, { metadata }]) => (name.startsWith(prefix) ? [{ name, metadata }] : [])),
        list_complete: true,
      }),
    }
  }
}

/** The books: a trace reads none. */
const shopObjects: ShopEnv['ORDER_GATE'] = {
  idFromName: (name) => name,
  get: () => ({ fetch: async () => Response.json({ value: { book: 1 } }) }),
}
