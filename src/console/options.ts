import type { Fetch } from '../config.ts'
import type { Role } from '../shop/index.ts'

/** Options of {@link createConsole}. Everything is optional. */
export interface ConsoleOptions {
  /** Cloudflare Access in front of the console: whoever it lets through is who acts. Without it there is a login. */
  access?: ConsoleAccess | undefined
  /**
   * The rights of each person, by the e-mail address that Access reports, in lower case. Without it everybody may
   * do everything;
   * with it, whoever is not named may look. Whoever signs in with a token has the role of PEOPLE, or everything
   * with ADMIN_TOKEN.
   */
  roles?: Readonly<Record<string, Role>> | undefined
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
