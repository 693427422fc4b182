import * as v from 'valibot'
import type { Fetch } from '../../config.ts'
import { fields, oneOf, parseInput, text, wholeNumber } from '../../emulator/parse-input.ts'
import { ORDER_KINDS, type OrderKind } from './story.ts'

/** The state of an order in the shop, in units of the currency as on the wire: 100.5 is a hundred and a half, not 10050. */
export interface ProveState {
  /** The amount that was received for the order: successful purchases and captures. An authorization that was not captured is 0. */
  paid: number
  /** The amount of it that was refunded. */
  refunded: number
  /** How many times the goods were sent. Without it, "shipped twice" cannot be seen. */
  shipped?: number | undefined
  /** The currency of `paid`, ISO 4217. Only a shop that counts payments in other currencies than it asked for needs it. */
  currency?: string | undefined
}

/** An order as a shop creates it before its customer pays: `amount` in units of the `currency` (ISO 4217). */
export interface AskedOrder {
  order_id: string
  amount: number
  currency: string
  /** The checkout's address, where the shop has created the payment as well: a button's order is then paid there. */
  url?: string | undefined
}

/** A press of a button that sends money. `key` is the same for each press of one intention, as in a form that is sent twice. */
export interface ProvePress extends AskedOrder {
  key: string
}

/** Options of {@link prove}. */
export interface ProveOptions {
  /** The receiver of webhooks: `http://127.0.0.1:3000/webhooks`. */
  url: string
  /** An order: a URL with `{order_id}` in it, which returns JSON (404: unknown), or a function (undefined: unknown). */
  state: string | ((order_id: string) => Promise<ProveState | undefined> | ProveState | undefined)
  /** Where a state URL's JSON has each value. Default `$.paid`, `$.refunded`, `$.shipped` and `$.currency`. */
  paths?: { readonly [name in keyof ProveState]?: string | undefined } | undefined
  /** The unit of the JSON's amounts: `decimal` (100.5) or `minor` (10050). Default `decimal`. */
  units?: 'decimal' | 'minor' | undefined
  /**
   * Creates an order in the shop: a URL that gets it posted as JSON, or a function. What either returns may name another `order_id`,
   * `amount` and `currency`. Without it, payments of another amount or currency than asked are left out, as the report says.
   */
  create?: string | ((order: AskedOrder) => Promise<unknown> | unknown) | undefined
  /** Kills the receiver, starts it again, and resolves when it listens. Without it crashes are left out, as the report says. */
  restart?: (() => Promise<unknown> | unknown) | undefined
  /**
   * The shop's own refund: a URL that gets a {@link ProvePress} posted as a form (each field may stand in the URL, as `{order_id}`), or
   * a function. It is pressed twice, from two sides, while the response is lost, while the shop is killed. Needs `emulator`.
   */
  refund?: string | ((press: ProvePress) => Promise<unknown> | unknown) | undefined
  /** The same for captures. Needs `emulator`. */
  capture?: ProveOptions['refund']
  /** Where the emulator is served that the shop refunds and captures with: `http://127.0.0.1:4010`. */
  emulator?: string | undefined
  /** Headers for the state, the create, the refund and the capture URL, such as `Authorization`. */
  headers?: Readonly<Record<string, string>> | undefined
  /** The receiver uses edgetill: advice names its functions. */
  usesEdgetill?: boolean | undefined
  /** Plays this one story in place of orders: what `edgetill prove` wrote for a finding, or `edgetill order --export` for an order. */
  story?: unknown
  /** The API secret that the shop verifies webhooks with. Default `emulator-api-secret`. */
  apiSecret?: string | undefined
  /** The shop's POS, a UUID. Default the emulator's. */
  posId?: string | undefined
  /** How many orders are played, at most 100,000. Default 200. */
  orders?: number | undefined
  /** Decides orders and attacks. Ids are new in each run: a shop that remembers an earlier one is no different. Default 1. */
  seed?: number | undefined
  /** The kinds of orders that the shop has. Default all. */
  kinds?: readonly OrderKind[] | undefined
  /** Calls the receiver, the state and the create URL. Default `globalThis.fetch`. */
  fetch?: Fetch | undefined
  /** Milliseconds after which a call without a response has failed. Default 10,000. */
  timeoutMs?: number | undefined
  /** Milliseconds that the shop may take after its 200 until its state is right: a queue, for instance. Default 500. */
  settleMs?: number | undefined
  /** Called with what is waited for, when that takes a while. */
  onWait?: ((says: string) => void) | undefined
  /** Called after each order. */
  onProgress?: ((done: number, of: number) => void) | undefined
}

