import type { Body } from './bodies.ts'
import {
  type AskedOrder,
  ProveError,
  type ProveOptions,
  type ProvePress,
  type ProveState,
  type Resolved,
} from './options.ts'

/** What the receiver responded: a status, or why there is none. */
export interface Reply {
  says: number | string
  /** What Retry-After asks for. */
  waitMs?: number
  /** Where a redirect leads. */
  location?: string
}

/** The shop under test, as it is reached. */
export interface Shop {
  /** Sends a webhook. */
  send(body: Body): Promise<Reply>
  /** Sends a webhook and hangs up before the answer. */
  hangUp(body: Body, ms?: number): Promise<void>
  /** Undefined: the shop knows no such order. @throws {ProveError} for what is not a state. */
  state(order_id: string): Promise<ProveState | undefined>
  /** The order as the shop made it. @throws {ProveError} when the shop does not take the order. */
  create(order: AskedOrder): Promise<AskedOrder>
  /** Presses a button of the shop. */
  press(button: NonNullable<ProveOptions['refund']>, press: ProvePress): Promise<number | string>
}

/** Long enough for the request to get there, mostly too short for the answer. */
const HANG_UP_MS = 3
const MAX_BYTES = 1_000_000
const MAX_WAIT_MS = 10_000

export function openShop(options: Resolved): Shop {
  const { url, timeoutMs, headers } = options

  /** `work` gets a signal that is aborted after the time, and it does not have to heed it. */
  async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const over = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = new Error(`no answer within ${ms} ms`)
        controller.abort(error)
        reject(error)
      }, ms)
    })
    const done = work(controller.signal)
    done.catch(() => {})
    return Promise.race([done, over]).finally(() => clearTimeout(timer))
  }

  const request = (address: string, init: RequestInit, ms = timeoutMs) =>
    within(ms, async (signal) => {
      const response = await options.fetch(address, { ...init, redirect: 'manual', signal })
      return { status: response.status, headers: response.headers, text: (await response.text()).slice(0, MAX_BYTES) }
    })
  const post = ({ type, text, headers: more }: Body, ms?: number) =>
    request(url, { method: 'POST', headers: { ...more, 'content-type': type }, body: text }, ms)
  const ownHeaders = (type: string) => ({ accept: 'application/json', ...headers, 'content-type': type })

  return {
    send: (body) =>
      post(body).then(
        ({ status, headers }): Reply => {
          const waitMs = retryAfterMs(headers.get('retry-after'))
          const location = headers.get('location') ?? undefined
          return { says: status, ...(waitMs !== undefined && { waitMs }), ...(location !== undefined && { location }) }
        },
        (error: unknown): Reply => ({ says: reasonOf(error) }),
      ),
    hangUp: (body, ms = HANG_UP_MS) =>
      post(body, ms).then(
        () => {},
        () => {},
      ),
    async state(order_id) {
      const { state } = options
      if (typeof state === 'function') {
        return checkedState(await ask('state', () => state(order_id)), 'The function `state` returned')
      }
      const address = state.replaceAll('{order_id}', encodeURIComponent(order_id))
      const init = { headers: { accept: 'application/json', ...headers } }
      const { status, text } = await request(address, init).catch((error: unknown) => {
        throw new ProveError(`The state cannot be read: ${address}: ${reasonOf(error)}. Is the shop running there?`)
      })
      if (status === 404) return undefined
      const hint = status === 401 || status === 403 ? " Pass what it wants with --header 'Name: value'." : ''
      if (status !== 200) throw new ProveError(`The state cannot be read: ${address} responded with ${status}.${hint}`)
      return stateOf(text, options, `${address} responded with`)
    },
    async create(order) {
      const { create } = options
      if (create === undefined) return order
      if (typeof create === 'function') return created(order, await ask('create', () => create(order)))
      const init = { method: 'POST', headers: ownHeaders('application/json'), body: JSON.stringify(order) }
      const { status, text } = await request(create, init).catch((error: unknown) => {
        return { status: reasonOf(error), text: '' }
      })
      if (typeof status === 'number' && status >= 200 && status < 300) return created(order, parsedOrNothing(text))
      const what = typeof status === 'number' ? `responded with ${status}` : status
      throw new ProveError(
        `The order cannot be created: ${create}: ${what}. It gets ${init.body} and has to respond 2xx.`,
      )
    },
    async press(button, press) {
      if (typeof button === 'function') {
        return Promise.resolve(button(press)).then(
          () => 200,
          (error: unknown) => reasonOf(error),
        )
      }
      const address = button.replaceAll(/\{(order_id|amount|currency|key)\}/g, (_, name: keyof ProvePress) =>
        encodeURIComponent(String(press[name])),
      )
      const body = new URLSearchParams(Object.entries(press).map(([name, value]) => [name, String(value)])).toString()
      const init = { method: 'POST', headers: ownHeaders('application/x-www-form-urlencoded'), body }
      return request(address, init).then(
        ({ status }) => status,
        (error: unknown) => reasonOf(error),
      )
    },
  }
}

