import type { ExecutionContext, ScheduledController } from '@cloudflare/workers-types'
import { createApp } from './app.ts'
import type { Env } from './env.ts'
import { runCron } from './flows/cron.ts'
import { onAlert } from './on-alert.ts'
import { onEvent } from './on-event.ts'
import { createOrderGate } from './order-gate.ts'

const deps = { now: Date.now, onEvent, onAlert }
const app = createApp(deps)

/** The Durable Object class that wrangler.toml binds as ORDER_GATE. */
export const OrderGate: ReturnType<typeof createOrderGate> = createOrderGate(deps)

export default {
  fetch: app.fetch,
  scheduled(_: ScheduledController, env: Env, context: ExecutionContext): void {
    context.waitUntil(runCron(deps, env, (work) => context.waitUntil(work)))
  },
}
