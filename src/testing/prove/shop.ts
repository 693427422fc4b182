import type { Body } from './bodies.ts'
import { type AskedOrder, ProveError, type ProveOptions, type ProveState, type Resolved } from './options.ts'

/** The shop under test, as it is reached. */
export interface Shop {
  /** Sends a webhook. Returns the HTTP status, or why there is none. */
  send(body: Body): Promise<number | string>
  /** Sends a webhook and hangs up before the answer. */
  hangUp(body: Body): Promise<void>
  /** Undefined: the shop knows no such order. @throws {ProveError} for what is not a state. */
  state(order_id: string): Promise<ProveState | undefined>
  /** @throws {ProveError} when the shop does not take the order. */
  create(order: AskedOrder): Promise<void>
}

/** Long enough for the request to get there, mostly too short for the answer. */
const HANG_UP_MS = 3
const MAX_BYTES = 1_000_000

export function openShop(options: Resolved): Shop {
  const { url, timeoutMs } = options

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

  const request = (address: string, init: RequestInit, ms = timeoutMs): Promise<{ status: number; text: string }> =>
    within(ms, async (signal) => {
      const response = await options.fetch(address, { ...init, redirect: 'manual', signal })
      return { status: response.status, text: (await response.text()).slice(0, MAX_BYTES) }
    })
  const post = ({ type, text }: Body, ms?: number) =>
    request(url, { method: 'POST', headers: { 'content-type': type }, body: text }, ms)

  return {
    send: (body) =>
      post(body).then(
        ({ status }) => status,
        (error: unknown) => reasonOf(error),
      ),
    hangUp: (body) =>
      post(body, HANG_UP_MS).then(
        () => {},
        () => {},
      ),
    async state(order_id) {
      const { state } = options
      if (typeof state === 'function') {
        return checkedState(await ask('state', () => state(order_id)), 'The function `state` returned')
      }
      const address = state.replaceAll('{order_id}', encodeURIComponent(order_id))
      const { status, text } = await request(address, { headers: { accept: 'application/json' } }).catch(
        (error: unknown) => {
          throw new ProveError(`The state cannot be read: ${address}: ${reasonOf(error)}. Is the shop running there?`)
        },
      )
      if (status === 404) return undefined
      if (status !== 200) throw new ProveError(`The state cannot be read: ${address} responded with ${status}.`)
      return stateOf(text, options, `${address} responded with`)
    },
    async create(order) {
      const { create } = options
      if (create === undefined) return
      if (typeof create === 'function') return void (await ask('create', () => create(order)))
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(order) }
      const answer = await request(create, init).then(
        ({ status }) => status,
        (error: unknown) => reasonOf(error),
      )
      if (typeof answer === 'number' && answer >= 200 && answer < 300) return
      const what = typeof answer === 'number' ? `responded with ${answer}` : answer
      throw new ProveError(
        `The order cannot be created: ${create}: ${what}. It gets ${init.body} and has to respond 2xx.`,
      )
    },
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
