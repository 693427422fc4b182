import { html } from 'hono/html'
import type { Html } from '../../pages/layout.ts'
import { badge, faultBadge } from '../../pages/status.ts'
import { type Attempt, type Delivery, hasFailed, stateOf } from '../../webhooks/delivery-store.ts'
import {
  attemptBadge,
  commandForm,
  deliveryState,
  nameOf,
  orderAddress,
  pageOf,
  searchForm,
  shortWhen,
  webhookAddress,
  when,
} from './components.ts'
import { quoted } from './curl.ts'
import { type Desk, missingPage, renderSection } from './frame.ts'
import { bodyBlock, faultRow, headerList } from './requests.ts'

export function webhooksPage(desk: Desk, query: URLSearchParams): Promise<Response> {
  const { deliveries } = desk.emulator
  const text = query.get('q') ?? ''
  const wanted = text.trim().toLowerCase()
  const onlyFailed = query.has('failed')
  const found = deliveries.filter(
    (delivery) =>
      (!onlyFailed || stateOf(delivery) === 'failed') && (wanted === '' || searched(delivery).includes(wanted)),
  )
  const here = '/_emulator/webhooks'
  const [page, links] = pageOf(found, here, query)
  const body = html`
<h1>Webhooks</h1>
<p class="hint">The latest 10,000 webhooks are kept. For a webhook that no order has had yet, use the command
  <code>npx edgetill trigger KIND --to URL --set order_id=A-1</code>; with
  <code>--emulator ${desk.emulator.credentials.baseUrl}</code> in place of <code>--to</code>, the emulator books it.</p>
${searchForm(here, 'Any id, status, amount or address', text, ['failed', 'failed only', onlyFailed])}
${webhookTable(page)}
${links}`
  return renderSection(desk, { title: 'Webhooks', body, section: 'webhooks' })
}

function searched({ id, url, event }: Delivery): string {
  return `${id} ${url} ${JSON.stringify(event)}`.toLowerCase()
}

/** @param orderPage The page of their common order: each webhook can be sent again from there. */
export function webhookTable(deliveries: readonly Delivery[], orderPage?: string): Html {
  if (deliveries.length === 0) return html`<p>None.</p>`
  const places = orderPage ? ['To', 'Last attempt', 'Again'] : ['Order', 'To', 'Last attempt']
  return html`<table class="list ${orderPage === undefined ? 'webhooks' : 'own-webhooks'}">
  <thead><tr>${['Webhook', 'State', ...places].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
  <tbody>${deliveries.map((delivery) => {
    const [word, tone] = deliveryState(delivery)
    const last = delivery.attempts.at(-1)
    return html`<tr data-key="${delivery.id}">
      <td><a href="${webhookAddress(delivery)}">${nameOf(delivery)}</a>${delivery.faults.map(
        ({ kind }) => html` ${faultBadge(kind)}`,
      )}</td>
      <td>${badge(word, tone)} ${word === 'failed' ? String(last?.error ?? last?.status) : ''}</td>
      ${orderPage ? '' : html`<td><a href="${orderAddress(delivery.order_id)}">${delivery.order_id}</a></td>`}
      <td title="${delivery.url ?? ''}">${delivery.url ?? 'nowhere: no server_url, no --webhook-url'}</td>
      <td>${delivery.attempts.length > 1 && `${delivery.attempts.length} attempts, `}${last && shortWhen(last.at)}</td>
      ${orderPage === undefined ? '' : html`<td>${again(delivery, orderPage)}</td>`}</tr>`
  })}</tbody></table>`
}

function again({ id, url }: Delivery, back: string): Html | '' {
  return url === null ? '' : commandForm('resend', { id, return_to: back }, 'Send again', { small: true })
}

