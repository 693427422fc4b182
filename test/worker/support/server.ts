import type { Emulator } from '../../../src/emulator/index.ts'
import { createConsole } from '../../../src/shop/console/index.ts'
import { createShop, type ServerOptions, type ServerShop } from '../../../src/shop/server.ts'
import type { TillDatabase } from '../../../src/till/index.ts'
import { ADMIN_TOKEN, bindings, newOrderId, ORDER } from './world.ts'

/** The origin of a shop that is called in process. */
export const ORIGIN = 'http://127.0.0.1:3000'

/** The settings of a shop beside this emulator, without an origin of its own: it is on loopback. */
export const configOf = ({ credentials }: Pick<Emulator, 'credentials'>) => ({
  ...bindings(credentials),
  PUBLIC_ORIGIN: '',
})

/** A shop over a database, with its console. */
export function openServer(
  emulator: Emulator,
  database: TillDatabase,
  { config = {}, ...options }: Partial<ServerOptions> = {},
): ServerShop {
  const fetch = emulator.fetch as typeof globalThis.fetch
  const settings = { ...configOf(emulator), ...config }
  return createShop({ database, fetch, console: createConsole, ...options, config: settings })
}

/** A way to call a shop: in process, or over HTTP. */
export type Send = (path: string, init?: RequestInit) => Promise<Response>

export const within =
  (shop: ServerShop, origin = ORIGIN, address = '192.0.2.7'): Send =>
  (path, init = {}) =>
    shop.fetch(new Request(new URL(path, origin), init), { address })

/** Calls `/api` with the token of the tests. */
export async function api<T = Record<string, unknown>>(
  send: Send,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: T }> {
  const response = await send(path, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as T }
}

/** Makes a link by the API. @returns Its address. */
export async function linkTo(send: Send, order: object = {}): Promise<string> {
  const { status, body } = await api(send, 'POST', '/api/links', {
    order: { ...ORDER, order_id: newOrderId(), ...order },
  })
  if (status !== 201) throw new Error(`No link was made: ${JSON.stringify(body)}`)
  return String(body.url)
}
