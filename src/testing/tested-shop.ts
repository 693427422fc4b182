import * as v from 'valibot'
import type { Fetch } from '../config.ts'
import { startDeadline } from '../http/deadline.ts'
import { retryAfterMs } from '../http/errors.ts'

export const KNOCK: Body = { type: 'text/plain', text: 'Does it listen?' }
/** Long enough for the request to arrive, mostly too short for the answer; and the pause between two looks. */
const [HANG_UP_MS, LOOK_MS] = [3, 250]
/** The most bytes of a response, the longest `Retry-After`, the longest start (as of a JVM), the wait for a start. */
const [MAX_BYTES, MAX_WAIT_MS, START_MS, AWAKE_MS] = [1_000_000, 10_000, 30_000, 5_000]

/**
 * The state of an order in the shop, in units of the currency as on the wire: 100.5 is a hundred and a half, not 10050.
 */
export interface ProveState {
  /**
   * The amount that was received for the order: successful purchases and captures. An authorization that was not
   * captured is 0.
   */
  paid: number
  /** The refunded part of `paid`. */
  refunded: number
  /** How many times the goods were sent. Without it, "shipped twice" cannot be seen. */
  shipped?: number | undefined
  /**
   * The currency of `paid`, ISO 4217. Only a shop that counts payments in other currencies than it asked for needs it.
   */
  currency?: string | undefined
}

/** An order as a shop creates it before its customer pays: `amount` in units of the `currency` (ISO 4217). */
export interface AskedOrder {
  order_id: string
  amount: number
  currency: string
  /** The checkout's address, if the shop has created the payment as well: a button's order is then paid there. */
  url?: string | undefined
}

/** A press of a button that sends money. Repeated presses of a form have the same `key`. */
export interface ProvePress extends AskedOrder {
  key: string
}

/**
 * A request to the shop, and its answer: an HTTP status, or why there is none. `at` is ISO 8601, `ms` how long it took.
 */
export interface ProveRequest {
  at: string
  ms: number
  method: string
  url: string
  body?: string | undefined
  answer: number | string
}

/**
 * `prove` could not be run: the receiver, its state or the options are not usable. `message` names it, and a remedy.
 */
export class ProveError extends Error {
  override readonly name = 'ProveError'
}

/** A call of the shop's own API hangs, although the API responded before. `says` names the call. */
export class SilenceError extends ProveError {
  readonly says: string
  readonly silence: string
  constructor(message: string, says: string, silence: string) {
    super(message)
    this.says = says
    this.silence = silence
  }
}

/** A button of the shop that sends money: a URL or a function. */
export type ShopButton = string | ((press: ProvePress) => Promise<unknown> | unknown)

/** The addresses and commands of a shop under test. */
export interface ShopAccess {
  /** The receiver of webhooks: `http://127.0.0.1:3000/webhooks`. */
  url: string
  /** An order: a URL with `{order_id}` in it, which returns JSON (404: unknown), or a function (undefined: unknown). */
  state: string | ((order_id: string) => Promise<ProveState | undefined> | ProveState | undefined)
  /** Where a state URL's JSON has each value. Default `$.paid`, `$.refunded`, `$.shipped` and `$.currency`. */
  paths?: { readonly [name in keyof ProveState]?: string | undefined } | undefined
  /** The unit of the JSON's amounts: `decimal` (100.5) or `minor` (10050). Default `decimal`. */
  units?: 'decimal' | 'minor' | undefined
  /**
   * Creates an order in the shop: a URL that gets it posted as JSON, or a function. The result may name another
   * `order_id`, `amount` and `currency`. Without it, payments of another amount or currency than asked are left out,
   * and the report lists them.
   */
  create?: string | ((order: AskedOrder) => Promise<unknown> | unknown) | undefined
  /**
   * Kills the receiver, starts it again, and resolves when it listens. Without it crashes are left out, and the report
   * lists them.
   */
  restart?: (() => Promise<unknown> | unknown) | undefined
  /** Called with the reason of a wait, when that takes a while. */
  onWait?: ((says: string) => void) | undefined
  /** Called after each request to the shop. */
  onRequest?: ((request: ProveRequest) => void) | undefined
}

