import { html } from 'hono/html'
import type { Html } from './layout.ts'

export type Tone = 'ok' | 'bad' | 'wait' | 'idle'

const SHAPES: Record<Tone, string> = {
  ok: 'M3 8.5l3.2 3.2L13 5',
  bad: 'M4 4l8 8M12 4l-8 8',
  wait: 'M8 3.5V8l3 2M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13',
  idle: 'M8 3a5 5 0 1 1 0 10a5 5 0 0 1 0-10',
}

const BOLT = 'M9.5 1.5L3.5 9H8l-1.5 5.5L12.5 7H8z'

export function shape(tone: Tone | 'fault'): Html {
  const path = tone === 'fault' ? BOLT : SHAPES[tone]
  return html`<svg viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2"
  stroke-linecap="round" stroke-linejoin="round"><path d="${path}"/></svg>`
}

export function toneOf(status: string): Tone {
  return ({ success: 'ok', active: 'ok', failure: 'bad', canceled: 'bad', pending: 'wait' } as const)[status] ?? 'idle'
}

export function faultBadge(kind: string): Html {
  return html`<span class="badge wait">${shape('fault')}${kind}</span>`
}

export function badge(text: string, tone: Tone = toneOf(text)): Html {
  return html`<span class="badge ${tone}">${shape(tone)}${text}</span>`
}
