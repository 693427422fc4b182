import type { ShopEnv } from 'edgetill/worker'

/** The bindings of wrangler.toml. Add a member here for each binding that you add there. */
export interface Env extends ShopEnv {
  /** Secret, optional: how `on-event.ts` authenticates itself to your shop. */
  SHOP_TOKEN?: string
  /** Secret, optional: the address of the chat that `on-event.ts` and `on-alert.ts` post to. */
  CHAT_URL?: string
}