export function webhookPage(desk: Desk, id: string): Promise<Response> {
  const { deliveries, credentials } = desk.emulator
  const delivery = deliveries.find((one) => one.id === id)
  if (delivery === undefined) return missingPage(desk, 'webhook')
  const { event, url, order_id, attempts, body: form, headers, faults } = delivery
  const [word, tone] = deliveryState(delivery)
  const title = `Webhook: ${nameOf(delivery)}`
  const body = html`
<p><a href="/_emulator/webhooks">All webhooks</a></p>
<h1>${title}</h1>
<p>${badge(word, tone)}</p>
<dl>
  <dt>Order</dt><dd><a href="${orderAddress(order_id)}">${order_id}</a></dd>
  <dt>To</dt><dd>${url ?? 'nowhere: the request named no server_url, and the emulator has no --webhook-url'}</dd>
  ${faultRow(faults)}
</dl>
<div class="actions">${url === null ? '' : commandForm('resend', { id, return_to: desk.here }, 'Send again')}
${commandForm('resend', { id, return_to: desk.here }, 'Send there', {
  inputs: html`<div><label for="resend-url">To another address</label><input class="wide-field" id="resend-url"
  name="url" type="url" placeholder="http://127.0.0.1:3000/webhooks" required></div>`,
})}</div>
<details><summary>Edit and send again</summary>
<p class="hint">The contents are signed and sent once, as a new webhook of this order. Nothing is booked.</p>
${commandForm('resend', { id, return_to: orderAddress(order_id) }, 'Sign and send', {
  inputs: html`<div><label for="edited">Contents, as JSON</label><textarea id="edited" name="event" rows="24" cols="80"
  spellcheck="false" required>${JSON.stringify(event, null, 2)}</textarea></div>
<div><label for="edited-url">To</label><input class="wide-field" id="edited-url" name="url" type="url"
  value="${url ?? ''}" required></div>`,
})}</details>
<h2>Attempts</h2>
${attempts.length === 0 ? html`<p>None yet.</p>` : ''}
<ol>${attempts.map((attempt, index) => attemptItem(attempt, index === attempts.length - 1))}</ol>
<h2>What was sent</h2>
${headerList(headers)}
<pre class="copy">${form}</pre>
<h2>The decoded data</h2>
<pre class="copy">${JSON.stringify(event, null, 2)}</pre>
${signatureSection(
  form,
  credentials.apiSecret,
  faults.some(({ kind }) => kind === 'corrupt_signature'),
)}
${url === null ? '' : html`<h2>Copy as curl</h2><pre class="copy">${curl(url, headers, form)}</pre>`}`
  return renderSection(desk, { title, body, section: 'webhooks' })
}

function attemptItem(attempt: Attempt, isLast: boolean): Html {
  const { at, error, ms, url, retry_at, response_headers = {}, response_body = '' } = attempt
  const hasResponse = response_body !== '' || Object.keys(response_headers).length > 0
  return html`<li>${when(at)} ${attemptBadge(attempt)} ${error ?? ''} ${ms === undefined ? '' : `${ms} ms`}${
    url === undefined ? '' : html`, to <code>${url}</code>`
  }${retry_at === undefined ? '' : html`, next attempt ${when(retry_at)}`}
  ${
    hasResponse
      ? html`<details${isLast && attempt.status !== undefined && hasFailed(attempt) ? html` open` : ''}>
<summary>What the receiver responded</summary>${headerList(response_headers)}${bodyBlock(response_body)}</details>`
      : ''
  }</li>`
}

/** With the emulator's own secret, which is printed at its start and signs nothing real. */
function signatureSection(form: string, secret: string, isCorrupt: boolean): Html {
  const fields = new URLSearchParams(form)
  const message = `"$SECRET$DATA$SECRET"`
  const command = `SECRET=${quoted(secret)}
DATA=${quoted(fields.get('data') ?? '')}
printf %s ${message} | openssl dgst -sha1 -binary | openssl base64 -A | tr '+/' '-_'`
  return html`<h2>How the signature is computed</h2>
<p>Base64Url(SHA-1(API_SECRET + data + API_SECRET)), over the text of <code>data</code> as it was sent:</p>
<pre class="copy">${command}</pre>
<p>It gives <code>${fields.get('signature') ?? ''}</code>.</p>
${isCorrupt && html`<p class="notice wait">The fault corrupt_signature fired and changed the first letter once.</p>`}`
}

function curl(url: string, headers: Record<string, string>, form: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  return [`curl -i -X POST ${quoted(url)}`, ...lines, `--data-raw ${quoted(form)}`].join(' \\\n  ')
}
