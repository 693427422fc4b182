import { html } from 'hono/html'
import type { MoneyState } from '../../orders/money-state.ts'
import type { Html } from '../pages/layout.ts'
import type { Words } from './words/words.ts'

// The parts of every page: a pill, facts, a field, a box.

/** Never only colour: each tone has a sign. */
const SIGNS = { ok: '✓', bad: '✕', wait: '●', note: '↩', warn: '!' } as const
export type Tone = keyof typeof SIGNS

const TONES: Record<MoneyState, Tone> = {
  waiting: 'wait',
  pending: 'wait',
  failed: 'bad',
  paid: 'ok',
  reserved: 'wait',
  partly_charged: 'ok',
  released: 'note',
  partly_refunded: 'note',
  refunded: 'note',
}

/** A state as a word in its colour, with a sign. */
export const pill = (tone: Tone, text: string): Html =>
  html`<span class="pill ${tone}"><span aria-hidden="true">${SIGNS[tone]}</span> ${text}</span>`

export const statePill = (words: Words, state: MoneyState): Html => pill(TONES[state], words.states[state])

/** States in which the shop has the money: in a list these sums add up to the takings. */
export const isTaken = (state: MoneyState): boolean => /^(paid|partly_)/.test(state)

/** Names and values; a name without a value is left out. */
export const facts = (
  rows: readonly (readonly [name: string, value: Html | string | undefined | null])[],
): Html | false => {
  const filled = rows.filter(([, value]) => value)
  const row = ([name, value]: (typeof rows)[number]) => html`<dt>${name}</dt><dd><bdi>${value as Html}</bdi></dd>`
  return filled.length > 0 && html`<dl>${filled.map(row)}</dl>`
}

/** A field of a form. */
export interface Field {
  name: string
  /** Default: the name. A page may have two fields with the same name. */
  id?: string
  label: string
  value?: string | undefined
  /** The mistake in an input: it stands at the field, which has the focus. */
  problem?: string | undefined
  hint?: string | undefined
  /** More attributes. */
  more?: Html | ''
  /** In place of the input, such as choices. */
  choices?: readonly (readonly [value: string, label: string])[]
}

export function field({ name, id = name, label, value = '', problem, hint, more = '', choices }: Field): Html {
  const about = [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(' ')
  const wrong = problem && html` aria-invalid="true" autofocus`
  const says = html`${about && html` aria-describedby="${about}"`}${wrong}${more}`
  const options = choices?.map(
    ([one, text]) => html`<option value="${one}"${one === value && html` selected`}>${text}</option>`,
  )
  const input = options
    ? html`<select id="${id}" name="${name}"${says}>${options}</select>`
    : html`<input id="${id}" name="${name}" value="${value}"${says}>`
  const below = html`${problem && html`<p class="bad" id="${id}-problem">${problem}</p>`}${
    hint && html`<p class="quiet" id="${id}-hint">${hint}</p>`
  }`
  return html`<div class="field"><label for="${id}">${label}</label>${input}${below}</div>`
}

export const hidden = (fields: Readonly<Record<string, string | null | undefined>>): Html[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** A date of a form. */
export const dateField = (name: string, label: string, value: string, required: Html | '' = ''): Html =>
  field({ name, label, value, more: html` type="date"${required}` })

/** A mistake, or a failure. */
export const alertOf = (text: string): Html => html`<p class="bad" role="alert">${text}</p>`

/** A link that narrows a list. */
export const filterTo = (to: string, label: string, isCurrent: boolean): Html =>
  html`<li><a href="${to}"${isCurrent && html` aria-current="page"`}>${label}</a></li>`

/** The remarks that come before everything else. */
export const box = (tone: 'wait' | 'bad' | 'plain', body: Html | string): Html =>
  html`<div class="box ${tone}">${body}</div>`
