import { html } from 'hono/html'
import type { Context } from '../../context.ts'
import type { Html } from '../../pages/layout.ts'
import { shape, type Tone } from '../../pages/status.ts'
import type { AppliedFault } from '../../state/activity.ts'
import { nameOf, toneOfAttempt, webhookAddress } from './components.ts'
import { isRejected } from './requests.ts'

interface StoryEntry {
  at: string
  place: number
  kind: 'request' | 'state' | 'webhook' | 'fault' | 'note'
  tone: Tone
  text: string
  address?: string
}

export function storyOf({ state, activity, deliveries }: Context, orderId: string): StoryEntry[] {
  const entries: StoryEntry[] = []
  const faults = new Set<string>()
  const fault = ({ kind, ...parameters }: AppliedFault, on: string, at: string, place: number): void => {
    faults.add(`fault ${kind} fired on ${on}`)
    const more = Object.entries(parameters).map(([name, value]) => ` ${name}=${String(value)}`)
    entries.push({ at, place, kind: 'fault', tone: 'wait', text: `${kind}${more.join('')} fired on ${on}` })
  }
  for (const request of activity.requests) {
    if (request.order_id !== orderId) continue
    const { at, method, path, status, reason } = request
    const place = activity.placeOf(request)
    const tone = isRejected(request) ? 'bad' : 'idle'
    const outcome = [status ?? 'no response', reason].filter((part) => part !== null).join(' ')
    const address = `/_emulator/requests/${request.id}`
    entries.push({ at, place, kind: 'request', tone, text: `${method} ${path} → ${outcome}`, address })
    for (const one of request.faults) fault(one, request.operation ?? '', at, place)
  }
  for (const delivery of deliveries.store.ofOrder(orderId)) {
    const { event, attempts, url, faults } = delivery
    const name = nameOf(delivery)
    const address = webhookAddress(delivery)
    for (const one of faults) fault(one, 'webhook', String(event.processed_at ?? ''), activity.placeOf(delivery))
    for (const [index, attempt] of attempts.entries()) {
      const { at, status, error } = attempt
      const again = index === 0 ? '' : `, attempt ${index + 1}`
      const text = `${name} to ${url ?? ''}${again} → ${status ?? error ?? 'under way'}`
      const place = activity.placeOf(attempt)
      entries.push({ at, place, kind: 'webhook', tone: toneOfAttempt(attempt), text, address })
    }
    if (url === null) {
      const at = String(event.processed_at ?? '')
      const text = `${name} to nowhere: no server_url, no --webhook-url`
      entries.push({ at, place: activity.placeOf(delivery), kind: 'webhook', tone: 'idle', text, address })
    }
  }
  for (const entry of state.orders.get(orderId)?.timeline ?? []) {
    const { at, what } = entry
    // The same fault, without its parameters.
    if (faults.has(what)) continue
    const kind = entry.note ? 'note' : /^fault \w+ fired/.test(what) ? 'fault' : 'state'
    entries.push({
      at,
      place: activity.placeOf(entry),
      kind,
      tone: entry.note ? 'wait' : toneOfText(what),
      text: what.replace(/^fault /, ''),
    })
  }
  return entries.sort((a, b) => a.place - b.place)
}

/** The states of a timeline are sentences; the status is a word of the sentence. */
function toneOfText(what: string): Tone {
  if (/\b(failure|canceled|given up|expired)\b/.test(what)) return 'bad'
  if (/\bpending\b/.test(what)) return 'wait'
  return /\b(success|active)\b/.test(what) ? 'ok' : 'idle'
}

function gapBefore(before: string | undefined, at: string): Html | '' {
  const days = Math.floor((Date.parse(`${at}Z`) - Date.parse(`${before ?? at}Z`)) / 86_400_000)
  return days >= 1 ? html`<li class="gap">${days === 1 ? 'a day' : `${days} days`} later</li>` : ''
}

const NAMES = { request: 'Request', state: 'State', webhook: 'Webhook', fault: 'Fault', note: 'Note' } as const

export function storyList(entries: readonly StoryEntry[]): Html {
  return html`<ol class="story">${entries.map(
    ({ at, kind, tone, text, address }, index) => html`${gapBefore(entries[index - 1]?.at, at)}<li>
  <span class="mark ${tone}">${shape(kind === 'fault' ? 'fault' : tone)}</span>
  <time datetime="${at}">${at.slice(0, 10)} ${at.slice(11)}</time><span class="kind">${NAMES[kind]}</span>
  ${address === undefined ? text : html`<a href="${address}">${text}</a>`}</li>`,
  )}</ol>`
}
