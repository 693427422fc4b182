import * as v from 'valibot'
import type { Context } from '../context.ts'
import { SHOP, shopName } from '../options.ts'
import { fields, InputError, jsonFlaw, number, oneOf, text, wholeNumber } from '../parse-input.ts'
import type { RequestFilter } from '../state/activity.ts'
import { TEST_CARDS } from '../state/cards.ts'
import { DURATION_ENTRIES, type Duration } from '../state/time.ts'
import { type Delivery, stateOf } from '../webhooks/delivery-store.ts'
import { FILTER_ENTRIES, type WebhookFilter, WebhookNotReceivedError } from '../webhooks/next-webhook.ts'
import { ACTIONS, carryOut } from './actions.ts'
import type { Emulator, EmulatorControls } from './emulator-controls.ts'

export interface Scope extends EmulatorControls {
  context: Context
}

export interface ControlOperation {
  method: 'GET' | 'POST' | 'DELETE'
  name: string
  does: string
  /** The body of a POST, else the query; `name` may also end the path: `/_emulator/api/shops/mugs`. */
  input: v.GenericSchema
  example: string | Record<string, unknown>
  run(scope: Scope, input: never, signal: AbortSignal): unknown
}

const wait = v.optional(v.pipe(text, v.regex(/^\d{1,6}(ms|s|m)$/, 'must be a time like 500ms, 10s or 1m.')))

type Row<S extends v.GenericSchema> = [
  name: string,
  does: string,
  input: S,
  example: string | Record<string, unknown>,
  run: (scope: Scope, input: v.InferOutput<S>, signal: AbortSignal) => unknown,
]

const row =
  (method: ControlOperation['method']) =>
  <S extends v.GenericSchema>(...[name, does, input, example, run]: Row<S>): ControlOperation => ({
    method,
    name,
    does,
    input,
    example,
    run: run as ControlOperation['run'],
  })
const get = row('GET')
const post = row('POST')
const state = (name: string, does: string, run: (scope: Scope) => unknown): ControlOperation =>
  get(name, does, fields('query', {}), '', run)

const NO_OBJECT = 'must be a JSON object.'
const anObject = v.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  NO_OBJECT,
)
const count = v.optional(v.pipe(text, v.regex(/^[1-9]\d{0,3}$/, 'must be a whole number from 1.'), v.transform(Number)))
const yes = v.optional(v.literal('true', 'must be true.'))
/**
 * `limit` and `after` page through a list: `after` is the id of the last entry of the page before. `newest` turns the
 * list round.
 */
const BY_ORDER = { order_id: v.optional(text), limit: count, after: v.optional(text), newest: yes }

type Page = { limit?: number | undefined; after?: string | undefined; newest?: 'true' | undefined }

function pageOf<T extends { id: string }>(oldest: readonly T[], { limit, after, newest }: Page): T[] {
  const all = newest === undefined ? oldest : [...oldest].reverse()
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && start === 0) throw new NotFound(`after: nothing here has the id ${JSON.stringify(after)}.`)
  return all.slice(start, limit === undefined ? undefined : start + limit)
}

function found<T>(value: T | undefined, what: string, id: string): T {
  if (value === undefined) throw new NotFound(`No ${what} ${JSON.stringify(id)}.`)
  return value
}
const ORDER = 'order has the order_id'
const SHOP_NAMED = 'shop has the name'

function shopView({ shop = '', credentials }: Emulator): Record<string, unknown> {
  const overview = `${new URL(credentials.baseUrl).origin}/_emulator/shops/${shop}`
  return { name: shop, overview, control: `${overview}/api`, credentials }
}

