import * as v from 'valibot'
import { type CheckoutLinkOptions, checkoutLinkId, createCheckoutLink } from '../../checkout-link/index.ts'
import { type CheckoutLink, openCheckoutLinkId, readCheckoutLink } from '../../checkout-link/link.ts'
import { isConfigError, isInvalidInputError } from '../../errors.ts'
import { hundredths } from '../../lib/decimal.ts'
import { anObject, option } from '../../schemas/fields.ts'
import { oneOf, pattern } from '../../schemas/input.ts'
import { flag, number, text } from '../../schemas/values.ts'
import { actShop } from '../books/actions.ts'
import { askAll, askPage, keepLink } from '../books/ask.ts'
import { type LinkRow, type LinkState, linksOfBook, markRevoked, statusesOfBook, tokenOfShort } from '../books/links.ts'
import { allowsInsecureHttp, linkSecrets } from '../env.ts'
import { requireBindings } from '../lib/configuration.ts'
import { bookOfShort } from '../lib/links.ts'
import { describeError, logError } from '../lib/log.ts'
import { isLoopback } from '../lib/loopback.ts'
import { ProblemError } from '../lib/problem.ts'
import { openCursor, sealCursor } from '../lib/query.ts'
import { ignoreOutage, StorageError } from '../lib/storage-error.ts'
import { act } from '../order/actions.ts'
import { revokeLink } from '../order/checkouts.ts'
import { noteLink } from '../order/record.ts'
import { closedLink, notOpened } from '../pages/checkout.ts'
import { siteFor } from '../pages/language.ts'
import { type C, type Deps, type Scope, scopeOf } from '../scope.ts'
import type { Link } from './results.ts'
import { PAGE, type Routes, route, time } from './route.ts'

/** Keeps a link in the current book. @returns Its short name; undefined when that failed: the link works without it. */
async function keep(
  scope: Scope,
  { id, token, link }: { id: string; token: string; link: CheckoutLink },
): Promise<string | undefined> {
  const { order_id, amount, currency, description, customer_fname, customer_lname } = link.order
  const row: Omit<LinkRow, 'short'> = {
    ...{ id, token, order_id, currency, description },
    amount: hundredths(amount),
    customer_name: [customer_fname, customer_lname].filter(Boolean).join(' ') || null,
    created_at: scope.now(),
    expires_at: link.expiresAt,
    revoked_at: null,
    by: scope.by ?? '',
  }
  const [short] = await Promise.all([
    keepLink(scope, 1, row).catch(ignoreOutage),
    act(scope, order_id, noteLink).catch(ignoreOutage),
  ])
  return short
}

/** The status of each order that was opened. */
async function statusesOf(scope: Scope, page: readonly LinkRow[]): Promise<Map<string, string | null>> {
  const ids = [...new Set(page.map(({ order_id }) => order_id))]
  const found = ids.length > 0 ? await askAll(scope, statusesOfBook, ids) : []
  return new Map(found.map(({ order_id, status }) => [order_id, status]))
}

function stateOf(
  { order_id, revoked_at, expires_at }: LinkRow,
  statuses: ReadonlyMap<string, string | null>,
  now: number,
): LinkState {
  const isOpened = statuses.has(order_id)
  if (statuses.get(order_id) === 'success') return 'paid'
  if (revoked_at !== null) return 'revoked'
  if (now >= expires_at) return 'expired'
  return isOpened ? 'opened' : 'sent'
}

function describeLink({ short, token, ...row }: LinkRow, state: LinkState, origin: string): Link {
  const time = (at: number) => new Date(at).toISOString()
  const { created_at, expires_at, revoked_at, amount, ...rest } = row
  return {
    ...rest,
    amount_minor: amount,
    state,
    url: token && `${origin}/checkout/${token}`,
    short_url: token && `${origin}/p/${short}`,
    created_at: time(created_at),
    expires_at: time(expires_at),
    revoked_at: revoked_at === null ? null : time(revoked_at),
  }
}

/** `/p/:short`: leads to the link. A guess costs no call of an object. */
export function shortLink(deps: Deps): (c: C) => Promise<Response> {
  // When the last link expires whose name has 12 characters, and no mark.
  let unmarkedUntil = Number.POSITIVE_INFINITY
  return async (c) => {
    const { env, req } = c
    requireBindings(env, 'checkout')
    const site = siteFor(deps.pages, c)
    const short = req.param('short') ?? ''
    const scope = scopeOf(deps, c)
    const isUnmarked = /^[\w-]{12}$/.test(short) && scope.now() < unmarkedUntil
    const book = isUnmarked ? 1 : await bookOfShort(short, linkSecrets(env))
    if (book === undefined) return closedLink(site, 'invalid')
    try {
      const { token, until } = await actShop(scope, book, tokenOfShort, short)
      if (book === 1) unmarkedUntil = until
      if (token === null) return closedLink(site, 'invalid')
      return new Response(null, { status: 302, headers: { location: `/checkout/${token}` } })
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      logError('link_not_found', describeError(error))
      return notOpened(site, 'failed', `/p/${short}`)
    }
  }
}

async function linkOf(options: CheckoutLinkOptions): Promise<string> {
  try {
    return await createCheckoutLink(options)
  } catch (error) {
    if (isInvalidInputError(error) || isConfigError(error))
      throw invalid(error.message.replace('expiresAt', 'expires_at'))
    throw error
  }
}

