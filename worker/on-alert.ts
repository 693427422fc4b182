import type { OnAlert } from 'edgetill/worker'
import type { Env } from './env.ts'

/**
 * Your code for what a person should look at. While it is undefined, alerts are only logged.
 *
 * @example
 * export const onAlert: OnAlert<Env> = async ({ text }, env) => {
 *   if (!env.CHAT_URL) throw new Error('CHAT_URL is not set')
 *   const response = await fetch(env.CHAT_URL, {
 *     method: 'POST',
 *     headers: { 'content-type': 'application/json' },
 *     body: JSON.stringify({ text }),
 *     signal: AbortSignal.timeout(5_000),
 *   })
 *   if (!response.ok) throw new Error(`the chat responded with ${response.status}`)
 * }
 */
export const onAlert: OnAlert<Env> | undefined = undefined
