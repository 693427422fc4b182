import { html } from 'hono/html'
import { type Html, renderPage } from '../../pages/layout.ts'
import { badge, faultBadge } from '../../pages/status.ts'
import type { LoggedRequest } from '../../state/activity.ts'
import type { EmulatorControls } from '../emulator-controls.ts'
import { missingPage, orderAddress, PAGE_SIZE, pager, startOf, when } from './components.ts'
import { curlOf } from './curl.ts'

/** `/_emulator/requests`: what arrived, newest first, the rejected ones too. */
export function requestsPage({ requests }: EmulatorControls, query: URLSearchParams): Promise<Response> {
  const text = query.get('q') ?? ''
  const onlyRejected = query.has('rejected')
  const from = startOf(query)
  const found = requests.filter(
    (one) =>
      (!onlyRejected || isRejected(one)) &&
      `${one.method} ${one.path} ${one.order_id ?? ''}`.toLowerCase().includes(text.toLowerCase()),
  )
  const page = found.reverse().slice(from, from + PAGE_SIZE)
  const kept = { ...(text && { q: text }), ...(onlyRejected && { rejected: 'on' }) }
  const body = html`
<h1>Requests</h1>
<p class="hint">The latest 2,000 requests are kept, without credentials and card data, each body up to 16,384 characters.</p>
<form class="actions" method="get" action="/_emulator/requests" role="search">
  <div><label for="q">Path or order</label><input class="wide-field" id="q" name="q" value="${text}"></div>
  <label><input type="checkbox" name="rejected"${onlyRejected ? html` checked` : ''}> rejected only</label>
  <button type="submit" class="quiet">Search</button>
</form>
${requestTable(page)}
${found.length > PAGE_SIZE ? pager('/_emulator/requests', kept, from, page.length, found.length) : ''}`
  return renderPage({ title: 'Requests', body, section: 'requests' })
}

export function isRejected({ status }: LoggedRequest): boolean {
  return status === null || status >= 400
}

export function requestTable(requests: readonly LoggedRequest[]): Html {
  if (requests.length === 0) return html`<p>None yet.</p>`
  return html`<table class="list">
  <thead><tr><th scope="col">Request</th><th scope="col">Response</th><th scope="col">Order</th><th scope="col">Time</th></tr></thead>
  <tbody>${requests.map(
    (request) => html`<tr>
      <td><a href="/_emulator/requests/${request.id}">${request.method} ${request.path}</a>${request.faults.map(({ kind }) => html` ${faultBadge(kind)}`)}</td>
      <td class="long">${responseBadge(request)} ${request.reason ?? ''}</td>
      <td class="long" data-label="Order">${request.order_id === null ? '' : html`<a href="${orderAddress(request.order_id)}">${request.order_id}</a>`}</td>
      <td>${when(request.at)}</td></tr>`,
  )}</tbody></table>`
}

function responseBadge(request: LoggedRequest): Html {
  if (request.status === null) return badge('no response', 'bad')
  return badge(String(request.status), isRejected(request) ? 'bad' : 'ok')
}

/** `/_emulator/requests/ID`: all of one request and its response. */
export function requestPage({ requests, credentials }: EmulatorControls, id: string): Promise<Response> {
  const request = requests.find((one) => one.id === id)
  if (request === undefined) return missingPage('request')
  const body = html`
<p><a href="/_emulator/requests">All requests</a></p>
<h1>${request.method} ${request.path}</h1>
<p>${responseBadge(request)} ${request.reason ?? ''}</p>
<dl>
  <dt>Time</dt><dd>${when(request.at)}</dd>
  <dt>Endpoint</dt><dd>${request.operation ?? 'none'}</dd>
  ${request.order_id === null ? '' : html`<dt>Order</dt><dd><a href="${orderAddress(request.order_id)}">${request.order_id}</a></dd>`}
  ${request.faults.length === 0 ? '' : html`<dt>Faults</dt><dd>${request.faults.map((fault) => html`<code>${JSON.stringify(fault)}</code> `)}</dd>`}
</dl>
<h2>Copy as curl</h2>
${curlHint(request)}
<pre>${curlOf(request, credentials.baseUrl)}</pre>
<h2>Request</h2>
${headerList(request.headers)}
${bodyBlock(request.body)}
<h2>Response</h2>
${headerList(request.response_headers)}
${bodyBlock(request.response_body)}`
  return renderPage({ title: `${request.method} ${request.path}`, body, section: 'requests' })
}

function curlHint({ operation }: LoggedRequest): Html {
  return operation === null || operation === 'checkout'
    ? html`<p class="hint">Paste it into a terminal.</p>`
    : html`<p class="hint">Credentials come from the variables EDGETILL_API_KEY, EDGETILL_API_SECRET and EDGETILL_ENDPOINTS_KEY. Test cards are filled in again; other card data stays masked.</p>`
}

export function headerList(headers: Record<string, string>): Html {
  return html`<dl>${Object.entries(headers).map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`)}</dl>`
}

function bodyBlock(text: string): Html {
  return text === '' ? html`<p class="hint">No body is kept.</p>` : html`<pre>${readable(text)}</pre>`
}

/** JSON with line breaks; anything else as it is. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
