import * as v from 'valibot'
import { startDeadline } from '../../http/deadline.ts'
import { retryAfterMs } from '../../http/errors.ts'
import type { Body } from './bodies.ts'
import type { Resolved } from './options.ts'
import { type AskedOrder, ProveError, type ProveOptions, type ProvePress, type ProveState } from './options.ts'

/** The response: a status, or why there is none; the time of Retry-After; where a redirect leads. */
export type Reply = { says: number | string; waitMs?: number | undefined; location?: string | undefined }

/** The shop under test, as it is reached. */
export interface Shop {
  send(webhook: Body): Promise<Reply>
  /** Sends a webhook and hangs up before the answer. */
  hangUp(webhook: Body): Promise<unknown>
  /** Kills it, and resolves when it answers anything again. @throws {ProveError} when it does not. */
  restart(): Promise<void>
  /** Undefined: the shop knows no such order. @throws {ProveError} for what is not a state. */
  state(order_id: string): Promise<ProveState | undefined>
  /** The order as the shop made it. @throws {ProveError} when the shop does not take the order. */
  create(order: AskedOrder): Promise<AskedOrder>
  press(button: NonNullable<ProveOptions['refund']>, press: ProvePress): Promise<number | string>
}

export const KNOCK: Body = { type: 'text/plain', text: 'Does it listen?' }
/** Long enough for the request to get there, mostly too short for the answer. */
const HANG_UP_MS = 3
/** Of a response; and of Retry-After, no more than a test should wait. */
const [MAX_BYTES, MAX_WAIT_MS] = [1_000_000, 10_000]

export function openShop(options: Resolved): Shop {
  const { url, timeoutMs, create, state } = options
  let [slowest, isHung] = [0, false]

  /** A response, or why there is none. */
  async function request(address: string, init: RequestInit, ms = timeoutMs) {
    const deadline = startDeadline(ms, undefined)
    const work = async () => {
      const response = await options.fetch(address, { ...init, redirect: 'manual', signal: deadline.signal })
      const { headers, status } = response as { headers: Headers; status: number | string }
      return { status, headers, text: (await response.text()).slice(0, MAX_BYTES) }
    }
    const failed = (error: unknown) => ({ status: reasonOf(error, ms), headers: new Headers(), text: '' })
    return deadline.race(work()).catch(failed).finally(deadline.end)
  }
  const post = ({ type, text, headers }: Body, ms?: number) =>
    request(url, { method: 'POST', headers: { ...headers, 'content-type': type }, body: text }, ms)
  const knock = async () => (await post(KNOCK)).status
  /** A call of the shop's own API. */
  const call = (address: string, body?: string, type = 'application/json') => {
    const headers = { accept: 'application/json', ...options.headers, 'content-type': type }
    return request(address, body === undefined ? { headers } : { method: 'POST', headers, body })
  }

  return {
    async send(webhook) {
      const began = Date.now()
      // Once it has hung, it gets no more than a few times what it ever needed.
      const { status, headers } = await post(webhook, isHung ? Math.max(300, 4 * slowest) : undefined)
      if (isHanging(status)) isHung = true
      else slowest = Math.max(slowest, Date.now() - began)
      const asked = retryAfterMs(headers.get('retry-after') ?? '')
      const waitMs = asked && Math.min(asked, MAX_WAIT_MS)
      return { says: status, waitMs, location: headers.get('location') ?? undefined }
    },
    hangUp: (webhook) => post(webhook, HANG_UP_MS),
    async restart() {
      const began = Date.now()
      await ask('restart', () => options.restart?.())
      for (let says = await knock(); typeof says === 'string'; says = await knock()) {
        if (Date.now() - began >= timeoutMs) throw new ProveError(`It does not listen after its restart: ${says}.`)
        await pause(20)
      }
      if (Date.now() - began > 500) options.onWait?.('A restart of the receiver takes more than half a second.')
    },
    async state(order_id) {
      if (typeof state === 'function') return checkedState(await ask('state', () => state(order_id)), 'state returned')
      const address = state.replaceAll('{order_id}', encodeURIComponent(order_id))
      const { status, text } = await call(address)
      if (status === 404) return undefined
      if (status === 200) return stateOf(text, options, `${address} responded with`)
      const hint = status === 401 || status === 403 ? " Pass what it wants with --header 'Name: value'." : ''
      const why = typeof status === 'number' ? ` responded with ${status}.${hint}` : `: ${status}. Is the shop running?`
      throw new ProveError(`The state cannot be read: ${address}${why}`)
    },
    async create(order) {
      if (create === undefined) return order
      if (typeof create === 'function') return created(order, await ask('create', () => create(order)))
      const { status, text } = await call(create, JSON.stringify(order))
      if (Number(status) >= 200 && Number(status) < 300) return created(order, parsed(text))
      const what = typeof status === 'number' ? `responded with ${status}` : status
      const gets = `It gets ${JSON.stringify(order)} and has to respond 2xx.`
      throw new ProveError(`The order cannot be created: ${create}: ${what}. ${gets}`)
    },
    async press(button, press) {
      if (typeof button === 'function') return (async () => button(press))().then(() => 200, reasonOf)
      const address = button.replaceAll(/\{(\w+)\}/g, (all, name) => encodeURIComponent(press[name as 'key'] ?? all))
      const body = new URLSearchParams(Object.entries(press).map(([name, value]) => [name, String(value)])).toString()
      return (await call(address, body, 'application/x-www-form-urlencoded')).status
    },
  }
}

const ORDER = v.object({
  order_id: v.pipe(v.union([v.string(), v.number()]), v.transform(String), v.minLength(1)),
  amount: v.pipe(v.union([v.string(), v.number()]), v.transform(Number), v.gtValue(0)),
  currency: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)),
  url: v.optional(v.string()),
})

/** A shop that makes its own orders says which one it made. @throws {ProveError} for what cannot be paid. */
function created(order: AskedOrder, made: unknown): AskedOrder {
  if (typeof made !== 'object' || made === null) return order
  const { success, output } = v.safeParse(ORDER, { ...order, ...JSON.parse(JSON.stringify(made)) })
  if (success) return output
  const right = 'but an order_id is an id, an amount a positive number, and a currency three capitals'
  throw new ProveError(`The order that was created says ${excerpt(made)}, ${right}.`)
}

/** Undefined for what is not JSON. */
const parsed = (text: string): unknown => v.parse(JSON_TEXT, text)
const JSON_TEXT = v.fallback(v.pipe(v.string(), v.parseJson()), undefined)

export const isHanging = (answer: unknown): boolean => String(answer).startsWith('no response')

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

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
  return `${code}${isOfTls ? ': for a certificate that you signed yourself, set NODE_EXTRA_CA_CERTS to its PEM file' : ''}`
}

/** Reads JSON in which a state is, as the response of a state URL. @throws {ProveError} saying what is there instead. */
export function stateOf(text: string, how: Pick<ProveOptions, 'paths' | 'units'>, from: string): ProveState {
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
    const hint = `Say where it is with --${name} '$.path'.`
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