/** How a shop under test is called. `stopped` is aborted when the time is over. */
export interface ShopOptions extends ShopAccess {
  headers: Readonly<Record<string, string>>
  fetch: Fetch
  timeoutMs: number
  stopped: AbortSignal
}

/** A request body, its content type and more headers. */
export type Body = { type: string; text: string; headers?: Record<string, string> }

/** The shop under test, as it is reached. */
export interface Shop {
  /** Returns a status, or why there is none; the time of Retry-After; where a redirect leads. */
  send(webhook: Body): Promise<{ says: number | string; waitMs?: number | undefined; location?: string | undefined }>
  /** Sends a webhook and hangs up before the answer. */
  hangUp(webhook: Body): Promise<unknown>
  /** Waits a moment for a shop that is starting. */
  awake(): Promise<void>
  /** Kills it, and resolves when it answers anything again. @throws {ProveError} when it does not. */
  restart(): Promise<void>
  /** How long a restart took at most. */
  readonly restartMs: number
  /** Undefined for an order that the shop does not have. @throws {ProveError} for a response that is not a state. */
  state(order_id: string): Promise<ProveState | undefined>
  /** The order as the shop made it. @throws {ProveError} when the shop does not take the order. */
  create(order: AskedOrder): Promise<AskedOrder>
  press(button: ShopButton, press: ProvePress): Promise<number | string>
}

