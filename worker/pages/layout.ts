import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

type Html = HtmlEscapedString | Promise<HtmlEscapedString>

const STYLE = `
:root { color-scheme: light dark }
body { font: 1.125rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 34rem; padding: 1.5rem 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; line-height: 1.25 }
dt { font-weight: 600 }
dd { margin: 0 0 .75rem }
a { display: inline-block; padding: .5rem 0 }
`

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

/** A whole page: semantic, without script, readable on a phone. */
export async function page({ status = 200, title, body, refresh, headers = {} }: Page): Promise<Response> {
  const document = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${refresh ? html`<meta http-equiv="refresh" content="${refresh.seconds};url=${refresh.url}">` : ''}
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
  return new Response(document.toString(), {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      ...headers,
    },
  })
}
