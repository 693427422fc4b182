import { html } from 'hono/html'
import { type Html, renderPage } from '../../pages/layout.ts'
import { badge, faultBadge } from '../../pages/status.ts'
import type { Delivery } from '../../webhooks/delivery-store.ts'
import type { EmulatorControls } from '../emulator-controls.ts'
import {
  attemptBadge,
  commandForm,
  deliveryState,
  isUndelivered,
  missingPage,
  orderAddress,
  PAGE_SIZE,
  pager,
  startOf,
  webhookAddress,
  when,
} from './components.ts'
import { quoted } from './curl.ts'
import { headerList } from './requests.ts'

/** `/_emulator/webhooks`: what was sent, newest first. */
export function webhooksPage({ deliveries }: EmulatorControls, query: URLSearchParams): Promise<Response> {
  const onlyFailed = query.has('failed')
  const from = startOf(query)
  const found = deliveries.filter((delivery) => !onlyFailed || isUndelivered(delivery))
  const page = found.reverse().slice(from, from + PAGE_SIZE)
  const body = html`
<h1>Webhooks</h1>
<p class="hint">The latest 10,000 webhooks are kept.
  ${onlyFailed ? html`<a href="/_emulator/webhooks">Show all</a>` : html`<a href="/_emulator/webhooks?failed">Show those that failed</a>`}</p>
${webhookTable(page)}
${found.length > PAGE_SIZE ? pager('/_emulator/webhooks', onlyFailed ? { failed: '' } : {}, from, page.length, found.length) : ''}`
  return renderPage({ title: 'Webhooks', body, section: 'webhooks' })
}

/** @param orderPage The page of the order that all of them belong to: each can be sent again from there. */
export function webhookTable(deliveries: readonly Delivery[], orderPage?: string): Html {
  if (deliveries.length === 0) return html`<p>None.</p>`
  return html`<table class="list">
  <thead><tr><th scope="col">Webhook</th><th scope="col">State</th>${orderPage === undefined ? html`<th scope="col">Order</th>` : ''}<th scope="col">To</th><th scope="col">Attempts</th>${orderPage === undefined ? '' : html`<th scope="col">Again</th>`}</tr></thead>
  <tbody>${deliveries.map((delivery) => {
    const [word, tone] = deliveryState(delivery)
    const last = delivery.attempts.at(-1)
    return html`<tr>
      <td><a href="${webhookAddress(delivery)}">${String(delivery.event.method)} ${String(delivery.event.status)}</a>${delivery.faults.map(({ kind }) => html` ${faultBadge(kind)}`)}</td>
      <td>${badge(word, tone)} ${word === 'failed' ? String(last?.error ?? last?.status) : ''}</td>
      ${orderPage === undefined ? html`<td class="long" data-label="Order"><a href="${orderAddress(delivery.order_id)}">${delivery.order_id}</a></td>` : ''}
      <td class="long" data-label="To">${delivery.url ?? 'nowhere: no server_url, no --webhook-url'}</td>
      <td data-label="Attempts">${delivery.attempts.length}${last === undefined ? '' : html`, ${when(last.at)}`}</td>
      ${orderPage === undefined ? '' : html`<td>${again(delivery, orderPage)}</td>`}</tr>`
  })}</tbody></table>`
}

function again({ id, url }: Delivery, back: string): Html | '' {
  return url === null ? '' : commandForm('resend', { id, return_to: back }, 'Send again', { small: true })
}

/** `/_emulator/webhooks/ID`: the raw form, its headers, how it is signed, and each attempt. */
export function webhookPage({ deliveries, credentials }: EmulatorControls, id: string): Promise<Response> {
  const delivery = deliveries.find((one) => one.id === id)
  if (delivery === undefined) return missingPage('webhook')
  const { event, url, order_id, attempts, body: form, headers, faults } = delivery
  const [word, tone] = deliveryState(delivery)
  const title = `Webhook: ${String(event.method)} ${String(event.status)}`
  const body = html`
<p><a href="/_emulator/webhooks">All webhooks</a></p>
<h1>${title}</h1>
<p>${badge(word, tone)}</p>
<dl>
  <dt>Order</dt><dd><a href="${orderAddress(order_id)}">${order_id}</a></dd>
  <dt>To</dt><dd>${url ?? 'nowhere: the request named no server_url, and the emulator has no --webhook-url'}</dd>
  ${faults.length === 0 ? '' : html`<dt>Faults</dt><dd>${faults.map((fault) => html`<code>${JSON.stringify(fault)}</code> `)}</dd>`}
</dl>
${url === null ? '' : html`<div class="actions">${commandForm('resend', { id, return_to: webhookAddress(delivery) }, 'Send again')}</div>`}
<h2>Attempts</h2>
${attempts.length === 0 ? html`<p>None yet.</p>` : ''}
<ol>${attempts.map((attempt) => html`<li>${when(attempt.at)} ${attemptBadge(attempt)} ${attempt.error ?? ''}</li>`)}</ol>
<h2>What was sent</h2>
${headerList(headers)}
<pre>${form}</pre>
<h2>The decoded data</h2>
<pre>${JSON.stringify(event, null, 2)}</pre>
${signatureSection(
  form,
  credentials.apiSecret,
  faults.some(({ kind }) => kind === 'corrupt_signature'),
)}
${url === null ? '' : html`<h2>Copy as curl</h2><pre>${curl(url, headers, form)}</pre>`}`
  return renderPage({ title, body, section: 'webhooks' })
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
<pre>${command}</pre>
<p>It gives <code>${fields.get('signature') ?? ''}</code>.</p>
${isCorrupt ? html`<p class="notice wait">The fault corrupt_signature fired: the first attempt was sent with another first letter.</p>` : ''}`
}

function curl(url: string, headers: Record<string, string>, form: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  return [`curl -i -X POST ${quoted(url)}`, ...lines, `--data-raw ${quoted(form)}`].join(' \\\n  ')
}