export function openShop(options: ShopOptions): Shop {
  const { url, timeoutMs, create, state } = options
  let [slowest, isHung, restartMs, isRead] = [0, false, 0, false]
  const failure = (message: string, says: string, status: number | string): ProveError =>
    isRead && isHanging(status) ? new SilenceError(message, says, String(status)) : new ProveError(message)

  /** A response, or why there is none. */
  async function request(address: string, init: RequestInit, atMost?: number) {
    options.stopped.throwIfAborted()
    // After a hang, wait no more than a few times the longest response so far.
    const ms = atMost ?? (isHung ? Math.min(timeoutMs, Math.max(1_000, 4 * slowest)) : timeoutMs)
    const [deadline, at] = [startDeadline(ms, undefined), Date.now()]
    const work = async () => {
      const response = await options.fetch(address, { ...init, redirect: 'manual', signal: deadline.signal })
      const { headers, status } = response as { headers: Headers; status: number | string }
      return { status, headers, text: (await response.text()).slice(0, MAX_BYTES) }
    }
    const failed = (error: unknown) => ({ status: reasonOf(error, ms), headers: new Headers(), text: '' })
    const reply = await deadline.race(work()).catch(failed).finally(deadline.end)
    const { method = 'GET', body } = init
    const sent = body === undefined ? {} : { body: String(body) }
    const times = { at: new Date(at).toISOString(), ms: Date.now() - at }
    if (atMost === undefined && isHanging(reply.status)) isHung = true
    else if (atMost === undefined) slowest = Math.max(slowest, times.ms)
    options.onRequest?.({ ...times, method, url: address, ...sent, answer: reply.status })
    return reply
  }
  const post = ({ type, text, headers }: Body, ms?: number) =>
    request(url, { method: 'POST', headers: { ...headers, 'content-type': type }, body: text }, ms)
  const knock = async () => (await post(KNOCK)).status
  /** A call of the shop's own API. */
  const call = (address: string, body?: string, type = 'application/json') => {
    const headers = { accept: 'application/json', ...options.headers, 'content-type': type }
    return request(address, body === undefined ? { headers } : { method: 'POST', headers, body })
  }
  /** Repeats a call while a proxy, a rate limit or a start is in the way. */
  async function ready(address: string, body?: string) {
    for (const began = Date.now(); ; await pause(200)) {
      const reply = await call(address, body)
      if (!(isAway(reply.status) || reply.status === 429) || Date.now() - began >= timeoutMs) return reply
    }
  }

  return {
    async send(webhook) {
      const { status, headers } = await post(webhook)
      const requestedMs = retryAfterMs(headers.get('retry-after') ?? '')
      const waitMs = requestedMs && Math.min(requestedMs, MAX_WAIT_MS)
      return { says: status, waitMs, location: headers.get('location') ?? undefined }
    },
    hangUp: (webhook) => post(webhook, HANG_UP_MS),
    async awake() {
      const isStarting = (says: number | string) => isAway(says) || String(says).includes('ECONNREFUSED')
      for (const began = Date.now(); Date.now() - began < AWAKE_MS && isStarting(await knock()); ) await pause(100)
    },
    get restartMs() {
      return restartMs
    },
    async restart() {
      const began = Date.now()
      await ask('restart', () => options.restart?.())
      for (let says = await knock(); typeof says === 'string' || isAway(says); says = await knock()) {
        const ms = Date.now() - began
        if (ms >= Math.max(timeoutMs, START_MS)) throw new ProveError(`It does not listen after its restart: ${says}.`)
        if (ms > 500) options.onWait?.('The receiver does not listen yet.')
        await pause(20)
      }
      restartMs = Math.max(restartMs, Date.now() - began)
      if (restartMs > 500) options.onWait?.('A restart of the receiver takes more than half a second.')
    },
    async state(order_id) {
      if (typeof state === 'function') return checkedState(await ask('state', () => state(order_id)), 'state returned')
      const address = state.replaceAll('{order_id}', encodeURIComponent(order_id))
      const { status, text } = await ready(address)
      isRead ||= status === 200 || status === 404
      if (status === 404) return undefined
      if (status === 200) return stateOf(text, options, `${address} responded with`)
      const hint = status === 401 || status === 403 ? " Pass its credentials with --header 'Name: value'." : ''
      const why = typeof status === 'number' ? ` responded with ${status}.${hint}` : `: ${status}. Is the shop running?`
      throw failure(`The state cannot be read: ${address}${why}`, "the order's state is read", status)
    },
    async create(order) {
      if (create === undefined) return order
      if (typeof create === 'function') return created(order, await ask('create', () => create(order)))
      const { status, text } = await ready(create, JSON.stringify(order))
      if (Number(status) >= 200 && Number(status) < 300) return created(order, parsed(text))
      const what = typeof status === 'number' ? `responded with ${status}` : status
      const gets = `It gets ${JSON.stringify(order)} and has to respond 2xx.`
      throw failure(`The order cannot be created: ${create}: ${what}. ${gets}`, 'the order is created', status)
    },
    async press(button, press) {
      if (typeof button === 'function') return (async () => button(press))().then(() => 200, reasonOf)
      const address = button.replaceAll(/\{(\w+)\}/g, (all, name) => encodeURIComponent(press[name as 'key'] ?? all))
      const body = new URLSearchParams(Object.entries(press).map(([name, value]) => [name, String(value)])).toString()
      return (await call(address, body, 'application/x-www-form-urlencoded')).status
    },
  }
}

const numeric = v.pipe(v.union([v.string(), v.number()]), v.transform(Number), v.gtValue(0))
const ORDER = v.object({
  order_id: v.pipe(v.union([v.string(), v.number()]), v.transform(String), v.minLength(1)),
  amount: numeric,
  currency: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)),
  url: v.optional(v.string()),
})

/** The order as the shop created it. @throws {ProveError} for an order that cannot be paid. */
function created(order: AskedOrder, response: unknown): AskedOrder {
  if (typeof response !== 'object' || response === null) return order
  const { success, output } = v.safeParse(ORDER, { ...order, ...JSON.parse(JSON.stringify(response)) })
  if (success) return output
  const right = 'but an order_id is an id, an amount a positive number, and a currency three capitals'
  throw new ProveError(`The order that was created says ${excerpt(response)}, ${right}.`)
}

