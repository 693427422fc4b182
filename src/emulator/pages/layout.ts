import { html, raw } from 'hono/html'

/** What the tagged template makes: escaped, except where it holds the same itself. */
export type Html = ReturnType<typeof html>

const STYLE = `
:root { color-scheme: light; --ink: #1c1b22; --muted: #55535f; --line: #8a8894; --accent: #0b57d0; --bad: #b3261e; --paper: #fff; }
* { box-sizing: border-box; }
body { margin: 0; background: #f3f2f7; color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
.banner { background: #3d2a00; color: #fff; padding: .6rem 1rem; text-align: center; }
main { max-width: 34rem; margin: 1.5rem auto; padding: 1.5rem; background: var(--paper); border-radius: .75rem; border: 1px solid #d5d3dd; }
main.wide { max-width: 72rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.15rem; margin: 1.5rem 0 .5rem; }
a { color: var(--accent); }
label { display: block; font-weight: 600; margin-top: 1rem; }
input, select { width: 100%; font: inherit; padding: .6rem .7rem; border: 1px solid var(--line); border-radius: .4rem; background: #fff; color: inherit; }
input[aria-invalid] { border: 2px solid var(--bad); }
.row { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: .75rem; align-items: start; }
.error { color: var(--bad); margin: .25rem 0 0; font-weight: 600; }
.hint { color: var(--muted); margin: .25rem 0 0; }
button, .button { display: inline-block; font: inherit; font-weight: 600; padding: .7rem 1.2rem; margin: 1.25rem .5rem 0 0; border: 2px solid var(--accent); border-radius: .4rem; background: var(--accent); color: #fff; cursor: pointer; text-decoration: none; }
button.quiet { background: #fff; color: var(--accent); }
button.small { padding: .25rem .6rem; margin: 0; }
:focus-visible { outline: 3px solid #7a3e00; outline-offset: 2px; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; }
dt { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid #d5d3dd; }
code { font-size: .95em; overflow-wrap: anywhere; }
pre { overflow-x: auto; background: #f3f2f7; padding: .75rem; border-radius: .4rem; }
@media (max-width: 30rem) { main { margin: 0; border-radius: 0; border: 0; padding: 1rem; } }
`

export interface Page {
  title: string
  body: Html
  /** A page of tables rather than a form. */
  wide?: boolean
  status?: number
  /** Why the request was rejected, for the request log. */
  reason?: string
}

/** A whole page, headed as the emulator's so that it is never taken for the service's. No script, and none allowed. */
export async function renderPage({ title, body, wide = false, status = 200, reason }: Page): Promise<Response> {
  const page = await html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} · edgetill emulator</title>
    <style>${raw(STYLE)}</style>
  </head>
  <body>
    <header class="banner"><strong>Emulator.</strong> No real money, no real cards.</header>
    <main class="${wide ? 'wide' : 'narrow'}">
      ${body}
    </main>
  </body>
</html>
`
  return new Response(String(page), {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      ...(reason === undefined ? {} : { 'x-emulator-reason': encodeURIComponent(reason) }),
    },
  })
}
