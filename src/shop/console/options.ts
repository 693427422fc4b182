import type { Fetch } from '../../config.ts'
import type { Role } from '../index.ts'

/** Options of {@link createConsole}. Everything is optional. */
export interface ConsoleOptions {
  /**
   * Cloudflare Access in front of the console: the actor is the person that it lets through. Without it there is a
   * login.
   */
  access?: ConsoleAccess | undefined
  /**
   * The rights of each person, by the e-mail address that Access reports, in lower case. Without it every person may do
   * everything; with it, an unnamed person may look. A person with a token has the role of PEOPLE, or everything with
   * ADMIN_TOKEN.
   */
  roles?: Readonly<Record<string, Role>> | undefined
  /** For tests: the clock, and the `fetch` for the keys of Access. */
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
