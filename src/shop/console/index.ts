// edgetill/console: pages for the people of the shop.

import type { Hono as App } from 'hono'
import { Hono } from 'hono/tiny'
import type { Shop, ShopEnv } from '../index.ts'
import type { ConsoleOptions } from './options.ts'

export type { Role as ConsoleRole } from '../index.ts'
export type { ConsoleAccess, ConsoleOptions } from './options.ts'

/**
 * Makes the console of a shop: its orders, refunds and open matters, for a phone, in Ukrainian and English,
 * without script. It uses the shop's own API, in process. Its pages are loaded at the first request: webhooks do not
 * wait for them.
 *
 * Sign-in is by Cloudflare Access where `options.access` is set, else with a name and a token of the binding PEOPLE,
 * or `admin` and ADMIN_TOKEN. Needs the package `hono`.
 *
 * @param shop The result of `createShop`.
 * @example
 * import { Hono } from 'hono/tiny'
 * import { createConsole } from 'edgetill/console'
 * import { createShop, type ShopEnv } from 'edgetill/worker'
 *
 * const shop = createShop()
 * export const ShopObject = shop.ShopObject
 * const app = new Hono<{ Bindings: ShopEnv }>()
 * app.route('/', shop.app)
 * app.route('/console', createConsole(shop, { roles: { 'olena@shop.example.com': { refund: 500 } } }))
 * app.notFound(shop.notFound)
 * export default { fetch: app.fetch, scheduled: shop.scheduled }
 */
export function createConsole<Env extends ShopEnv = ShopEnv>(
  shop: Shop<Env>,
  options: ConsoleOptions = {},
): App<{ Bindings: Env }> {
  const app = new Hono<{ Bindings: Env }>()
  const pages: Record<string, ReturnType<typeof load>> = {}
  const load = async (mount: string) => (await import('./app.ts')).createPages(shop as unknown as Shop, options, mount)
  return app.all('/*', async (c) => {
    const mount = c.req.routePath.slice(0, -2)
    pages[mount] ??= load(mount)
    return (await pages[mount])(c as never)
  }) as unknown as App<{ Bindings: Env }>
}
