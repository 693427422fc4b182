import { html } from 'hono/html'
import type { CheckoutOrder } from '../../checkout-link/index.ts'
import { basePath } from '../env.ts'
import { page, type Site } from './layout.ts'
import { money } from './money.ts'

const WAIT_SECONDS = 10

const STATUS = {
  invalid: 404,
  changed: 409,
  expired: 410,
  revoked: 410,
  closed: 410,
  unusable: 422,
  notFound: 404,
  full: 410,
  busy: 429,
}

/** A link that leads to no payment, or an address that leads nowhere. */
export function closedLink(site: Site, kind: keyof typeof STATUS): Promise<Response> {
  const { title, text } = site.wording[kind as 'invalid']
  return page(site, { status: STATUS[kind], title, sign: 'note', body: text })
}

/**
 * The page could not be shown now: the service, the storage or the configuration failed, or the payment was cancelled
 * at this moment. With a `reason`, which is for the shop, trying again does not help.
 */
export function notOpened(
  site: Site,
  kind: 'failed' | 'wait',
  url: string,
  status = 503,
  reason = '',
): Promise<Response> {
  const { notOpened: wording, opening, tryAgain, refreshNow } = site.wording
  if (kind === 'failed') {
    const { title, text } = wording
    if (reason) return page(site, { status, title, sign: 'note', body: html`<span lang="en">${reason}</span>` })
    return page(site, { status, title, sign: 'note', body: text, action: { url, text: tryAgain } })
  }
  return page(site, {
    status: 503,
    title: opening.title,
    sign: 'wait',
    body: opening.text(WAIT_SECONDS),
    action: { url, text: refreshNow },
    refresh: { seconds: WAIT_SECONDS, url },
    headers: { 'retry-after': String(WAIT_SECONDS) },
  })
}

/** The form of a reusable link: its button makes an order. */
export interface ReuseForm {
  /** 403: the previous request was not a form of this browser. */
  status: 200 | 403
  fields: { after: string; key: string }
}

/** The goods, and a button that opens the payment: for previews of messengers, and links with `landing`. */
export function landingPage(site: Site, order: CheckoutOrder, path: string, reuse?: ReuseForm): Promise<Response> {
  const { wording, env, pages } = site
  const { description, order_id } = order
  const sum = money(wording, order.amount, order.currency)
  const name = env.SHOP_NAME ? `${env.SHOP_NAME}: ${description}` : description
  // The service's checkout may be at another address than its API: the browser applies the policy to the redirect too.
  const service = URL.canParse(env.BASE_URL) ? new URL(env.BASE_URL).origin : ''
  return page(site, {
    title: wording.landing.title,
    sum,
    body: reuse?.status === 403 ? html`${description}</p><p role="alert">${wording.again}` : description,
    action: html`<form method="post" action="${basePath(env)}${path}">${Object.entries(reuse?.fields ?? {}).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    )}<button>${wording.landing.pay(sum)}</button></form>`,
    ...(reuse ? { status: reuse.status } : { details: html`<dl><dt>${wording.order}</dt><dd>${order_id}</dd></dl>` }),
    head: html`<meta property="og:type" content="website">
<meta property="og:title" content="${name}">
<meta property="og:description" content="${sum}">
${pages.logo?.startsWith('https:') ? html`<meta property="og:image" content="${pages.logo}">` : ''}
`,
    formAction: `'self' https: ${service}`,
  })
}
