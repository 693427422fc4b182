import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import { isLive, type ShopEnv } from '../env.ts'
import type { PagesOptions, Wording } from './options.ts'

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1b1f; --paper: #fff; --line: #d5d5dc; --quiet: #55555f; --link: #0b57d0 }
@media (prefers-color-scheme: dark) { :root { --ink: #ececf1; --paper: #17171b; --line: #44444e; --quiet: #b4b4bf; --link: #a8c7fa } }
body { background: var(--paper); color: var(--ink); font: 1.125rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 34rem; padding: 1.5rem 1rem; overflow-wrap: anywhere }
header { border-bottom: 1px solid var(--line); color: var(--quiet); font-weight: 600; margin-bottom: 1.5rem; padding-bottom: .75rem }
h1 { font-size: 1.5rem; line-height: 1.25 }
dl { border-top: 1px solid var(--line); padding-top: 1rem }
dt { color: var(--quiet); font-size: 1rem }
dd { margin: 0 0 .75rem; font-variant-numeric: tabular-nums }
header img { display: block; max-height: 3rem; max-width: 100% }
a { color: var(--link); display: inline-block; padding: .5rem 0 }
.test { border: 2px solid; font-weight: 600; margin: 0 0 1.5rem; padding: .25rem .75rem }
`

/** Who the page is from, and in which language. */
export interface Site {
  env: Pick<ShopEnv, 'MODE' | 'SHOP_NAME' | 'SHOP_URL'>
  wording: Wording
  pages: PagesOptions
}

/** What a page consists of. */
export interface Page {
  status?: number
  title: string
  /** Escaped by `html`. */
  body: Html
  /** Refreshes after so many seconds, without script. */
  refresh?: { seconds: number; url: string }
  headers?: Record<string, string>
}

/**
 * A whole page: semantic, without script, light and dark, readable on a phone. It has the shop's name and a way back where
 * the bindings say so, and says when no real money moves.
 */
export async function page(site: Site, { status = 200, title, body, refresh, headers = {} }: Page): Promise<Response> {
  const { env, wording, pages } = site
  const { SHOP_NAME: shop = '', SHOP_URL: url } = env
  const style = styleOf(pages)
  const document = await html`<!doctype html>
<html lang="${wording.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${shop === '' ? title : `${title} · ${shop}`}</title>
<style>${raw(style)}</style>
</head>
<body>
${shop === '' && !pages.logo ? '' : html`<header>${pages.logo ? html`<img src="${pages.logo}" alt="">` : ''}${shop}</header>`}
<main>
${isLive(env) ? '' : html`<p class="test" role="note">${wording.testMode}</p>`}
<h1>${title}</h1>
${body}
${url ? html`<p><a href="${url}">${wording.back(shop)}</a></p>` : ''}
${pages.contact ? html`<p>${wording.contact} ${contact(pages.contact)}</p>` : ''}
</main>
</body>
</html>
`
  return new Response(document.toString(), {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-language': wording.lang,
      'content-security-policy': `default-src 'none'; style-src 'sha256-${await hashOf(style)}'; ${imagesOf(pages)}base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      // Not as an element: what a page says of itself stays where it is read.
      ...(refresh && { refresh: `${refresh.seconds};url=${refresh.url}` }),
      ...headers,
    },
  })
}

/** A colour or a sheet of the shop cannot end the element. */
const styleOf = ({ accent, style = '' }: PagesOptions): string =>
  `${STYLE}${accent ? `:root { --link: ${accent} }` : ''}${style}`.replaceAll('</', '<\\/')

const imagesOf = ({ logo }: PagesOptions): string => {
  if (!logo) return ''
  return `img-src ${URL.canParse(logo) && !logo.startsWith('data:') ? new URL(logo).origin : 'data:'}; `
}

/** A number or an address that a phone can use at once. */
function contact(text: string): Html | string {
  if (/^\S+@\S+$/.test(text)) return html`<a href="mailto:${text}">${text}</a>`
  return /^\+?[\d ()-]{5,}$/.test(text) ? html`<a href="tel:${text.replaceAll(/[^+\d]/g, '')}">${text}</a>` : text
}

/** The style sheet is the one thing that is not escaped: its hash is in the policy. */
async function hashOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return btoa(String.fromCharCode(...digest))
}
