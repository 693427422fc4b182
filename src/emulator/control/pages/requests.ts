import { html } from 'hono/html'
import type { Html } from '../../pages/layout.ts'
import { badge, faultBadge } from '../../pages/status.ts'
import type { LoggedRequest } from '../../state/activity.ts'
import { orderAddress, pageOf, searchForm, shortWhen, when } from './components.ts'
import { curlOf } from './curl.ts'
import { type Desk, missingPage, noteList, renderSection } from './frame.ts'

export function requestsPage(desk: Desk, query: URLSearchParams): Promise<Response> {
  const requests = desk.emulator.requests()
  const text = query.get('q') ?? ''
  const wanted = text.trim().toLowerCase()
  const onlyRejected = query.has('rejected')
  const found = requests.filter(
    (one) => (!onlyRejected || isRejected(one)) && (wanted === '' ? !isView(one) : searchedText(one).includes(wanted)),
  )
  const here = '/_emulator/requests'
  const [page, links] = pageOf(found, here, query)
  const body = html`
<h1>Requests</h1>
<p class="hint">The latest 2,000 requests are kept, without credentials and card data, each body up to 16,384
  characters. Views of the customer's pages are listed when they are searched for.</p>
${searchForm(here, 'Any text of a request or response', text, ['rejected', 'rejected only', onlyRejected])}
${requestTable(page)}
${links}`
  return renderSection(desk, { title: 'Requests', body, section: 'requests' })
}

/** The text that a search compares: the values of a request, not their names. */
const searchedText = (one: LoggedRequest): string =>
  [one.id, one.method, one.path, one.operation, one.order_id, one.status, one.reason, one.body, one.response_body]
    .filter((value) => value !== null)
    .join('\n')
    .toLowerCase()

export function isView({ method, operation }: LoggedRequest): boolean {
  return method === 'GET' && operation === 'checkout'
}

export function isRejected({ status }: LoggedRequest): boolean {
  return status === null || status >= 400
}

export function requestTable(requests: readonly LoggedRequest[]): Html {
  if (requests.length === 0) return html`<p>None yet.</p>`
  return html`<table class="list requests">
  <thead><tr>${['Request', 'Response', 'Order', 'Time'].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
  <tbody>${requests.map(
    (request) => html`<tr data-key="${request.id}">
      <td><a href="/_emulator/requests/${request.id}">${request.method} ${request.path}</a>${request.faults.map(
        ({ kind }) => html` ${faultBadge(kind)}`,
      )}</td>
      <td title="${request.reason ?? ''}">${responseBadge(request)} ${request.reason ?? ''}</td>
      <td>${orderLink(request)}</td>
      <td>${shortWhen(request.at)}</td></tr>`,
  )}</tbody></table>`
}

function orderLink({ order_id }: LoggedRequest): Html | '' {
  return order_id === null ? '' : html`<a href="${orderAddress(order_id)}">${order_id}</a>`
}

export function faultRow(faults: readonly object[]): Html | '' {
  if (faults.length === 0) return ''
  return html`<dt>Faults</dt><dd>${faults.map((fault) => html`<code>${JSON.stringify(fault)}</code> `)}</dd>`
}

function responseBadge(request: LoggedRequest): Html {
  if (request.status === null) return badge('no response', 'bad')
  return badge(String(request.status), isRejected(request) ? 'bad' : 'ok')
}

export function requestPage(desk: Desk, id: string): Promise<Response> {
  const { requests, notes, credentials } = desk.emulator
  const request = requests().find((one) => one.id === id)
  if (request === undefined) return missingPage(desk, 'request')
  const body = html`
<p><a href="/_emulator/requests">All requests</a></p>
<h1>${request.method} ${request.path}</h1>
<p>${responseBadge(request)} ${request.reason ?? ''}</p>
${noteList(notes.filter(({ request_id }) => request_id === id))}
<dl>
  <dt>Time</dt><dd>${when(request.at)}, took ${request.ms} ms</dd>
  <dt>Endpoint</dt><dd>${request.operation ?? 'none'}</dd>
  ${request.order_id === null ? '' : html`<dt>Order</dt><dd>${orderLink(request)}</dd>`}
  ${faultRow(request.faults)}
</dl>
<h2>Copy as curl</h2>
${curlHint(request)}
<pre class="copy">${curlOf(request, credentials.baseUrl)}</pre>
<h2>Request</h2>
${headerList(request.headers)}
${bodyBlock(request.body)}
<h2>Response</h2>
${headerList(request.response_headers)}
${bodyBlock(request.response_body)}`
  return renderSection(desk, { title: `${request.method} ${request.path}`, body, section: 'requests' })
}

function curlHint({ operation }: LoggedRequest): Html {
  return operation === null || operation === 'checkout'
    ? html`<p class="hint">Paste it into a terminal.</p>`
    : html`<p class="hint">Credentials come from the variables EDGETILL_API_KEY, EDGETILL_API_SECRET and
      EDGETILL_ENDPOINTS_KEY. Test cards are filled in again; other card data stays masked.</p>`
}

export function headerList(headers: Record<string, string>): Html {
  return html`<dl>${Object.entries(headers).map(
    ([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`,
  )}</dl>`
}

export function bodyBlock(text: string): Html {
  return text === '' ? html`<p class="hint">No body is kept.</p>` : html`<pre class="copy">${readable(text)}</pre>`
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
