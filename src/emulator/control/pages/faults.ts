import { html } from 'hono/html'
import {
  describeFault,
  FAULT_KINDS,
  type Fault,
  type FaultKind,
  faultEntries,
  occasionsOf,
} from '../../faults/fault.ts'
import type { Html } from '../../pages/layout.ts'
import type { Node } from '../openapi.ts'
import { commandForm } from './components.ts'
import { type Desk, renderSection } from './frame.ts'

const HERE = '/_emulator/faults'

export function faultsPage(desk: Desk): Promise<Response> {
  const { faults } = desk.emulator
  const { next, rates } = faults.list()
  const body = html`
<h1>Faults</h1>
<p>A fault fires once, on the next matching request or webhook, or at random with the probability that you set.
  What fired stands in the order's story, in the request log and in the terminal.</p>
<h2>Set at this moment</h2>
${
  next.length + rates.length === 0
    ? html`<p>None.</p>`
    : html`<ul>${next.map((fault) => html`<li>next: ${faultText(fault)}</li>`)}
${rates.map(({ fault, probability }) => html`<li>with probability ${probability}: ${faultText(fault)}</li>`)}</ul>
<div class="actions">${commandForm('faults', { clear: 'true', return_to: HERE }, 'Clear all faults')}</div>`
}
${['response', 'webhook', 'content'].map((group) => groupSection(group))}`
  return renderSection(desk, { title: 'Faults', body, section: 'faults' })
}

function faultText(fault: Fault): Html {
  const { kind, ...parameters } = fault
  return html`<strong>${kind}</strong> ${Object.entries(parameters).map(
    ([name, value]) => html`<code>${name}=${String(value)}</code> `,
  )}`
}

const TITLES: Record<string, string> = {
  response: 'Responses and outcomes',
  webhook: 'Webhooks',
  content: 'Contents of responses and webhooks',
}

function groupSection(group: string): Html {
  const kinds = FAULT_KINDS.filter((kind) => describeFault(kind).of === group)
  return html`<h2>${TITLES[group] ?? ''}</h2>
${kinds.map((kind) => {
  const { says } = describeFault(kind)
  const inputs = Object.entries(faultEntries(kind)).map(([name, schema]) => fieldInput(kind, name, schema as Node))
  const places = occasionsOf(kind)
  // A webhook is the only place, or the usual one; the outcome is decided at the payment.
  const on = places.length === 1 || kind === 'status_code' ? '' : placeInput(kind, places)
  return html`<details><summary><code>${kind}</code> <span class="says">${says}</span></summary>
<div class="actions">${commandForm('faults', { fault: kind, return_to: HERE }, 'Set', {
    inputs: html`${inputs}${on}${OTHERS.map((name) => fieldInput(kind, name))}`,
  })}</div></details>`
})}`
}

const OTHERS = ['order_id', 'probability']
const LABELS: Record<string, string> = {
  order_id: 'Order (empty: any)',
  probability: 'Probability (empty: once)',
  retryAfter: 'Retry-After (s)',
  ms: 'Milliseconds',
  status_code: 'Status code',
}
const VALUES: Record<string, string> = { ms: '500', status_code: '4009' }

function fieldInput(kind: FaultKind, name: string, schema: Node = { type: 'optional' }): Html {
  const id = `${kind}-${name}`
  const inner = schema.wrapped?.wrapped ?? schema.wrapped ?? schema
  const value = schema.type === 'optional' ? '' : (VALUES[name] ?? '')
  const input =
    inner.type === 'picklist'
      ? html`<select id="${id}" name="${name}">${
          schema.default === undefined ? html`<option value="">default</option>` : ''
        }${inner.options?.map((option) => html`<option>${option}</option>`)}</select>`
      : html`<input id="${id}" name="${name}" value="${value}">`
  return html`<div><label for="${id}">${LABELS[name] ?? name}</label>${input}</div>`
}

function placeInput(kind: FaultKind, places: readonly string[]): Html {
  const id = `${kind}-on`
  const first = places.includes('webhook') ? 'webhook' : ''
  const others = places.filter((place) => place !== first)
  return html`<div><label for="${id}">Where</label><select id="${id}" name="on">
<option value="${first}">${first || 'any'}</option>${others.map((place) => html`<option>${place}</option>`)}
</select></div>`
}
