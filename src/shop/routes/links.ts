import { type CheckoutLinkOptions, checkoutLinkId, createCheckoutLink } from '../../checkout-link/index.ts'
import { openCheckoutLinkId, readCheckoutLink } from '../../checkout-link/link.ts'
import { isConfigError, isInvalidInputError } from '../../errors.ts'
import { act } from '../actions.ts'
import { linkSecrets } from '../env.ts'
import { revokeLink as revoke } from '../flows/checkout-records.ts'
import { jsonBody } from '../lib/json-body.ts'
import { isLoopback } from '../lib/loopback.ts'
import { ProblemError } from '../lib/problem.ts'
import { parseTime } from '../lib/query.ts'
import type { C, Handler } from '../scope.ts'

const FIELDS = ['order', 'expires_at', 'reference', 'customer_email', 'landing', 'longOrderId']

/** `POST /api/links`, with `order` and what else {@link FIELDS} names: the link that `createCheckoutLink` makes. */
export const makeLink: Handler = async (c, { now }) => {
  const body = await jsonBody(c.req.raw)
  const unknown = Object.keys(body).find((name) => !FIELDS.includes(name))
  if (unknown !== undefined) throw invalid(`${unknown}: unknown field. Known are ${FIELDS.join(', ')}.`)
  const { LINK_SECRET: linkSecret } = c.env
  const url = await linkOf({
    origin: originOf(c),
    linkSecret,
    order: body.order as CheckoutLinkOptions['order'],
    reference: (body.reference ?? undefined) as string | undefined,
    customerEmail: (body.customer_email ?? undefined) as string | undefined,
    landing: (body.landing ?? undefined) as boolean | undefined,
    longOrderId: (body.longOrderId ?? undefined) as boolean | undefined,
    expiresAt: timeOf(body.expires_at),
    now,
  })
  const id = await checkoutLinkId(url, linkSecret)
  const { expiresAt = 0 } = (await readCheckoutLink(url.slice(url.lastIndexOf('/') + 1), [linkSecret])) ?? {}
  return c.json({ id, url, expires_at: new Date(expiresAt).toISOString() }, 201)
}

/** `DELETE /api/links/:id`: the link leads to no payment any more. Revoked again, it stays revoked. */
export const revokeLink: Handler = async (c, scope) => {
  const id = c.req.param('id') ?? ''
  const link = await openCheckoutLinkId(id, linkSecrets(c.env))
  if (!link) throw new ProblemError(404, 'not_found', 'No such link.', 'Send the id that POST /api/links returned.')
  const { order_id, nonce, expiresAt } = link
  const { opened } = await act(scope, order_id, revoke, { nonce, expiresAt })
  return c.json({ id, order_id, revoked: true, opened })
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

/** A time with its zone, or milliseconds since 1970. */
function timeOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number') return value
  const time = typeof value === 'string' && /T.*(Z|[+-]\d\d:?\d\d)$/.test(value) ? parseTime(value) : Number.NaN
  if (Number.isFinite(time)) return time
  throw invalid('expires_at must be a time with its zone, such as 2026-12-31T23:59:59Z, or milliseconds since 1970.')
}

const invalid = (detail: string): ProblemError =>
  new ProblemError(400, 'invalid_input', 'The input is not valid; no link was made.', detail)
