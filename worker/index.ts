import type { ExecutionContext, ScheduledController } from '@cloudflare/workers-types'
import { createApp } from './app.ts'
import type { Env } from './env.ts'
import { runCron } from './flows/cron.ts'
import { onEvent } from './on-event.ts'

const app = createApp({ onEvent })

export default {
  fetch: app.fetch,
  scheduled(_: ScheduledController, env: Env, context: ExecutionContext): void {
    context.waitUntil(runCron({ now: Date.now, onEvent }, env))
  },
}
