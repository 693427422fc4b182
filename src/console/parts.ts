import { html } from 'hono/html'
import type { MoneyState } from '../shop/lib/money-state.ts'
import type { Html } from '../shop/pages/layout.ts'
import type { Words } from './words/en.ts'

// The parts of every page: a pill, facts, a field, a timeline, rows.

/** Never colour alone: each tone has a sign. */
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

/** States whose sum the shop has: those of a list add up to what was taken. */
export const isTaken = (state: MoneyState): boolean => /^(paid|partly_)/.test(state)

/** Names and values; one without a value is left out. */
export const facts = (
  rows: readonly (readonly [name: string, value: Html | string | undefined | null])[],
): Html | '' => {
  const known = rows.filter(([, value]) => value)
  return known.length === 0
    ? ''
    : html`<dl>${known.map(([name, value]) => html`<dt>${name}</dt><dd><bdi>${value as Html}</bdi></dd>`)}</dl>`
}

/** The events, one after the other. */
export const timeline = (
  steps: readonly { tone: Tone; text: Html | string; sum?: string; below?: Html | string }[],
): Html =>
  html`<ol class="story">${steps.map(
    ({ tone, text, sum = '', below = '' }) =>
      html`<li class="${tone}"><div class="row"><span>${text}</span><span>${sum}</span></div>
<div class="quiet">${below}</div></li>`,
  )}</ol>`

/** A field of a form. */
export interface Field {
  name: string
  /** Default: the name. A page may have two fields of one name. */
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
  const says = html`${about ? html` aria-describedby="${about}"` : ''}${
    problem ? html` aria-invalid="true" autofocus` : ''
  }${more}`
  return html`<div class="field"><label for="${id}">${label}</label>${
    choices
      ? html`<select id="${id}" name="${name}"${says}>${choices.map(
          ([one, text]) => html`<option value="${one}"${one === value ? html` selected` : ''}>${text}</option>`,
        )}</select>`
      : html`<input id="${id}" name="${name}" value="${value}"${says}>`
  }${problem ? html`<p class="bad" id="${id}-problem">${problem}</p>` : ''}${
    hint ? html`<p class="quiet" id="${id}-hint">${hint}</p>` : ''
  }</div>`
}

const DECIMAL = html` inputmode="decimal" autocomplete="off" required`

/** An amount and its button: the form of every act that moves money. */
export const moneyFields = (amount: Omit<Field, 'name' | 'more'>, button: { text: string; class: string }): Html =>
  html`<div class="money">${field({ ...amount, name: 'amount', more: DECIMAL })}
<button class="${button.class}">${button.text}</button></div>`

export const hidden = (fields: Readonly<Record<string, string | null | undefined>>): Html[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** The remarks that come before everything else. */
export const box = (tone: 'wait' | 'bad' | 'plain', body: Html | string): Html =>
  html`<div class="box ${tone}">${body}</div>`
