import { html } from 'hono/html'
import { FAULT_KINDS, type Fault } from '../../faults/fault.ts'
import type { Html } from '../../pages/layout.ts'
import { commandForm } from './components.ts'
import { FAULT_HELP, type FaultField } from './fault-help.ts'
import { type Desk, renderSection } from './frame.ts'

const HERE = '/_emulator/faults'

/** `/_emulator/faults`: what is set, and every kind of fault with what it does. */
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
  return html`<strong>${kind}</strong> ${Object.entries(parameters).map(([name, value]) => html`<code>${name}=${String(value)}</code> `)}`
}

const TITLES: Record<string, string> = {
  response: 'Responses and outcomes',
  webhook: 'Webhooks',
  content: 'Contents of responses and webhooks',
}

function groupSection(group: string): Html {
  const kinds = FAULT_KINDS.filter((kind) => FAULT_HELP[kind].group === group)
  return html`<h2>${TITLES[group] ?? ''}</h2>
${kinds.map((kind) => {
  const { says, fields } = FAULT_HELP[kind]
  return html`<details><summary><code>${kind}</code> <span class="says">${says}</span></summary>
<div class="actions">${commandForm('faults', { fault: kind, return_to: HERE }, 'Set', { inputs: html`${fields.map((field) => fieldInput(kind, field))}` })}</div></details>`
})}`
}

function fieldInput(kind: string, { name, label, options, value = '' }: FaultField): Html {
  const id = `${kind}-${name}`
  const input =
    options === undefined
      ? html`<input id="${id}" name="${name}" value="${value}">`
      : html`<select id="${id}" name="${name}">${options.map((option) => html`<option value="${option}">${option === '' ? 'any' : option}</option>`)}</select>`
  return html`<div><label for="${id}">${label}</label>${input}</div>`
}
