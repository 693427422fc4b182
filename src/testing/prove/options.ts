import * as v from 'valibot'
import type { Fetch } from '../../config.ts'
import { fields, oneOf, parseInput, text, wholeNumber } from '../../emulator/parse-input.ts'
import { ORDER_KINDS, type OrderKind } from './story.ts'

/** What a shop says of an order, in units of the currency as on the wire: 100.5 is a hundred and a half, not 10050. */
export interface ProveState {
  /** What was received for the order: successful purchases and captures. An authorization that was not captured is 0. */
  paid: number
  /** What was paid back of it. */
  refunded: number
  /** How many times the goods were sent. Without it, "shipped twice" cannot be seen. */
  shipped?: number | undefined
  /** The currency of `paid`, ISO 4217. Only a shop that counts payments in other currencies than it asked for needs it. */
  currency?: string | undefined
}

/** An order as a shop creates it before its customer pays. */
export interface AskedOrder {
  order_id: string
  /** In units of the currency. */
  amount: number
  /** ISO 4217. */
  currency: string
}

/** A press of a button that sends money. */
export interface ProvePress extends AskedOrder {
  /** The same for each press of one intention: a form that is sent twice has it twice. */
  key: string
}

/** What {@link prove} takes. */
export interface ProveOptions {
  /** The receiver of webhooks: `http://127.0.0.1:3000/webhooks`. */
  url: string
  /**
   * How the shop is asked for an order: a URL with `{order_id}` in it, which responds with JSON (404: it knows no such order), or a
   * function, which returns undefined for an order that the shop does not know.
   */
  state: string | ((order_id: string) => Promise<ProveState | undefined> | ProveState | undefined)
  /** Where a state URL's JSON has each value. Default `$.paid`, `$.refunded`, `$.shipped` and `$.currency`. */
  paths?: { readonly [name in keyof ProveState]?: string | undefined } | undefined
  /** The unit of the JSON's amounts: `decimal` (100.5) or `minor` (10050). Default `decimal`. */
  units?: 'decimal' | 'minor' | undefined
  /**
   * Creates an order in the shop: a URL that gets it posted as JSON, or a function. The JSON of its response, or what the function
   * returns, may name another `order_id`, `amount` and `currency`: those of the order that the shop made. Without it, payments of
   * another amount or currency than asked are left out, and the report says so.
   */
  create?: string | ((order: AskedOrder) => Promise<unknown> | unknown) | undefined
  /**
   * Kills the receiver, starts it again, and resolves when it listens. Without it, whether a 200 comes before the webhook is
   * stored is not tried, and the report says so.
   */
  restart?: (() => Promise<unknown> | unknown) | undefined
  /**
   * The shop's own refund: a URL that gets a form with `order_id`, `amount`, `currency` and `key` posted (each may stand in the
   * URL, as `{order_id}`), or a function. It is pressed twice, from two sides at once, while the service's response is lost, and
   * while the shop is killed. Needs `emulator`.
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

const address = v.custom<string>(
  (value) => typeof value === 'string' && /^https?:\/\/./.test(value) && URL.canParse(value),
  'must be an http(s) address.',
)
const fn = v.custom((value) => typeof value === 'function', 'must be a function or an http(s) address.')
const path = v.pipe(text, v.regex(/^\$(\.\w+|\[\d+\])+$/, 'must be a path such as $.order.paid or $.orders[0].paid.'))
const button = v.optional(v.union([address, fn], 'must be a function or an http(s) address.'))
const milliseconds = v.optional(wholeNumber(0, 3_600_000))

const OPTIONS = fields('prove option', {
  url: address,
  state: v.custom(
    (value) => typeof value === 'function' || (v.is(address, value) && value.includes('{order_id}')),
    'must be a function, or an http(s) address with {order_id} in it.',
  ),
  paths: v.optional(
    fields('path', {
      paid: v.optional(path),
      refunded: v.optional(path),
      shipped: v.optional(path),
      currency: v.optional(path),
    }),
  ),
  units: v.optional(oneOf('unit', ['decimal', 'minor'] as const)),
  create: button,
  restart: v.optional(fn),
  refund: button,
  capture: button,
  emulator: v.optional(address),
  headers: v.optional(v.record(v.string(), v.string())),
  usesEdgetill: v.optional(v.boolean()),
  story: v.optional(v.unknown()),
  apiSecret: v.optional(text),
  posId: v.optional(v.pipe(text, v.uuid('must be a UUID.'))),
  orders: v.optional(wholeNumber(1, 100_000)),
  seed: v.optional(wholeNumber(0, 0xffff_ffff)),
  kinds: v.optional(v.pipe(v.array(oneOf('kind of order', ORDER_KINDS)), v.minLength(1, 'must name a kind of order.'))),
  fetch: v.optional(fn),
  timeoutMs: milliseconds,
  settleMs: milliseconds,
  onWait: v.optional(fn),
  onProgress: v.optional(fn),
})

/** @throws {ProveError} naming the option that makes no sense. */
export function resolveProveOptions(options: ProveOptions): Resolved {
  try {
    parseInput(OPTIONS, options)
  } catch (cause) {
    throw new ProveError((cause as Error).message, { cause })
  }
  if ((options.refund ?? options.capture) !== undefined && options.emulator === undefined) {
    throw new ProveError(
      'emulator: refunds and captures are made with an emulator: say where it is served (--emulator).',
    )
  }
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const defaults = {
    apiSecret: 'emulator-api-secret',
    orders: 200,
    seed: 1,
    kinds: ORDER_KINDS,
    fetch: (input: string | URL | Request, init?: RequestInit) => globalThis.fetch(input, init),
    timeoutMs: 10_000,
    settleMs: 500,
    units: 'decimal' as const,
    headers: {},
  }
  return { ...defaults, ...(given as unknown as ProveOptions) } as Resolved
}