/** `prove` could not be run: the receiver, its state or the options are not usable. `message` says which, and what to try. */
export class ProveError extends Error {
  override readonly name = 'ProveError'
}

type Defaulted = 'apiSecret' | 'orders' | 'seed' | 'kinds' | 'fetch' | 'timeoutMs' | 'settleMs' | 'units' | 'headers'

/** The options with their defaults. */
export type Resolved = Omit<ProveOptions, Defaulted> & { [name in Defaulted]: NonNullable<ProveOptions[name]> }

const isAddress = (one: unknown): boolean => typeof one === 'string' && /^https?:\/\/./.test(one) && URL.canParse(one)
const address = v.custom<string>(isAddress, 'must be an http(s) address.')
const fn = v.custom((value) => typeof value === 'function', 'must be a function or an http(s) address.')
const isFunction = v.optional(fn)
const PATH = /^\$(\.\w+|\[\d+\])+$/
const path = v.optional(v.pipe(text, v.regex(PATH, 'must be a path such as $.order.paid or $.orders[0].paid.')))
const kinds = v.pipe(v.array(oneOf('kind of order', ORDER_KINDS)), v.minLength(1, 'must name a kind of order.'))
const button = v.optional(v.union([address, fn], 'must be a function or an http(s) address.'))
const milliseconds = wholeNumber(0, 3_600_000)
const ownFetch: Fetch = (input, init) => globalThis.fetch(input, init)

const OPTIONS = fields('prove option', {
  url: address,
  state: v.custom(
    (value) => typeof value === 'function' || (v.is(address, value) && value.includes('{order_id}')),
    'must be a function, or an http(s) address with {order_id} in it.',
  ),
  paths: v.optional(fields('path', { paid: path, refunded: path, shipped: path, currency: path })),
  units: v.optional(oneOf('unit', ['decimal', 'minor'] as const), 'decimal'),
  create: button,
  restart: isFunction,
  refund: button,
  capture: button,
  emulator: v.optional(address),
  headers: v.optional(v.record(v.string(), v.string()), {}),
  usesEdgetill: v.optional(v.boolean()),
  story: v.optional(v.unknown()),
  apiSecret: v.optional(text, 'emulator-api-secret'),
  posId: v.optional(v.pipe(text, v.uuid('must be a UUID.'))),
  orders: v.optional(wholeNumber(1, 100_000), 200),
  seed: v.optional(wholeNumber(0, 0xffff_ffff), 1),
  kinds: v.optional(kinds, ORDER_KINDS),
  fetch: v.optional(fn, () => ownFetch),
  timeoutMs: v.optional(milliseconds, 10_000),
  settleMs: v.optional(milliseconds, 500),
  onWait: isFunction,
  onProgress: isFunction,
})

/** @throws {ProveError} naming the option that makes no sense. */
export function resolveProveOptions(options: ProveOptions): Resolved {
  try {
    const resolved = parseInput(OPTIONS, options) as Resolved
    if ((resolved.refund ?? resolved.capture) === undefined || resolved.emulator !== undefined) return resolved
  } catch (cause) {
    throw new ProveError((cause as Error).message, { cause })
  }
  throw new ProveError('emulator: refunds and captures are made with an emulator: say where it is served (--emulator).')
}