/** Never the request's Host, but on the developer's machine: a service binding calls by any name. */
function originOf({ env, req }: C): string {
  if (env.PUBLIC_ORIGIN) return env.PUBLIC_ORIGIN
  if (isLoopback(req.url)) return new URL(req.url).origin
  throw new ProblemError(
    409,
    'no_origin',
    'It is not known where the link should lead.',
    'Set PUBLIC_ORIGIN to the worker’s own origin, such as https://pay.shop.example.com.',
  )
}

const invalid = (detail: string): ProblemError =>
  new ProblemError(400, 'invalid_input', 'The input is not valid; no link was made.', detail)

/** Links that are looked at in one turn for those in a state. */
const AT_ONCE = 500

/** The links of one state, or all: at most one more than the limit. */
async function findLinks(
  scope: Scope,
  { limit, state, order_id }: { limit: number; state?: LinkState | undefined; order_id?: string | undefined },
  from: Pick<LinkRow, 'created_at' | 'short'> | undefined,
): Promise<{ row: LinkRow; its: LinkState }[]> {
  const atOnce = state === undefined ? limit + 1 : AT_ONCE
  const found: { row: LinkRow; its: LinkState }[] = []
  for (let after = from, isMore = true; isMore && found.length <= limit; ) {
    const rows = await askPage(
      scope,
      linksOfBook,
      { limit: atOnce, after, order_id, state },
      { place: ({ created_at, short }) => [created_at, short], newestFirst: true, isBounded: true },
    )
    const statuses = await statusesOf(scope, rows)
    const stated = rows.map((row) => ({ row, its: stateOf(row, statuses, scope.now()) }))
    found.push(...stated.filter(({ its }) => state === undefined || its === state))
    after = rows.at(-1)
    isMore = rows.length === atOnce
  }
  return found
}

const withZone = pattern(/T.*(Z|[+-]\d\d:?\d\d)$/, 'be a time with its zone, or milliseconds since 1970')
const moment = v.lazy((value) =>
  typeof value === 'number' ? number : v.pipe(withZone, time as v.GenericSchema<string, number>),
)

export const LINK_ROUTES: Routes<'POST /api/links' | 'GET /api/links' | 'DELETE /api/links/:id'> = {
  // The link that `createCheckoutLink` makes, which checks what is in the order.
  'POST /api/links': route({
    may: 'sell',
    needs: 'links',
    status: 201,
    body: {
      order: anObject,
      expires_at: option(moment),
      reference: option(text),
      customer_email: option(text),
      landing: option(flag),
      longOrderId: option(flag),
    },
    async run(c, scope, { body: { order, expires_at, customer_email, ...more } }) {
      const { LINK_SECRET: linkSecret } = c.env
      const url = await linkOf({
        ...{ ...more, origin: originOf(c), linkSecret, customerEmail: customer_email, expiresAt: expires_at },
        order: order as unknown as CheckoutLinkOptions['order'],
        allowInsecureHttp: allowsInsecureHttp(c.env),
        now: scope.now,
      })
      const id = await checkoutLinkId(url, linkSecret)
      const token = url.slice(url.lastIndexOf('/') + 1)
      const link = (await readCheckoutLink(token, [linkSecret])) as CheckoutLink
      const short = await keep(scope, { id, token, link })
      const short_url = short && `${originOf(c)}/p/${short}`
      return { id, url, ...(short_url && { short_url }), expires_at: new Date(link.expiresAt).toISOString() }
    },
  }),
  // Those that were made so, the newest first; a page is full unless it is the last one.
  'GET /api/links': route({
    may: 'view',
    needs: 'links',
    query: {
      state: v.optional(oneOf(['sent', 'opened', 'paid', 'revoked', 'expired'])),
      order_id: v.optional(text),
      ...PAGE,
    },
    async run(c, scope, { query }) {
      const { limit, state, order_id } = query
      const listing = `links ${state} ${order_id}`
      const from = openCursor(query.cursor, listing) as Pick<LinkRow, 'created_at' | 'short'> | undefined
      const found = await findLinks(scope, query, from)
      const links = found.slice(0, limit).map(({ row, its }) => describeLink(row, its, originOf(c)))
      const last = found.length > limit ? found[limit - 1]?.row : undefined
      const next = last && { created_at: last.created_at, short: last.short }
      return { links, cursor: sealCursor(next, listing) }
    },
  }),
  // The link leads to no payment any more. Revoked again, it stays revoked.
  'DELETE /api/links/:id': route({
    may: 'sell',
    needs: 'links',
    query: { cancel: v.optional(oneOf(['true'])) },
    async run(c, scope, { query }) {
      const id = c.req.param('id') ?? ''
      const link = await openCheckoutLinkId(id, linkSecrets(c.env))
      if (!link) throw new ProblemError(404, 'not_found', 'No such link.', 'Send the id that POST /api/links returned.')
      const { order_id, nonce, expiresAt } = link
      const { opened } = await act(scope, order_id, revokeLink, { nonce, expiresAt, cancels: query.cancel === 'true' })
      await askAll(scope, markRevoked, { id, order_id }).catch(ignoreOutage)
      return { id, order_id, revoked: true, opened }
    },
  }),
}
