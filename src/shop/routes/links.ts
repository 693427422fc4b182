import * as v from 'valibot'
import { type CheckoutLinkOptions, checkoutLinkId } from '../../checkout-link/index.ts'
import {
  type CheckoutLink,
  type CheckoutLinkId,
  makeLink,
  openCheckoutLinkId,
  readCheckoutLink,
} from '../../checkout-link/link.ts'
import { nonceOf } from '../../checkout-link/seal.ts'
import { type Issue, isConfigError, isInvalidInputError } from '../../errors.ts'
import { hundredths } from '../../lib/decimal.ts'
import { anObject, option } from '../../schemas/fields.ts'
import { issueAt, oneOf, pattern, wholeNumber } from '../../schemas/input.ts'
import { flag, number, text } from '../../schemas/values.ts'
import { actShop } from '../books/actions.ts'
import { askAll, askPage, keepLink } from '../books/ask.ts'
import {
  type FoundLink,
  type LinkQuery,
  type LinkRow,
  type LinkState,
  linksOfBook,
  markRevoked,
  someOfBook,
} from '../books/links.ts'
import { closeReusable, type Limits, recordLink } from '../books/reuse.ts'
import type { Position } from '../books/tables.ts'
import { allowsInsecureHttp, linkSecrets } from '../env.ts'
import { DAY_MS } from '../lib/day.ts'
import { isLoopback } from '../lib/loopback.ts'
import { ProblemError } from '../lib/problem.ts'
import { openCursor, sealCursor } from '../lib/query.ts'
import { ignoreOutage } from '../lib/storage-error.ts'
import { act } from '../order/actions.ts'
import { revokeLink } from '../order/checkouts.ts'
import { noteLink } from '../order/record.ts'
import type { C, Scope } from '../scope.ts'
import type { Call, Link } from './results.ts'
import { endOrders, listed, ordersOf } from './reuse.ts'
import { type ActorScope, PAGE, type Routes, route, time } from './route.ts'

/** Keeps a link in the current book. @returns Its short name; undefined when that failed: the link works without it. */
async function keep(
  scope: ActorScope,
  { id, token, link, limits }: { id: string; token: string; link: CheckoutLink; limits: Limits | undefined },
): Promise<string | undefined> {
  const { order_id, amount, currency, description, customer_fname, customer_lname } = link.order
  const row: Omit<LinkRow, 'short'> = {
    ...{ id, token, order_id, currency, description },
    amount: hundredths(amount),
    customer_name: [customer_fname, customer_lname].filter(Boolean).join(' ') || null,
    created_at: scope.now(),
    expires_at: link.expiresAt,
    revoked_at: null,
    by: scope.by,
  }
  // Without its row a reusable link makes no order.
  if (limits) return keepLink(scope, 1, row, { ...limits, nonce: nonceOf(token) })
  const [short] = await Promise.all([
    keepLink(scope, 1, row).catch(ignoreOutage),
    act(scope, order_id, noteLink).catch(ignoreOutage),
  ])
  return short
}

/** The status of each order that was opened. */
async function statusesOf(scope: Scope, page: readonly LinkRow[]): Promise<Map<string, string | null>> {
  const ids = [...new Set(page.map(({ order_id }) => order_id))]
  const found = ids.length > 0 ? await askAll(scope, someOfBook, ids) : []
  return new Map(found.map(({ order_id, summary }) => [order_id, summary.status]))
}

function stateOf(
  { order_id, revoked_at, expires_at, made }: FoundLink,
  statuses: ReadonlyMap<string, string | null>,
  now: number,
): LinkState {
  const isOpened = made === null ? statuses.has(order_id) : made > 0
  if (made === null && statuses.get(order_id) === 'success') return 'paid'
  if (revoked_at !== null) return 'revoked'
  if (now >= expires_at) return 'expired'
  return isOpened ? 'opened' : 'sent'
}

function describeLink(found: FoundLink, state: LinkState, origin: string): Link {
  const { short, token, nonce, max_orders, max_per_hour, made, is_closing, ...row } = found
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
    reusable: made === null ? null : { max_orders, max_per_hour, made, closing: is_closing === 1 },
  }
}