export const OPERATIONS: readonly ControlOperation[] = [
  state('credentials', 'The addresses and credentials that a client needs.', ({ credentials }) => credentials),
  state('cards', 'The test cards.', () => TEST_CARDS),
  state('clock', "The emulator's time.", ({ clock }) => ({ now: clock.now() })),
  state('faults', 'The faults that are set, and the last ones that fired.', ({ faults }) => {
    return { ...faults.list(), fired: faults.fired() }
  }),
  get(
    'orders',
    'Every order, those with this status, a page of them, or the one with this order_id.',
    fields('query', { ...BY_ORDER, status: v.optional(text) }),
    '?order_id=A-1',
    ({ orders }, { order_id, status, ...page }) => {
      if (order_id !== undefined) return found(orders.get(order_id), ORDER, order_id)
      const { after } = page
      if (after !== undefined) found(orders.get(after), ORDER, after)
      return orders.page({ ...page, status, newest: page.newest !== undefined })
    },
  ),
  get(
    'notes',
    'What works here and may be rejected by the service.',
    fields('query', BY_ORDER),
    '?order_id=A-1',
    ({ notes }, { order_id, ...page }) =>
      pageOf(
        notes.filter((one) => order_id === undefined || one.order_id === order_id),
        page,
      ),
  ),
  get(
    'requests',
    'The latest requests and responses, those with this status (400, or 4xx for all of them); secrets are masked.',
    fields('query', {
      ...BY_ORDER,
      status: v.optional(v.pipe(text, v.regex(/^[2-5](\d\d|xx)$/, 'must be a status like 400, or 4xx.'))),
    }),
    '?status=4xx',
    ({ requests }, { order_id, status, ...page }) =>
      pageOf(requests({ order_id, status: (Number(status) || status) as RequestFilter['status'] }), page),
  ),
  state('snapshot', 'All that the emulator remembers, for `restore`.', (e) => e.snapshot()),
  get(
    'deliveries',
    'Every webhook with its attempts. With `wait`, responds as soon as `count` of them (default 1) have been ' +
      'attempted, or when the time is over.',
    fields('query', {
      ...BY_ORDER,
      status: v.optional(oneOf('status', ['failed', 'delivered', 'waiting', 'no address'] as const)),
      wait,
      count,
    }),
    '?order_id=A-1&wait=10s',
    async ({ deliveries }, { order_id, status, wait, count, ...page }, signal) => {
      const matches = (delivery: Delivery): boolean =>
        (order_id === undefined || delivery.order_id === order_id) &&
        (status === undefined || stateOf(delivery) === status)
      if (wait !== undefined) await deliveries.attempted(matches, count ?? 1, milliseconds(wait), signal)
      return pageOf(deliveries.filter(matches), page)
    },
  ),
  post(
    'clock',
    'Moves the clock on, or sets it, and does what falls due on the way. A receiver that calls this from within its ' +
      'webhook passes `"wait": false`, or it would wait for itself.',
    fields('clock', {
      ...DURATION_ENTRIES,
      set: v.optional(text),
      to: v.optional(oneOf('moment', ['next_retry', 'next_charge'] as const)),
      wait: v.optional(v.boolean('must be true or false.')),
    }),
    { minutes: 15 },
    async ({ clock }, { set, to, wait, ...duration }) => {
      if ([set, to, Object.keys(duration)[0]].filter((one) => one !== undefined).length > 1) {
        throw new InputError('set: give one of set, to and the units of time.')
      }
      const moment = to === undefined ? set : clock.due(to)
      if (moment === null) throw new InputError(`to: there is no ${to?.replace('_', ' ')}.`)
      const done = moment === undefined ? clock.advance(duration as Duration) : clock.set(moment)
      // A wrong duration is rejected at once; the work itself may go on after the response.
      await (wait === false ? Promise.race([done, new Promise((resolve) => setTimeout(resolve, 0))]) : done)
      return { now: clock.now() }
    },
  ),
  post(
    'faults',
    'Sets a fault for the next matching request or webhook (`times` of them), sets one at random with a ' +
      'probability, or clears all.',
    fields('faults', {
      next: v.optional(v.unknown()),
      times: v.optional(wholeNumber(1, 1000)),
      rate: v.optional(v.unknown()),
      probability: v.optional(number(0, 1)),
      clear: v.optional(v.literal(true, 'must be true.')),
    }),
    { next: { kind: 'reset', when: 'after_commit', on: 'capture-payment' }, times: 1 },
    ({ faults }, { next, times, rate, probability, clear }) => {
      const given = [next, rate, clear].filter((part) => part !== undefined)
      if (given.length !== 1) throw new InputError('Give one of next, rate or clear.')
      if (times !== undefined && next === undefined) throw new InputError('times: belongs to next.')
      if ((probability === undefined) !== (rate === undefined))
        throw new InputError('rate and probability belong together.')
      if (clear) faults.clear()
      else if (next === undefined) faults.rate(rate as never, probability ?? 0)
      else faults.next(next as never, times)
      return faults.list()
    },
  ),
  post(
    'next_webhook',
    'Returns the next webhook that fits and has arrived, each one once. With `wait`, waits so long for it.',
    fields('next_webhook', { ...FILTER_ENTRIES, wait }),
    { order_id: 'A-1', kind: 'purchase', status: 'success' },
    async ({ deliveries }, { wait, ...filter }, signal) => {
      try {
        const timeoutMs = wait === undefined ? 0 : milliseconds(wait)
        return await deliveries.next({ ...filter, timeoutMs } as WebhookFilter, signal)
      } catch (error) {
        throw error instanceof WebhookNotReceivedError ? new NotFound(error.message) : error
      }
    },
  ),
  post(
    'resend',
    'Sends a webhook again, byte for byte; with `url` to another address, with `event` as a new webhook with these ' +
      'contents, signed.',
    fields('resend', {
      id: text,
      url: v.optional(text),
      event: v.optional(v.union([text, anObject], NO_OBJECT)),
    }),
    { id: 'emulator-delivery-1' },
    (e, { id, url, event }) => e.deliveries.resend(id, url, typeof event === 'string' ? readEvent(event) : event),
  ),
  ...ACTIONS.map((action) =>
    post(action.name, action.does, action.input, action.example, ({ context }, input) =>
      carryOut(action, context, input),
    ),
  ),
  get(
    'shops',
    "The shops beside the emulator's own, or the one with this name: what a client needs, and where its pages and " +
      'its control API are.',
    fields('query', { name: v.optional(shopName) }),
    '',
    ({ shops }, { name }) =>
      name === undefined ? shops.list().map(shopView) : shopView(found(shops.get(name), SHOP_NAMED, name)),
  ),
  post(
    'shops',
    'Makes a shop at this address: a POS with its own credentials, orders, clock, faults and seed, found by its key.',
    SHOP,
    { name: 'mugs', seed: 7 },
    ({ shops }, input) => shopView(shops.create(input)),
  ),
  row('DELETE')(
    'shops',
    'Ends the shop with this name; without a name, all of them.',
    fields('query', { name: v.optional(shopName) }),
    '?name=mugs',
    ({ shops }, { name }) => {
      if (name === undefined) return { ended: shops.endAll() }
      found(shops.get(name), SHOP_NAMED, name)
      shops.end(name)
      return { ended: name }
    },
  ),
  post(
    'restore',
    'Goes on from a snapshot, in the place of what is there.',
    v.looseObject({ version: v.number('must be a number.') }, 'A snapshot is an object.'),
    { version: 2, pos_id: 'ed9e7111-0000-4000-8000-000000000001', state: {}, checksum: 0 },
    (e, snapshot) => {
      e.restore(snapshot)
      return { restored: true }
    },
  ),
  post(
    'reset',
    'Goes back to the start: no orders, no faults, the same ids, the clock of the start. With `order_id` it forgets ' +
      'that order alone.',
    fields('reset', { order_id: v.optional(text) }),
    {},
    ({ reset, orders }, { order_id }) => {
      if (order_id !== undefined) found(orders.get(order_id), ORDER, order_id)
      reset(order_id)
      return { reset: true }
    },
  ),
]

export class NotFound extends InputError {}

/** The contents of a webhook as a form sends them. */
function readEvent(text: string): Record<string, unknown> {
  let event: unknown
  try {
    event = JSON.parse(text)
  } catch (error) {
    throw new InputError(`event is not JSON: ${(error as Error).message}.`)
  }
  if (v.is(anObject, event) && jsonFlaw(event) === undefined) return event
  throw new InputError(`event ${NO_OBJECT}`)
}

function milliseconds(wait: string): number {
  const unit = { ms: 1, s: 1000, m: 60_000 }[wait.replace(/^\d+/, '')] ?? 1
  return Math.min(Number.parseInt(wait, 10) * unit, 600_000)
}
