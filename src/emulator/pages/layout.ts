import { html } from 'hono/html'
import { wellFormed } from '../parse-input.ts'

/** The result of the tagged template: escaped, except for nested results. */
export type Html = ReturnType<typeof html>

export interface Page {
  title: string
  body: Html
  /** A page of the emulator's own, with its navigation; the customer's pages are narrow and have none. */
  section?: Section
  /** The part between the navigation and the page. */
  frame?: Html
  shop?: string | undefined
  status?: number
  /** Why the request was rejected, for the request log. */
  reason?: string
  lang?: string
  banner?: string
  /** A page of the bank. */
  bank?: boolean
}

export type Section = 'overview' | 'requests' | 'webhooks' | 'faults' | 'cards' | 'connect'

const SECTIONS: Record<Section, [address: string, name: string]> = {
  overview: ['/_emulator', 'Overview'],
  requests: ['/_emulator/requests', 'Requests'],
  webhooks: ['/_emulator/webhooks', 'Webhooks'],
  faults: ['/_emulator/faults', 'Faults'],
  cards: ['/_emulator/cards', 'Test cards'],
  connect: ['/_emulator/connect', 'Connect'],
}

/**
 * A whole page, headed as the emulator's so that it is never taken for the service's. The customer's pages allow no
 * script.
 */
export async function renderPage(page: Page): Promise<Response> {
  const { title, body, section, frame = '', status = 200, reason, lang = 'en', bank = false, shop } = page
  const banner = page.banner ?? 'Emulator: no real money, no real cards.'
  const text = await html`<!doctype html>
<html lang="${lang}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${[title, ...(shop === undefined ? [] : [shop])].join(' · ')} · edgetill emulator</title>
    <link rel="icon" href="/_emulator/icon.svg">
    <link rel="stylesheet" href="/_emulator/style.css">
    ${section === undefined ? '' : html`<script src="/_emulator/live.js" defer></script>`}
  </head>
  <body>
    <header class="banner">${banner}${shop === undefined ? '' : html` Shop <strong>${shop}</strong>.`}</header>
    ${section === undefined ? '' : navigation(section)}
    ${frame}
    <main class="${section === undefined ? 'narrow' : 'wide'}${bank ? ' bank' : ''}">
      ${body}
    </main>
  </body>
</html>
`
  return new Response(String(text), {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      // No form-action: a checkout's form is sent on to the shop, whose address the emulator does not have.
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'" +
        (section === undefined ? '' : "; script-src 'self'; connect-src 'self'"),
      // Under `no-referrer` the origin of a form would be `null`, which may not control the emulator.
      'referrer-policy': section === undefined ? 'no-referrer' : 'same-origin',
      'x-content-type-options': 'nosniff',
      ...(reason === undefined ? {} : { 'x-emulator-reason': encodeURIComponent(wellFormed(reason)) }),
    },
  })
}

function navigation(current: Section): Html {
  const links = (Object.keys(SECTIONS) as Section[]).map((section) => {
    const [address, name] = SECTIONS[section]
    return section === current
      ? html`<a href="${address}" aria-current="page">${name}</a>`
      : html`<a href="${address}">${name}</a>`
  })
  return html`<nav class="site" aria-label="Emulator">${links}</nav>`
}

/** A page with the reason why there is nothing to see. */
export function messagePage(status: number, title: string, text: string): Promise<Response> {
  const body = html`<h1>${title}</h1><p>${text}</p><p><a href="/_emulator">To the emulator's overview</a></p>`
  return renderPage({ title, body, status, reason: `${title}: ${text}` })
}
