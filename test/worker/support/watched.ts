import { onTestFinished } from 'vitest'
import type { Alert, OnAlert } from '../../../src/shop/options.ts'
import { World, type WorldOptions } from './world.ts'

/** It throws, it rejects, it ends after its test. New ones at each call: a function stands for an isolate that remembers. */
export const failingOnAlert = (): OnAlert[] => [
  () => {
    throw new Error('the chat is down')
  },
  () => Promise.reject(new Error('the chat is down')),
  () => new Promise((end) => onTestFinished(() => end())),
]

export interface Watched {
  world: World
  alerts: Alert[]
  /** Every look-up: which order, and when. */
  asked: { order_id: string; at: number }[]
  /** The service's ways to fail a look-up. */
  service: { reply?: (order_id: string) => Promise<Response | undefined> | Response | undefined }
  /** How many look-ups of one order were under way at once, at most. */
  atOnce: () => number
}

/** A world whose webhooks are all lost, and whose look-ups are counted. */
export function watched(options: WorldOptions = {}): Watched {
  const alerts: Alert[] = []
  const asked: Watched['asked'] = []
  const service: Watched['service'] = {}
  const running = new Map<string, number>()
  let most = 0
  const world: World = new World({
    onAlert: (alert) => void alerts.push(alert),
    emulator: { fetch: async () => new Response('lost', { status: 503 }), retryDelaysMs: [] },
    fetch: (async (input: string, init: RequestInit) => {
      const [, order_id] = /\/orders\/([^/?]+)/.exec(input) ?? []
      if (init.method !== 'GET' || order_id === undefined) return world.emulator.fetch(input, init)
      asked.push({ order_id, at: world.time })
      const count = (running.get(order_id) ?? 0) + 1
      running.set(order_id, count)
      most = Math.max(most, count)
      try {
        return (await service.reply?.(order_id)) ?? (await world.emulator.fetch(input, init))
      } finally {
        running.set(order_id, count - 1)
      }
    }) as typeof fetch,
    ...options,
  })
  return { world, alerts, asked, service, atOnce: () => most }
}

/** A quarter of an hour: the alarms that are due, and a run of the cron. */
export async function run(world: World): Promise<void> {
  await world.advance(15 * 60_000)
  await world.cron()
  await world.idle()
}
