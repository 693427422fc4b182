import type { Context } from 'hono'
import { html } from 'hono/html'
import type { Deps } from '../deps.ts'
import { type Env, MisconfiguredError, requireBindings } from '../env.ts'
import { openCheckout } from '../flows/open-checkout.ts'
import { openCheckoutLink } from '../lib/checkout-link.ts'
import { page } from '../pages/layout.ts'
import { isConfigError, isInvalidInputError } from '../sdk.ts'
import { openKvStore } from '../store/kv.ts'

const WAIT_SECONDS = 10
/** KV shows a write everywhere within 60 seconds, mostly: after longer, an address that is not there was never written. */
const WAITS = 9

/** `GET /checkout/:token`: to the service's checkout, with one payment however often the link is opened. */
export function checkout(deps: Deps): (c: Context<{ Bindings: Env }>) => Promise<Response> {
  return async (c) => {
    requireBindings(c.env, 'checkout')
    const link = await openCheckoutLink(c.req.param('token') ?? '', c.env.LINK_SECRET)
    if (!link) return invalidLink()
    // Anything but a time to come counts as expired.
    if (!(deps.now() < link.expiresAt)) return expiredLink()
    // A preview or a check for broken links must not create anything.
    if (c.req.raw.method === 'HEAD') return new Response(null, { status: 200 })
    const waited = Number(/^\d{1,2}$/.exec(c.req.query('waited') ?? '')?.[0] ?? 0)
    try {
      const state = openKvStore(c.env.STATE)
      const opening = await openCheckout({ deps, env: c.env, state, link, mayWait: waited < WAITS })
      if (opening.kind === 'redirect') return new Response(null, { status: 303, headers: { location: opening.url } })
      return opening.kind === 'wait' ? beingOpened(c.req.path, waited + 1) : changedOrder()
    } catch (error) {
      if (error instanceof MisconfiguredError || isConfigError(error)) throw error
      console.error('A checkout could not be opened.', error)
      return isInvalidInputError(error) ? unusableOrder() : failed(addressOf(c.req.path, waited))
    }
  }
}

function invalidLink(): Promise<Response> {
  const body = html`<p>It may have been cut off when it was copied. Please ask the shop for a new one.</p>`
  return page({ status: 404, title: 'This payment link is not valid', body })
}

function expiredLink(): Promise<Response> {
  return page({
    status: 410,
    title: 'This payment link has expired',
    body: html`<p>Nothing was charged. Please ask the shop for a new one.</p>`,
  })
}

function changedOrder(): Promise<Response> {
  const body = html`<p>The order was opened before with another amount. Please ask the shop which one is right.</p>`
  return page({ status: 409, title: 'This order has changed', body })
}

function unusableOrder(): Promise<Response> {
  const body = html`<p>Nothing was charged, and trying again will not help. Please ask the shop for another link.</p>`
  return page({ status: 422, title: 'This order cannot be paid', body })
}

function beingOpened(path: string, waited: number): Promise<Response> {
  const url = addressOf(path, Math.min(waited, WAITS))
  return page({
    status: 503,
    title: 'The payment page is being opened',
    body: html`<p>This page looks again by itself every ${WAIT_SECONDS} seconds.</p><p><a href="${url}">Look again now</a></p>`,
    refresh: { seconds: WAIT_SECONDS, url },
    headers: { 'retry-after': String(WAIT_SECONDS) },
  })
}

function failed(url: string): Promise<Response> {
  return page({
    status: 503,
    title: 'The payment page could not be opened',
    body: html`<p>You can try again: you will not be charged twice.</p><p><a href="${url}">Try again</a></p>`,
  })
}

/** How long was waited travels in the address: nothing has to be remembered, and a failure on the way does not begin it anew. */
const addressOf = (path: string, waited: number): string => (waited === 0 ? path : `${path}?waited=${waited}`)
