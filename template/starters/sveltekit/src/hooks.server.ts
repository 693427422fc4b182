import type { Handle } from '@sveltejs/kit'

/** SvelteKit's own check of forms would reject webhooks: `trustedOrigins: ['*']` turns it off, and this does its work. */
export const handle: Handle = ({ event, resolve }) => {
  const { request, url } = event
  const isForm = /^(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i.test(
    request.headers.get('content-type') ?? '',
  )
  // The host only: behind a proxy, or without ORIGIN, the scheme of `url` is not the browser's.
  const from = URL.parse(request.headers.get('origin') ?? '')?.host
  const isForeign = isForm && from !== url.host && url.pathname !== '/webhooks'
  return isForeign && !/^(GET|HEAD)$/.test(request.method)
    ? new Response('Forms of other sites are forbidden.', { status: 403 })
    : resolve(event)
}
