import type { Fetch } from '../config.ts'

/**
 * The rights of a person: look; make links and close them (`'sell'` is short for `{ sell: true }`); refund up to
 * an amount of one
 * order, in the order's currency; or everything.
 */
export type ConsoleRole = 'view' | 'sell' | { sell?: boolean; refund?: number } | 'all'

/** Options of {@link createConsole}. Everything is optional. */
export interface ConsoleOptions {
  /** Cloudflare Access in front of the console: whoever it lets through is who acts. Without it there is a login. */
  access?: ConsoleAccess | undefined
  /**
   * The rights of each person, by the e-mail address that Access reports, in lower case. Without it everybody may
   * do everything;
   * with it, whoever is not named may look. Whoever signs in with ADMIN_TOKEN may do everything.
   */
  roles?: Readonly<Record<string, ConsoleRole>> | undefined
  /** For tests: the clock, and what fetches the keys of Access. */
  now?: (() => number) | undefined
  fetch?: Fetch | undefined
}

/** An application of Cloudflare Access. */
export interface ConsoleAccess {
  /** The team's name: `shop` of `https://shop.cloudflareaccess.com`. */
  team: string
  /** The application's audience tag (AUD). */
  audience: string
}
