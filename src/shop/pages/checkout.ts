import { html } from 'hono/html'
import { page, type Site } from './layout.ts'

const WAIT_SECONDS = 10

const STATUS = { invalid: 404, changed: 409, expired: 410, revoked: 410, closed: 410, unusable: 422 } as const

/** A link that leads to no payment. */
export function closedLink(site: Site, kind: keyof typeof STATUS): Promise<Response> {
  const { title, text } = site.wording[kind]
  return page(site, { status: STATUS[kind], title, body: html`<p>${text}</p>` })
}

/** The link could not be opened now: the service or the storage failed, or the payment was cancelled at this moment. */
export function notOpened(site: Site, kind: 'failed' | 'wait', url: string): Promise<Response> {
  const { notOpened: wording, opening, tryAgain, refreshNow } = site.wording
  if (kind === 'failed') {
    const body = html`<p>${wording.text}</p><p><a href="${url}">${tryAgain}</a></p>`
    return page(site, { status: 503, title: wording.title, body })
  }
  return page(site, {
    status: 503,
    title: opening.title,
    body: html`<p>${opening.text(WAIT_SECONDS)}</p><p><a href="${url}">${refreshNow}</a></p>`,
    refresh: { seconds: WAIT_SECONDS, url },
    headers: { 'retry-after': String(WAIT_SECONDS) },
  })
}
