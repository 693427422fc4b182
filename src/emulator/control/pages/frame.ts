import { html } from 'hono/html'
import type { Context } from '../../context.ts'
import { nextJob } from '../../domain/jobs.ts'
import { type Html, type Page, renderPage, type Section } from '../../pages/layout.ts'
import { shape, type Tone } from '../../pages/status.ts'
import type { Note } from '../../state/activity.ts'
import type { EmulatorControls } from '../emulator-controls.ts'
import { commandForm, orderAddress, when } from './components.ts'

export interface Desk {
  context: Context
  emulator: EmulatorControls
  here: string
}

export function renderSection(desk: Desk, page: Page & { section: Section }): Promise<Response> {
  return renderPage({ ...page, frame: frame(desk), shop: desk.context.shop })
}

function frame({ context, here }: Desk): Html {
  const now = context.scheduler.now()
  const { next, rates } = context.faults.list()
  const armed = next.length + rates.length
  const failed = context.deliveries.store.undelivered().length
  const noted = context.activity.notes.length
  const move = (label: string, fields: Record<string, string>): Html =>
    commandForm('clock', { ...fields, return_to: here }, label, { small: true })
  const jump = (what: 'next_retry' | 'next_charge', label: string): Html | '' => {
    const job = nextJob(context, what)
    if (job === undefined) return ''
    const name = job.kind === 'charge_retry' ? `${label} (a retry)` : label
    return move(`${name} ${new Date(job.at).toISOString().slice(5, 16).replace('T', ' ')}`, { to: what })
  }
  return html`<section class="frame" aria-label="State of the emulator">
  <span class="clock">Clock <strong id="now"${context.options.clockMoves ? html` data-moves` : ''}>${when(
    new Date(now).toISOString(),
  )}</strong></span>
  ${['minute', 'hour', 'day', 'month'].map((unit) => move(`+1 ${unit.replace('ute', '')}`, { [`${unit}s`]: '1' }))}
  ${jump('next_retry', 'Next retry')}${jump('next_charge', 'Next charge')}
  <span class="counts">${
    armed === 0 ? '' : count('/_emulator/faults', 'wait', `${armed} ${armed === 1 ? 'fault' : 'faults'} armed`, true)
  }
  ${failed === 0 ? '' : count('/_emulator/webhooks?failed', 'bad', `${failed} undelivered`)}
  ${noted === 0 ? '' : count('/_emulator#notes', 'wait', `${noted} ${noted === 1 ? 'note' : 'notes'}`)}</span>
</section>`
}

function count(address: string, tone: Tone, text: string, isFault = false): Html {
  return html`<a class="badge ${tone}" href="${address}">${shape(isFault ? 'fault' : tone)}${text}</a>`
}

export function noteList(notes: readonly Note[]): Html | '' {
  if (notes.length === 0) return ''
  const newest = [...notes].reverse()
  const line = ({ order_id, request_id, text }: Note): Html =>
    html`<li>${text} <a href="/_emulator/requests/${request_id}">Request</a>${
      order_id === null ? '' : html` <a href="${orderAddress(order_id)}">${order_id}</a>`
    }</li>`
  return html`<div class="notice wait" id="notes"><strong>Works here, may be rejected there</strong>
<ul>${newest.slice(0, 5).map(line)}</ul>${
    newest.length > 5
      ? html`<details><summary>${newest.length - 5} more</summary><ul>${newest.slice(5, 100).map(line)}</ul></details>`
      : ''
  }</div>`
}

export function missingPage(desk: Desk, what: string): Promise<Response> {
  const body = html`<h1>No such ${what}</h1>
<p>The emulator was reset, or has forgotten it: it keeps the latest 2,000 requests and 10,000 webhooks.</p>`
  return renderSection(desk, { title: `No such ${what}`, body, section: 'overview', status: 404 })
}