/** Seconds or a date; no more than a test should wait. */
function retryAfterMs(value: string | null): number | undefined {
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_WAIT_MS)
}

/** A shop that makes its own orders says which one it made. @throws {ProveError} for what cannot be paid. */
function created(order: AskedOrder, made: unknown): AskedOrder {
  if (typeof made !== 'object' || made === null) return order
  const {
    order_id = order.order_id,
    amount = order.amount,
    currency = order.currency,
  } = made as Record<string, unknown>
  const result = { order_id: String(order_id), amount: Number(amount), currency: String(currency) }
  if (result.order_id !== '' && result.amount > 0 && /^[A-Z]{3}$/.test(result.currency)) return result
  throw new ProveError(
    `The order that was created says ${excerpt(made)}, but order_id, amount and currency, where they are there, are an id, a positive number and three capitals.`,
  )
}

function parsedOrNothing(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Calls a function of the options. @throws {ProveError} when it fails. */
export async function ask<T>(name: string, call: () => T): Promise<Awaited<T>> {
  try {
    return await call()
  } catch (cause) {
    if (cause instanceof ProveError) throw cause
    throw new ProveError(`${name} failed: ${reasonOf(cause)}`, { cause })
  }
}

/** The runtime's own reason, in a few words. */
function reasonOf(error: unknown): string {
  const { code, message, cause } = (error ?? {}) as { code?: unknown; message?: unknown; cause?: unknown }
  if (cause !== undefined && cause !== null) return reasonOf(cause)
  if (typeof code === 'string' && /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) {
    return `${code}: for a certificate that you signed yourself, set NODE_EXTRA_CA_CERTS to its PEM file`
  }
  return typeof code === 'string' ? code : String(message ?? error)
}

/** Reads JSON in which a state is, as the response of a state URL. @throws {ProveError} saying what is there instead. */
export const stateOf = (text: string, how: Pick<ProveOptions, 'paths' | 'units'>, from: string): ProveState =>
  checkedState(readState(parsed(text, from), how), from) as ProveState

function parsed(text: string, from: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const what = /^\s*</.test(text) ? 'HTML' : text.trim() === '' ? 'an empty body' : 'something else'
    throw new ProveError(`The state has to be JSON, but ${from} ${what}.`, { cause })
  }
}

function readState(json: unknown, how: Pick<ProveOptions, 'paths' | 'units'>): unknown {
  const at = (name: keyof ProveState): unknown =>
    (pathOf(name).match(/\w+/g) ?? []).reduce<unknown>(
      (value, part) => (value as Record<string, unknown> | null)?.[part],
      json,
    )
  const pathOf = (name: keyof ProveState): string => how.paths?.[name] ?? `$.${name}`
  const money = (name: keyof ProveState): unknown => {
    const value = at(name)
    const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    return how.units === 'minor' && typeof amount === 'number' ? amount / 100 : amount
  }
  for (const name of ['paid', 'refunded'] as const) {
    if (at(name) !== undefined) continue
    const option = `--${name} '$.path'`
    throw new ProveError(`The state has nothing at ${pathOf(name)}: ${excerpt(json)}. Say where it is with ${option}.`)
  }
  return { paid: money('paid'), refunded: money('refunded'), shipped: at('shipped'), currency: at('currency') }
}

function checkedState(state: unknown, from: string): ProveState | undefined {
  if (state === undefined || state === null) return undefined
  const { paid, refunded, shipped, currency } = state as Record<string, unknown>
  const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value)
  if (!isCount(paid) || !isCount(refunded) || !(shipped === undefined || shipped === null || isCount(shipped))) {
    throw new ProveError(`${from} ${excerpt(state)}, but paid and refunded (and shipped, if it is there) are numbers.`)
  }
  return {
    paid: paid as number,
    refunded: refunded as number,
    ...(typeof shipped === 'number' && { shipped }),
    ...(typeof currency === 'string' && { currency }),
  }
}

const excerpt = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 200)
