import * as v from 'valibot'
import type { Fetch } from '../../config.ts'
import { fields, oneOf, parseInput, text, wholeNumber } from '../../emulator/parse-input.ts'
import { ProveError, type ProvePress, type ShopAccess } from '../tested-shop.ts'
import { ORDER_KINDS, type OrderKind } from './story.ts'

/** Options of {@link prove}. */
export interface ProveOptions extends ShopAccess {
  /**
   * The shop's own refund: a URL that gets a {@link ProvePress} posted as a form (each field may stand in the URL, as
   * `{order_id}`), or a function. It is pressed twice, from two sides, while the response is lost, while the shop is
   * killed. Needs `emulator`.
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
  /** Plays this story in place of orders: the file that `edgetill prove` wrote for a finding. */
  story?: unknown
  /** The API secret that the shop verifies webhooks with. Default `emulator-api-secret`. */
  apiSecret?: string | undefined
  /** The shop's POS, a UUID. Default the emulator's. */
  posId?: string | undefined
  /** How many orders the seed draws after the fixed ones, which are all played; at most 100,000. Default 100. */
  orders?: number | undefined
  /** Decides orders and attacks. Ids are new in each run, also for a shop with a memory of earlier runs. Default 1. */
  seed?: number | undefined
  /** The kinds of orders that the shop has. Default all. */
  kinds?: readonly OrderKind[] | undefined
  /** Calls the receiver, the state and the create URL. Default `globalThis.fetch`. */
  fetch?: Fetch | undefined
  /** Milliseconds after which a call without a response has failed. Default 10,000. */
  timeoutMs?: number | undefined
  /** Milliseconds that the shop may take after its 200 until its state is right: a queue, for instance. Default 500. */
  settleMs?: number | undefined
  /** Seconds after which the report has the findings so far. Default 120. */
  maxSeconds?: number | undefined
  /** After an abort the report has the findings so far. */
  signal?: AbortSignal | undefined
  /** Called after each order. */
  onProgress?: ((done: number, of: number) => void) | undefined
}

type Defaulted =
  | ('apiSecret' | 'orders' | 'seed' | 'kinds' | 'fetch')
  | ('timeoutMs' | 'settleMs' | 'maxSeconds' | 'units' | 'headers')

/** The options with their defaults. `stopped` is aborted when the time is over. */
export type Resolved = ProveOptions & { [name in Defaulted]: NonNullable<ProveOptions[name]> } & {
  stopped: AbortSignal
}

const isAddress = (one: unknown): boolean => typeof one === 'string' && /^https?:\/\/./.test(one) && URL.canParse(one)
const address = v.custom<string>(isAddress, 'must be an http(s) address.')
const fn = v.custom((value) => typeof value === 'function', 'must be a function or an http(s) address.')
const isFunction = v.optional(fn)
const PATH = /^\$(\.\w+|\[\d+\])+$/
const path = v.optional(v.pipe(text, v.regex(PATH, 'must be a path such as $.order.paid or $.orders[0].paid.')))
const kinds = v.pipe(v.array(oneOf('kind of order', ORDER_KINDS)), v.minLength(1, 'must name a kind of order.'))
const button = v.optional(v.union([address, fn], 'must be a function or an http(s) address.'))
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
  orders: v.optional(wholeNumber(0, 100_000), 100),
  seed: v.optional(wholeNumber(0, 0xffff_ffff), 1),
  kinds: v.optional(kinds, ORDER_KINDS),
  fetch: v.optional(fn, (): Fetch => (input, init) => globalThis.fetch(input, init)),
  timeoutMs: v.optional(wholeNumber(0, 3_600_000), 10_000),
  settleMs: v.optional(wholeNumber(0, 3_600_000), 500),
  maxSeconds: v.optional(wholeNumber(1, 100_000), 120),
  signal: v.optional(v.instance(AbortSignal, 'must be an AbortSignal.')),
  onWait: isFunction,
  onProgress: isFunction,
  onRequest: isFunction,
})

/** @throws {ProveError} naming the option that makes no sense. */
export function resolveProveOptions(options: ProveOptions, stopped: AbortSignal): Resolved {
  try {
    const resolved = { ...(parseInput(OPTIONS, options) as object), stopped } as Resolved
    if ((resolved.refund ?? resolved.capture) === undefined || resolved.emulator !== undefined) return resolved
  } catch (cause) {
    throw new ProveError((cause as Error).message, { cause })
  }
  throw new ProveError('emulator: refunds and captures are made with an emulator: say where it is served (--emulator).')
}
