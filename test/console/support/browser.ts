import { Hono } from 'hono'
import { type ConsoleOptions, createConsole } from '../../../src/shop/console/index.ts'
import type { ShopEnv } from '../../../src/shop/index.ts'
import type { Order } from '../../../src/shop/lib/shown-order.ts'
import { ADMIN_TOKEN, ORIGIN, type World } from '../../worker/support/world.ts'

/** A page as a browser without script shows it, and its forms. */
export interface Shown {
  status: number
  text: string
  headers: Headers
  /** Where it was read, after redirects. */
  url: string
}

export interface Form {
  action: string
  fields: Record<string, string>
}

const readable = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

const attribute = (tag: string, name: string): string =>
  readable(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '')

export function formsOf({ text }: Pick<Shown, 'text'>): Form[] {
  return [...text.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)].map(([, tag = '', inside = '']) => ({
    action: attribute(tag, 'action'),
    fields: Object.fromEntries([
      ...[...inside.matchAll(/<(?:input|textarea)([^>]*)>/g)].map(([, input = '']) => [
        attribute(input, 'name'),
        attribute(input, 'value'),
      ]),
      ...[...inside.matchAll(/<select([^>]*)>([\s\S]*?)<\/select>/g)].map(([, select = '', options = '']) => [
        attribute(select, 'name'),
        attribute((/<option[^>]* selected>/.exec(options) ?? [options])[0], 'value'),
      ]),
    ]),
  }))
}

const pathOf = (attributes: string): string => /Path=[^;]*/.exec(attributes)?.[0] ?? ''

/** The form that posts to an address. */
export function formTo(shown: Shown, action: string | RegExp): Form {
  const found = formsOf(shown).find((form) =>
    typeof action === 'string' ? form.action === action : action.test(form.action),
  )
  if (!found) throw new Error(`No form posts to ${action}: ${shown.status} ${shown.text}`)
  return found
}

export type Mounted = (request: Request) => Promise<Response>

/** A world's worker with the console at `/console`. */
export function mount(world: World, options: ConsoleOptions = {}, env: Partial<ShopEnv> = {}): Mounted {
  const app = new Hono<{ Bindings: ShopEnv }>()
  app.route('/', world.shop.app)
  app.route('/console', createConsole(world.shop, { now: () => world.time, ...options }))
  app.notFound(world.shop.notFound)
  return async (request) => app.fetch(request, { ...world.env(), ...env })
}

/** Pays an order of 100.50 by its link, or reserves the money. */
export async function payOrder(world: World, method: 'purchase' | 'auth' = 'purchase'): Promise<void> {
  await world.pay(await world.open(await world.link({ order_id: 'A-1', method })))
}

export async function orderOf(world: World): Promise<Order> {
  return (await (await world.api('/api/orders/A-1')).json()) as Order
}

/** Someone with a browser. */
export class Browser {
  cookies = new Map<string, string>()
  /** The attributes of each cookie, as it was set. */
  readonly attributes: Record<string, string> = {}
  readonly send: Mounted
  readonly headers: Record<string, string>
  readonly origin: string
  constructor(send: Mounted, headers: Record<string, string> = {}, origin: string = ORIGIN) {
    this.send = send
    this.headers = headers
    this.origin = origin
  }

  async raw(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers({ 'accept-language': 'en', ...this.headers })
    if (this.cookies.size > 0) headers.set('cookie', [...this.cookies].map((pair) => pair.join('=')).join('; '))
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
    const response = await this.send(new Request(new URL(path, this.origin), { ...init, headers }))
    const set = new Set<string>()
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*); (.*)/.exec(cookie) ?? []
      // Which of two browsers keep is not the same everywhere.
      if (set.has(name)) throw new Error(`A response sets the cookie ${name} twice.`)
      set.add(name)
      // A browser takes neither a cookie of such a name nor its end without these.
      if (name.startsWith('__Host-') && !(/; Secure/.test(cookie) && /; Path=\/(;|$)/.test(cookie))) continue
      if (value === '') {
        // One of another path is another cookie.
        if (pathOf(this.attributes[name] ?? attributes) === pathOf(attributes)) this.cookies.delete(name)
        // A browser drops a longer one.
      } else if (cookie.length <= 4_096) {
        this.cookies.set(name, value)
        this.attributes[name] = attributes
      }
    }
    return response
  }

  /** Follows redirects. */
  async open(path: string, init: RequestInit = {}): Promise<Shown> {
    const response = await this.raw(path, init)
    const location = response.headers.get('location')
    if (location !== null) return this.open(location)
    return {
      status: response.status,
      text: (await response.text()).replaceAll('\u00a0', ' '),
      headers: response.headers,
      url: path,
    }
  }

  submit({ action, fields }: Form, values: Record<string, string> = {}): Promise<Shown> {
    const headers = { origin: this.origin, 'sec-fetch-site': 'same-origin' }
    return this.open(action, { method: 'POST', headers, body: new URLSearchParams({ ...fields, ...values }) })
  }

  async signIn(password: string = ADMIN_TOKEN, username = 'admin'): Promise<this> {
    await this.submit(formTo(await this.open('/console'), '/console/login'), { password, username })
    return this
  }
}
