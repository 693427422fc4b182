import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import { basePath, isLive, type ShopEnv } from '../env.ts'
import type { PagesOptions, Wording } from './options.ts'

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** The colours of all pages, light and dark. */
export const COLOURS: string = `:root { color-scheme: light dark; --ground: #f2f4f7; --paper: #fff; --ink: #1b1b1f; --line: #d5d9e0; --quiet: #55606d; --link: #0b57d0; --on: #fff; --ok: #0a6436; --bad: #a11b16; --wait: #744700; --note: #47525e }
@media screen and (prefers-color-scheme: dark) { :root { --ground: #101318; --paper: #1a1f27; --ink: #ececf1; --line: #38414d; --quiet: #a7b1bd; --link: #a8c7fa; --on: #0a1a33; --ok: #86e0ab; --bad: #ffb1ab; --wait: #ffd58c; --note: #bcc6d0 } }`

/** A card in the middle of a wide screen. `.go` is the one way on. */
const STYLE = `${COLOURS}
* { box-sizing: border-box }
body { background: var(--ground); color: var(--ink); font: 1.0625rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 32rem; padding: 1rem; overflow-wrap: anywhere }
header, footer { color: var(--quiet); padding: .5rem 0; text-align: center }
header { font-weight: 600 }
header img { display: block; margin: 0 auto .25rem; max-height: 3rem; max-width: 100% }
main { background: var(--paper); border: 1px solid var(--line); border-radius: .75rem; padding: 1.75rem 1.5rem; text-align: center }
main > svg { border-radius: 50%; fill: none; height: 3.5rem; padding: .85rem; stroke: var(--paper); stroke-linecap: round; stroke-linejoin: round; stroke-width: 2; width: 3.5rem }
.ok { background: var(--ok) } .bad { background: var(--bad) } .wait { background: var(--wait) } .note { background: var(--note) }
h1 { font-size: 1.375rem; line-height: 1.25; margin: .75rem 0 }
p { margin: .75rem 0 }
.sum { font-size: 2.25rem; font-weight: 700; line-height: 1.2 }
dl { border-top: 1px solid var(--line); display: grid; gap: .5rem 1rem; grid-template-columns: minmax(5rem, auto) 1fr; margin: 1.25rem 0 .75rem; padding-top: 1rem; text-align: start }
dt { color: var(--quiet) }
dd { font-variant-numeric: tabular-nums; margin: 0; text-align: end }
a { color: var(--link); display: inline-block; padding: .375rem 0 }
.go a, button { background: var(--link); border: 0; border-radius: .5rem; color: var(--on); cursor: pointer; display: block; font: inherit; font-weight: 600; padding: .875rem 1rem; text-decoration: none; width: 100% }
:focus-visible { outline: 3px solid #b86e00; outline-offset: 2px }
@media (min-width: 48rem) { body { padding-top: 12vh } }
`

/** Never only colour: a tick, a cross, a clock, an exclamation mark. */
const SIGNS = {
  ok: 'M3 8.5l3.2 3.2L13 5',
  bad: 'M4 4l8 8M12 4l-8 8',
  wait: 'M8 3.5V8l3 2M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13',
  note: 'M8 3v6M8 12.5v.1',
}

const drawn = (sign: keyof typeof SIGNS): Html =>
  html`<svg class="${sign}" viewBox="0 0 16 16" aria-hidden="true"><path d="${SIGNS[sign]}"/></svg>`

/** The sign of a page that a browser shows beside its title. */
export const ICON: string =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b57d0"/><path d="M4 8.5l2.7 2.7L12 5.8" fill="none" stroke="white" stroke-width="2"/></svg>'

/** The shop that a page is from, and the page's language. */
export interface Site {
  env: Pick<ShopEnv, 'BASE_URL' | 'PUBLIC_ORIGIN' | 'MODE' | 'SHOP_NAME' | 'SHOP_TZ' | 'SHOP_URL'>
  wording: Wording
  pages: PagesOptions
}

export interface Page {
  status?: number
  title: string
  /** Shown beside the title. */
  sign?: keyof typeof SIGNS
  /** The amount, as the language writes it. */
  sum?: string | undefined
  /** Escaped by `html`, as is `details`, which follows the button. */
  body: Html | string
  /** The one big button. Without it, the way back to the shop is the button. */
  action?: Html | { url: string; text: string }
  details?: Html | ''
  /** Additional elements for `head`. */
  head?: Html
  /** The targets of the page's forms, as the policy writes them. */
  formAction?: string
  /** Refreshes after this many seconds, without script. */
  refresh?: { seconds: number; url: string }
  headers?: Record<string, string>
}

/**
 * A whole page: semantic, without script, light and dark, readable on a phone. It has the shop's name and a way back if
 * the bindings have them, and a notice when no real money moves.
 */
export async function page(site: Site, shown: Page): Promise<Response> {
  const { status = 200, title, sign, sum, body, action, details = '', head = '', formAction = "'none'" } = shown
  const { refresh, headers = {} } = shown
  const { env, wording, pages } = site
  const { SHOP_NAME: shop = '', SHOP_URL: url } = env
  const style = styleOf(pages)
  const below = (path: string) => (path.startsWith('/') ? basePath(env) + path : path)
  const document = await html`<!doctype html>
<html lang="${wording.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${shop === '' ? title : `${title} · ${shop}`}</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
${head}<style>${raw(style)}</style>
</head>
<body>
${shop === '' && !pages.logo ? '' : html`<header>${pages.logo ? html`<img src="${pages.logo}" alt="">` : ''}${shop}</header>`}
<main>
${sign ? drawn(sign) : ''}
<h1>${title}</h1>
${sum ? html`<p class="sum">${sum}</p>` : ''}
<p>${body}</p>
${action && 'url' in action ? way(below(action.url), action.text, true) : action}
${details}
${url ? way(url, wording.back(shop), !action) : ''}
${pages.contact ? html`<p>${wording.contact} ${contact(pages.contact)}</p>` : ''}
</main>
${isLive(env) ? '' : html`<footer>${wording.testMode}</footer>`}
</body>
</html>
`
  return new Response(document.toString(), {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-language': wording.lang,
      'content-security-policy': `default-src 'none'; style-src 'sha256-${await hashOf(style)}'; img-src data:${imagesOf(pages)}; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
      ...(refresh && { refresh: `${refresh.seconds};url=${below(refresh.url)}` }),
      ...headers,
    },
  })
}

const way = (url: string, text: string, isMain: boolean): Html =>
  isMain ? html`<p class="go"><a href="${url}">${text}</a></p>` : html`<p><a href="${url}">${text}</a></p>`

/** A colour or a sheet of the shop cannot end the element. */
const styleOf = ({ accent, style = '' }: PagesOptions): string =>
  `${STYLE}${accent ? `:root { --link: ${accent}; --on: ${isBright(accent) ? '#000' : '#fff'} }` : ''}${style}`.replaceAll(
    '</',
    '<\\/',
  )

/** Whether black is easier to read on a colour than white; unknown for a colour that is not `#rrggbb`. */
function isBright(colour: string): boolean {
  const parts = (/^#(..)(..)(..)$/.exec(colour) ?? []).slice(1).map((part) => Number.parseInt(part, 16))
  const [r, g, b] = parts as [number, number, number]
  return 0.3 * r + 0.59 * g + 0.11 * b > 140
}

const imagesOf = ({ logo = '' }: PagesOptions): string => {
  if (logo === '' || logo.startsWith('data:')) return ''
  return URL.canParse(logo) ? ` ${new URL(logo).origin}` : " 'self'"
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