/** Undefined for a text that is not JSON. */
const parsed = (text: string): unknown => v.parse(v.fallback(v.pipe(v.string(), v.parseJson()), undefined), text)

/** Whether a proxy responded, because the shop behind it is away. */
export const isAway = (answer: unknown): boolean => answer === 502 || answer === 503 || answer === 504

export const isHanging = (answer: unknown): boolean => String(answer).startsWith('no response')

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Looks until the text is empty, or has not changed for a while, or the time is over. */
export async function untilStill(
  look: () => Promise<string>,
  stillMs: () => number,
  maxMs: number,
  onWait: () => unknown,
): Promise<void> {
  const began = Date.now()
  for (let [since, before] = [began, '']; ; await pause(LOOK_MS)) {
    const text = await look()
    const now = Date.now()
    if (text !== before) [since, before] = [now, text]
    if (text === '' || now - since >= stillMs() || now - began >= maxMs) return
    await onWait()
  }
}

/** Calls a function of the options. @throws {ProveError} when it fails. */
async function ask<T>(name: string, call: () => T): Promise<Awaited<T>> {
  try {
    return await call()
  } catch (cause) {
    if (cause instanceof ProveError) throw cause
    throw new ProveError(`${name} failed: ${reasonOf(cause)}`, { cause })
  }
}

/** The runtime's own reason, in a few words. */
function reasonOf(error: unknown, timeoutMs?: number): string {
  const { name, code, message, cause } = (error ?? {}) as { [name in 'name' | 'code' | 'message' | 'cause']?: unknown }
  if (cause !== undefined && cause !== null) return reasonOf(cause)
  if (name === 'TimeoutError' && timeoutMs !== undefined) return `no response within ${timeoutMs} ms`
  if (typeof code !== 'string') return String(message ?? error)
  const isOfTls = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)
  return isOfTls ? `${code}: for a certificate that you signed yourself, set NODE_EXTRA_CA_CERTS to its PEM file` : code
}

/** Reads JSON in which a state is, as the response of a state URL. @throws {ProveError} for anything else. */
export function stateOf(text: string, how: Pick<ShopOptions, 'paths' | 'units'>, from: string): ProveState {
  const json = parsed(text)
  if (json === undefined) {
    const what = /^\s*</.test(text) ? 'HTML' : text.trim() === '' ? 'an empty body' : 'something else'
    throw new ProveError(`The state has to be JSON, but ${from} ${what}.`)
  }
  const pathOf = (name: keyof ProveState): string => how.paths?.[name] ?? `$.${name}`
  const member = (value: unknown, name: string): unknown => (value as Record<string, unknown> | null)?.[name]
  const at = (name: keyof ProveState): unknown => (pathOf(name).match(/\w+/g) ?? []).reduce(member, json)
  const money = (name: 'paid' | 'refunded'): unknown => {
    const value = at(name)
    const hint = `Pass its path: --${name} '$.path'.`
    if (value === undefined) throw new ProveError(`The state has nothing at ${pathOf(name)}: ${excerpt(json)}. ${hint}`)
    const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    return how.units === 'minor' && typeof amount === 'number' ? amount / 100 : amount
  }
  const state = { paid: money('paid'), refunded: money('refunded'), shipped: at('shipped'), currency: at('currency') }
  return checkedState(state, from) as ProveState
}

const count = v.pipe(v.number(), v.finite())
const currency = v.fallback(v.optional(v.string()), undefined)
const STATE = v.object({ paid: count, refunded: count, shipped: v.nullish(count), currency })

function checkedState(state: unknown, from: string): ProveState | undefined {
  if (state === undefined || state === null) return undefined
  const { success, output } = v.safeParse(STATE, state)
  if (success) return { ...output, shipped: output.shipped ?? undefined }
  throw new ProveError(`${from} ${excerpt(state)}, but paid and refunded (and shipped, if it is there) are numbers.`)
}

const excerpt = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 200)
