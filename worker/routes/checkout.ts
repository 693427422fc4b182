import type { Context } from 'hono'
import { html } from 'hono/html'
import { contextOf, type Deps } from '../context.ts'
import { type Env, linkSecrets } from '../env.ts'
import type { Opening } from '../flows/open-checkout.ts'
import { actionsOf } from '../flows/order-actions.ts'
import { MisconfiguredError, requireBindings } from '../lib/configuration.ts'
import { openCheckoutLink } from '../lib/links.ts'
import { note } from '../lib/log.ts'
import { page } from '../pages/layout.ts'
import { StorageError } from '../store/kv.ts'

const WAIT_SECONDS = 10
/** KV shows a write everywhere within 60 seconds, mostly: after longer, an address that is not there was never written. */
const WAITS = 9

/** `GET /checkout/:token`: to the service's checkout, with one payment however often the link is opened. */
export function checkout(deps: Deps): (c: Context<{ Bindings: Env }>) => Promise<Response> {
  return async ({ env, req }) => {
    requireBindings(env, 'checkout')
    const link = await openCheckoutLink(req.param('token') ?? '', linkSecrets(env))
    if (!link) {
      note('link_not_opened')
      return invalidLink()
    }
    // A preview or a check for broken links must not create anything.
    if (req.raw.method === 'HEAD') return new Response(null, { status: 200 })
    const waited = Number(/^\d{1,2}$/.exec(req.query('waited') ?? '')?.[0] ?? 0)
    const visit = { link, path: req.path, mayWait: waited < WAITS }
    const opening = await actionsOf(contextOf(deps, env), link.order.order_id).open(visit).catch(storageFailure)
    if (opening.kind === 'redirect') return new Response(null, { status: 303, headers: { location: opening.url } })
    if (opening.kind === 'misconfigured')
      throw new MisconfiguredError([{ binding: 'BASE_URL', problem: 'see the log' }])
    return pageOf(opening.kind, req.path, waited)
  }
}

function storageFailure(error: unknown): Opening {
  if (error instanceof StorageError) return { kind: 'failed' }
  throw error
}

function pageOf(
  kind: Exclude<Opening['kind'], 'redirect' | 'misconfigured'>,
  path: string,
  waited: number,
): Promise<Response> {
  switch (kind) {
    case 'wait':
      return beingOpened(path, waited + 1)
    case 'failed':
      return failed(addressOf(path, waited))
    default:
      return page({ ...PAGES[kind], body: html`<p>${PAGES[kind].text}</p>` })
  }
}

const PAGES = {
  changed: {
    status: 409,
    title: 'This order has changed',
    text: 'The order was opened before with another amount. Please ask the shop which one is right.',
  },
  expired: {
    status: 410,
    title: 'This payment link has expired',
    text: 'Nothing was charged. Please ask the shop for a new one.',
  },
  closed: {
    status: 410,
    title: 'This order can no longer be paid',
    text: 'Nothing was charged. Please ask the shop if you still want to pay.',
  },
  unusable: {
    status: 422,
    title: 'This order cannot be paid',
    text: 'Nothing was charged, and trying again will not help. Please ask the shop for another link.',
  },
} as const

function invalidLink(): Promise<Response> {
  const body = html`<p>It may have been cut off when it was copied. Please ask the shop for a new one.</p>`
  return page({ status: 404, title: 'This payment link is not valid', body })
}

function beingOpened(path: string, waited: number): Promise<Response> {
  const url = addressOf(path, Math.min(waited, WAITS))
  return page({
    status: 503,
    title: 'Opening the payment page',
    body: html`<p>This page refreshes automatically every ${WAIT_SECONDS} seconds.</p><p><a href="${url}">Refresh now</a></p>`,
    refresh: { seconds: WAIT_SECONDS, url },
    headers: { 'retry-after': String(WAIT_SECONDS) },
  })
}

function failed(url: string): Promise<Response> {
  return page({
    status: 503,
    title: 'The payment page could not be opened',
    body: html`<p>You have not paid yet. You can try again.</p><p><a href="${url}">Try again</a></p>`,
  })
}

/** How long was waited travels in the address: nothing has to be remembered, and a failure on the way does not begin it anew. */
const addressOf = (path: string, waited: number): string => (waited === 0 ? path : `${path}?waited=${waited}`)