async function linkOf(options: CheckoutLinkOptions, isReusable: boolean): Promise<string> {
  try {
    return await makeLink(options, isReusable)
  } catch (error) {
    if (isInvalidInputError(error)) throw invalid(error.message, error.issues.map(inOrder))
    if (isConfigError(error)) {
      const path = error.field.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`)
      const message = error.message.replace(error.field, path)
      throw invalid(message, [issueAt(path, message, options[error.field as 'reference'])])
    }
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

const inOrder = (issue: Issue): Issue => ({ ...issue, path: `order.${issue.path}` })

const invalid = (detail: string, issues: Issue[]): ProblemError =>
  new ProblemError(400, 'invalid_input', 'The input is not valid; no link was made.', detail, { issues })

const wrong = (path: string, value: unknown, message: string): ProblemError =>
  invalid(`${path}: ${message}.`, [issueAt(path, message, value)])

const placeOf = ({ created_at, short }: LinkRow): Position => [created_at, short]

/** Links that are looked at in one turn for those in a state. */
const AT_ONCE = 500

/** The links of one state, or all: at most one more than the limit. */
async function findLinks(
  scope: Scope,
  { limit, state, order_id, id, after: from }: LinkQuery,
): Promise<{ row: FoundLink; its: LinkState }[]> {
  const atOnce = state === undefined ? limit + 1 : AT_ONCE
  const found: { row: FoundLink; its: LinkState }[] = []
  for (let after = from, isMore = true; isMore && found.length <= limit; ) {
    const { page, next } = await askPage(
      scope,
      linksOfBook,
      { limit: atOnce, after, order_id, id, state },
      { place: placeOf, newestFirst: true, isBounded: true },
    )
    const statuses = await statusesOf(scope, page)
    const stated = page.map((row) => ({ row, its: stateOf(row, statuses, scope.now()) }))
    found.push(...stated.filter(({ its }) => state === undefined || its === state))
    after = next
    isMore = next !== undefined
  }
  return found
}

const withZone = pattern(/T.*(Z|[+-]\d\d:?\d\d)$/, 'be a time with its zone, or milliseconds since 1970')
const moment = v.lazy((value) =>
  typeof value === 'number' ? number : v.pipe(withZone, time as v.GenericSchema<string, number>),
)

/** Of a link that anybody may pay with: orders an hour, and until when, unless it says otherwise. */
const [PER_HOUR, YEAR_MS] = [60, 365 * DAY_MS]

/** The limits of a link that anybody may pay with; undefined for any other one. */
function limitsOf(
  isReusable: boolean | undefined,
  limits: { [K in keyof Limits]?: number | undefined },
  order: object,
): Limits | undefined {
  const { max_orders, max_per_hour } = limits
  if (isReusable) {
    const whose = Object.entries(order).find(([name]) => /^customer_(?!lang$)/.test(name))
    if (whose) throw wrong(...whose, 'a reusable link is for any customer; leave it out')
    return { max_orders: max_orders ?? null, max_per_hour: max_per_hour ?? PER_HOUR }
  }
  if (max_orders === undefined && max_per_hour === undefined) return undefined
  const [path, value] = max_orders === undefined ? ['max_per_hour', max_per_hour] : ['max_orders', max_orders]
  throw wrong(path as string, value, 'only a link with reusable: true has it')
}

export const LINK_ROUTES: Routes<Extract<Call, `${string}/api/links${string}`>> = {
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
      reusable: option(flag),
      max_orders: option(wholeNumber(1, 1_000_000)),
      max_per_hour: option(wholeNumber(1, 10_000)),
    },
    async run(c, scope, { body: { order, expires_at, customer_email, reusable, max_orders, max_per_hour, ...more } }) {
      const { LINK_SECRET: linkSecret } = c.env
      const whole = { ...order, ...(customer_email && { customer_email }) }
      const limits = limitsOf(reusable, { max_orders, max_per_hour }, whole)
      const expiresAt = expires_at ?? (limits && scope.now() + YEAR_MS)
      const options = {
        ...{ ...more, origin: originOf(c), linkSecret, customerEmail: customer_email, expiresAt },
        order: order as unknown as CheckoutLinkOptions['order'],
        allowInsecureHttp: allowsInsecureHttp(c.env),
        now: scope.now,
      }
      const url = await linkOf(options, limits !== undefined)
      const id = await checkoutLinkId(url, linkSecret)
      const token = url.slice(url.lastIndexOf('/') + 1)
      const link = (await readCheckoutLink(token, [linkSecret])) as CheckoutLink
      const short = await keep(scope, { id, token, link, limits })
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
      const after = openCursor<Position>(query.cursor, listing)
      const found = await findLinks(scope, { limit, state, order_id, after })
      const links = found.slice(0, limit).map(({ row, its }) => describeLink(row, its, originOf(c)))
      const last = found.length > limit ? found[limit - 1]?.row : undefined
      const next = last && placeOf(last)
      return { links, cursor: sealCursor(next, listing) }
    },
  }),
  'GET /api/links/:id': route({
    may: 'view',
    needs: 'links',
    query: PAGE,
    async run(c, scope, { query: { limit, cursor } }) {
      const { id, link } = await linkIdOf(c)
      const after = openCursor<Position>(cursor, id)
      const [found] = await findLinks(scope, { limit: 1, order_id: link.order_id, id })
      if (!found) throw noSuchLink()
      const made = link.reusable ? await ordersOf(scope, link.nonce, { limit, after }) : undefined
      const orders = made?.page ?? (await listed(scope, [link.order_id]))
      return { ...describeLink(found.row, found.its, originOf(c)), orders, cursor: sealCursor(made?.next, id) }
    },
  }),
  // The link leads to no payment any more. Revoked again, it stays revoked; of a reusable one, more of its orders end.
  'DELETE /api/links/:id': route({
    may: 'sell',
    needs: 'links',
    query: { cancel: v.optional(oneOf(['true'])) },
    async run(c, scope, { query }) {
      const { id, link } = await linkIdOf(c)
      const { order_id, nonce, expiresAt, reusable } = link
      if (reusable) {
        if (!(await actShop(scope, 1, closeReusable, { nonce, by: scope.by }))) throw noSuchLink()
        return { id, order_id, revoked: true, opened: await endOrders(scope, nonce) }
      }
      const { opened } = await act(scope, order_id, revokeLink, { nonce, expiresAt, cancels: query.cancel === 'true' })
      const entry = { action: 'revoke_link', by: scope.by, order_id } as const
      const inBooks = [askAll(scope, markRevoked, { id, order_id }), actShop(scope, 1, recordLink, entry)]
      await Promise.all(inBooks).catch(ignoreOutage)
      return { id, order_id, revoked: true, opened }
    },
  }),
}

const noSuchLink = (): ProblemError =>
  new ProblemError(404, 'not_found', 'No such link.', 'Send the id that POST /api/links returned.')

async function linkIdOf(c: C): Promise<{ id: string; link: CheckoutLinkId }> {
  const id = c.req.param('id') as string
  const link = await openCheckoutLinkId(id, linkSecrets(c.env))
  if (!link) throw noSuchLink()
  return { id, link }
}
