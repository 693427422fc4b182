import type { Context } from 'hono'
import { type Env, missingBindings } from '../env.ts'

/** `GET /health`: alive, and which configuration is missing, by name only. */
export function health(c: Context<{ Bindings: Env }>): Response {
  const missing = missingBindings(c.env)
  return c.json({ status: missing.length === 0 ? 'ok' : 'misconfigured', missing }, missing.length === 0 ? 200 : 503)
}
