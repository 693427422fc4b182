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
import { addLink, type Limits, type LinkPlace, listLinks } from '../engine/links.ts'
import { closeReusable, endOrders, limitReusable, ordersOfLink } from '../engine/reuse.ts'
import { revokeLink } from '../engine/revoked.ts'
import { allowsInsecureHttp, basePath, linkSecrets } from '../env.ts'
import { DAY_MS } from '../lib/day.ts'
import { newShort } from '../lib/links.ts'
import { isLoopback } from '../lib/loopback.ts'
import { notFound, ProblemError } from '../lib/problem.ts'
import { openCursor, sealCursor } from '../lib/query.ts'
import { ignoreOutage } from '../lib/storage-error.ts'
import type { C } from '../scope.ts'
import type { Call } from './calls.ts'
import { type ActorScope, PAGE, type Routes, route, time } from './route.ts'

/** Keeps a link. @returns Its short name; undefined when that failed: the link works without it. */
async function keep(
  scope: ActorScope,
  { id, token, link, limits }: { id: string; token: string; link: CheckoutLink; limits: Limits | undefined },
): Promise<string | undefined> {
  const { order_id, amount, currency, description, customer_fname, customer_lname } = link.order
  const short = await newShort(scope.env.LINK_SECRET)
  const stored = addLink(scope, {
    ...{ short, id, token, order_id, currency, description, amount: hundredths(amount), made_by: scope.by },
    customer_name: [customer_fname, customer_lname].filter(Boolean).join(' ') || null,
    ...{ created_at: scope.now(), expires_at: link.expiresAt },
    ...(limits && { ...limits, nonce: nonceOf(token) }),
  })
  // Without its row a reusable link makes no order.
  return stored.then(() => short, limits ? undefined : ignoreOutage)
}

async function linkOf(options: CheckoutLinkOptions, isReusable: boolean, base: string): Promise<string> {
  try {
    return await makeLink(options, isReusable, base)
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

/** The Host of a request counts only on the developer's machine: a service binding calls by any name. */
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

const withZone = pattern(/T.*(Z|[+-]\d\d:?\d\d)$/, 'be a time with its zone, or milliseconds since 1970')
const moment = v.lazy((value) =>
  typeof value === 'number' ? number : v.pipe(withZone, time as v.GenericSchema<string, number>),
)

/** Defaults of a reusable link: orders an hour, and its end. */
const [PER_HOUR, YEAR_MS] = [60, 365 * DAY_MS]

/** The limits of a reusable link; undefined for other links. */
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
  // The link of `createCheckoutLink`, which checks the order's fields.
  'POST /api/links': route({
    id: 'makeLink',
    errors: ['no_origin'],
    statuses: [201],
    may: 'sell',
    needs: 'links',
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
      const origin = originOf(c)
      const whole = { ...order, ...(customer_email && { customer_email }) }
      const limits = limitsOf(reusable, { max_orders, max_per_hour }, whole)
      const expiresAt = expires_at ?? (limits && scope.now() + YEAR_MS)
      const options = {
        ...{ ...more, origin: new URL(origin).origin, linkSecret, customerEmail: customer_email, expiresAt },
        order: order as unknown as CheckoutLinkOptions['order'],
        allowInsecureHttp: allowsInsecureHttp(c.env),
        now: scope.now,
      }
      const url = await linkOf(options, limits !== undefined, basePath(c.env))
      const id = await checkoutLinkId(url, linkSecret)
      const token = url.slice(url.lastIndexOf('/') + 1)
      const link = (await readCheckoutLink(token, [linkSecret])) as CheckoutLink
      const short = await keep(scope, { id, token, link, limits })
      const short_url = short && `${origin}/p/${short}`
      return { id, url, ...(short_url && { short_url }), expires_at: new Date(link.expiresAt).toISOString() }
    },
  }),
  // The links of `POST /api/links`, newest first; every page but the last is full.
  'GET /api/links': route({
    id: 'listLinks',
    errors: ['no_origin'],
    may: 'view',
    needs: 'links',
    query: {
      state: v.optional(oneOf(['sent', 'opened', 'rejected', 'paid', 'revoked', 'expired'])),
      order_id: v.optional(text),
      ...PAGE,
    },
    async run(c, scope, { query }) {
      const { limit, state, order_id } = query
      const listing = `links ${state} ${order_id}`
      const after = openCursor<LinkPlace>(query.cursor, listing)
      const { links, next } = await listLinks(scope, originOf(c), { limit, state, order_id, after })
      return { links, cursor: sealCursor(next, listing) }
    },
  }),
  'GET /api/links/:id': route({
    id: 'getLink',
    errors: ['not_found', 'no_origin'],
    may: 'view',
    needs: 'links',
    query: PAGE,
    async run(c, scope, { query: { limit, cursor } }) {
      const { id, link } = await linkIdOf(c)
      const after = openCursor<number>(cursor, id)
      const { links } = await listLinks(scope, originOf(c), { limit: 1, order_id: link.order_id, id })
      if (!links[0]) throw noSuchLink()
      const { orders, next } = await ordersOfLink(scope, link, { limit, after })
      return { ...links[0], orders, cursor: sealCursor(next, id) }
    },
  }),
  // How many orders a reusable link sells at most.
  'PATCH /api/links/:id': route({
    id: 'changeLink',
    errors: ['not_found'],
    may: 'sell',
    needs: 'links',
    body: { max_orders: wholeNumber(1, 1_000_000) },
    async run(c, scope, { body: { max_orders } }) {
      const { id, link } = await linkIdOf(c)
      if (!link.reusable) throw wrong('max_orders', max_orders, 'only a link with reusable: true has it')
      if (!(await limitReusable(scope, link, max_orders))) throw noSuchLink()
      return { id, max_orders }
    },
  }),
  // Revokes a link: it leads to no payment any more. Repeated for a reusable link, it cancels more of its orders.
  'DELETE /api/links/:id': route({
    id: 'revokeLink',
    errors: ['not_found'],
    may: 'sell',
    needs: 'links',
    query: { cancel: v.optional(oneOf(['true'])) },
    async run(c, scope, { query }) {
      const { id, link } = await linkIdOf(c)
      const { order_id, nonce, expiresAt, reusable } = link
      if (reusable) {
        if (!(await closeReusable(scope, link))) throw noSuchLink()
        return { id, order_id, revoked: true, opened: await endOrders(scope, nonce) }
      }
      const { opened } = await revokeLink(scope, order_id, { id, nonce, expiresAt, cancels: query.cancel === 'true' })
      return { id, order_id, revoked: true, opened }
    },
  }),
}

const noSuchLink = (): ProblemError => notFound('link', 'Send the id that POST /api/links returned.')

async function linkIdOf(c: C): Promise<{ id: string; link: CheckoutLinkId }> {
  const id = c.req.param('id') as string
  const link = await openCheckoutLinkId(id, linkSecrets(c.env))
  if (!link) throw noSuchLink()
  return { id, link }
}
