import type { ShopEnv } from '../env.ts'
import { configurationProblems } from '../lib/configuration.ts'
import { logError } from '../lib/log.ts'
import type { OnAlert } from '../options.ts'
import type { Scope } from '../scope.ts'

// Texts to the address CHAT_URL.

/** How long a chat may take to respond. */
const CHAT_MS = 5_000
/** Of one kind of alert there is one message in this time. */
const ALERT_MS = 60_000

/** The address, where it can be used. */
export const chatOf = (env: Partial<ShopEnv>): string | undefined =>
  env.CHAT_URL && configurationProblems(env, ['CHAT_URL']).length === 0 ? env.CHAT_URL : undefined

/** `&<>` are escaped: a chat takes a mention or a link of a customer's text for text. @returns Whether it was accepted. */
export async function post({ fetch }: Pick<Scope, 'fetch'>, url: string, text: string): Promise<boolean> {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  try {
    const response = await (fetch ?? globalThis.fetch)(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: escaped }),
      redirect: 'manual',
      signal: AbortSignal.timeout(CHAT_MS),
    })
    await response.body?.cancel()
    return response.ok
  } catch {
    // An error may quote the address, which may hold a token.
    return false
  }
}

const hooks = new WeakMap<object, OnAlert<ShopEnv>>()

/** The shop's `onAlert`, and a message: at most one a minute for each kind. */
export function alertHook({ env, fetch, onAlert, now }: Scope): OnAlert<ShopEnv> | undefined {
  const url = chatOf(env)
  if (url === undefined) return onAlert
  // Two shops of one process, as in a test: each has its own.
  const shop = onAlert ?? fetch ?? globalThis
  const known = hooks.get(shop)
  if (known) return known
  const times = new Map<string, number>()
  const hook: OnAlert<ShopEnv> = async (alert, bindings) => {
    const last = times.get(alert.kind) ?? Number.NEGATIVE_INFINITY
    const isDue = now() - last >= ALERT_MS
    if (isDue) times.set(alert.kind, now())
    const address = chatOf(bindings)
    const [own, sent] = await Promise.allSettled([
      onAlert?.(alert, bindings),
      isDue && address !== undefined ? post({ fetch }, address, alert.text) : true,
    ])
    if (sent.status === 'fulfilled' && !sent.value) logError('chat_failed', { alert: alert.kind })
    if (own.status === 'rejected') throw own.reason
  }
  hooks.set(shop, hook)
  return hook
}
