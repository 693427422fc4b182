import { html } from 'hono/html'
import { endOfCard, passesLuhn, TEST_CARDS, type TestCard } from '../state/cards.ts'
import type { Order } from '../state/state.ts'
import { type Html, renderPage } from './layout.ts'
import { type FieldError, type Messages, messagesFor, otherLanguageOf } from './messages.ts'
import { cardGroups, cardList, spaced } from './test-cards.ts'

/** The fields of the checkout form, in the API document's names for card data. */
export type FieldName = 'cc_number' | 'exp_month' | 'exp_year' | 'card_cvv'

export type FieldErrors = Partial<Record<FieldName, FieldError>>

export type CardForm = Record<FieldName, string>

/** The cards that are tried first; the others are folded away. */
const FIRST = ['success', 'three_d_secure', 'insufficient_funds']

const FIELDS: readonly FieldName[] = ['cc_number', 'exp_month', 'exp_year', 'card_cvv']

/** Reads the form as a browser sends it. Spaces and dashes in the number are ignored. */
export function readForm(body: string): CardForm {
  const form = new URLSearchParams(body)
  const field = (name: FieldName): string => (form.get(name) ?? '').trim()
  return {
    cc_number: field('cc_number').replaceAll(/[\s-]/g, ''),
    exp_month: field('exp_month'),
    exp_year: field('exp_year'),
    card_cvv: field('card_cvv'),
  }
}

export function checkForm(form: CardForm, now: number): FieldErrors {
  const errors: FieldErrors = {}
  if (form.cc_number === '') errors.cc_number = 'number_missing'
  else if (!/^\d{12,19}$/.test(form.cc_number)) errors.cc_number = 'number_length'
  else if (!passesLuhn(form.cc_number)) errors.cc_number = 'number_invalid'
  const month = Number(form.exp_month)
  const monthFits = /^\d{1,2}$/.test(form.exp_month) && month >= 1 && month <= 12
  const yearFits = /^(\d{2}|\d{4})$/.test(form.exp_year)
  if (!monthFits) errors.exp_month = 'month_invalid'
  if (!yearFits) errors.exp_year = 'year_invalid'
  if (monthFits && yearFits && endOfCard(month, Number(form.exp_year)) <= now) errors.exp_month = 'expired'
  if (!/^\d{3,4}$/.test(form.card_cvv)) errors.card_cvv = 'cvv_invalid'
  return errors
}

/** The form filled in with a test card; undefined when no card has this name. */
export function filledForm(name: string, now: number): CardForm | undefined {
  const card = TEST_CARDS.find((one) => one.name === name)
  if (card === undefined) return undefined
  const year = String(new Date(now).getUTCFullYear() + 3).slice(-2)
  return { cc_number: card.number, exp_month: '12', exp_year: year, card_cvv: '123' }
}

/** The checkout form, empty, filled in with a test card, or with the rejected input. It posts to its own address. */
export function checkoutForm(
  order: Order,
  shop?: string,
  form?: CardForm,
  errors: FieldErrors = {},
): Promise<Response> {
  const payment = order.payments[0]
  const messages = messagesFor(order)
  const amount = `${payment.amount.toFixed(2)} ${payment.currency}`
  const language = otherLanguageOf(order)
  const wrong = FIELDS.filter((name) => errors[name] !== undefined)
  const values = form ?? { cc_number: '', exp_month: '', exp_year: '', card_cvv: '' }
  // A CVV is never sent back, except a test card's.
  const cvv = wrong.length > 0 ? '' : values.card_cvv
  const field = (name: FieldName, label: string, autocomplete: string, value: string, described = ''): Html => {
    const ids = [errors[name] === undefined ? '' : `${name}-error`, described].filter((id) => id !== '').join(' ')
    // The first wrong field has the focus, so that its label and its error are read out first.
    return html`<div>
    <label for="${name}">${label}</label>
    <input id="${name}" name="${name}" value="${value}" inputmode="numeric" autocomplete="${autocomplete}" required${
      ids === '' ? '' : html` aria-describedby="${ids}"`
    }${errors[name] === undefined ? '' : html` aria-invalid="true"`}${wrong[0] === name ? html` autofocus` : ''}>
  </div>`
  }
  const fill = (card: TestCard): Html => fillButton(card.name, spaced(card.number), messages)
  const body = html`
<h1>${messages.pay(amount)}</h1>
<p>${payment.description}</p>
<dl><dt>${messages.order}</dt><dd>${order.order_id}</dd>
  ${language === undefined ? '' : html`<dt>${messages.otherLanguage}</dt><dd>${language}</dd>`}</dl>
${wrong.length === 0 ? '' : html`<div class="notice bad" role="alert">${messages.correct}</div>`}
<form class="pay" method="post" novalidate>
  ${field('cc_number', messages.number, 'cc-number', spaced(values.cc_number))}
  ${errorText('cc_number', errors, messages)}
  <div class="row">
    ${field('exp_month', messages.month, 'cc-exp-month', values.exp_month)}
    ${field('exp_year', messages.year, 'cc-exp-year', values.exp_year)}
    ${field('card_cvv', messages.cvv, 'cc-csc', cvv, 'card_cvv-hint')}
  </div>
  ${(['exp_month', 'exp_year', 'card_cvv'] as const).map((name) => errorText(name, errors, messages))}
  <p class="hint" id="card_cvv-hint">CVV: ${messages.cvvHint}</p>
  <button type="submit"${form && wrong.length === 0 ? html` autofocus` : ''}>${messages.pay(amount)}</button>
</form>
<h2>${messages.cards.title}</h2>
<p class="hint">${messages.cards.hint}</p>
<form id="fill" method="get">${shop === undefined ? '' : html`<input type="hidden" name="shop" value="${shop}">`}</form>
${cardList(
  TEST_CARDS.filter(({ name }) => FIRST.includes(name)),
  messages,
  fill,
)}
<details><summary>${messages.cards.all}</summary>${cardGroups(messages, fill)}</details>`
  const title = wrong.length > 0 ? `${messages.error}: ${messages.checkout}` : messages.checkout
  const rejected = wrong.map((name) => `${name} ${errors[name]?.replace('_', ' ')}`).join(', ')
  return renderPage({
    title,
    body,
    lang: messages.lang,
    banner: messages.banner,
    ...(wrong.length > 0 ? { status: 422, reason: `The card form has errors: ${rejected}` } : {}),
  })
}

function errorText(name: FieldName, errors: FieldErrors, messages: Messages): Html | '' {
  const error = errors[name]
  if (error === undefined) return ''
  return html`<p class="error" id="${name}-error">${messages.errors[error]}</p>`
}

function fillButton(name: string, number: string, messages: Messages): Html {
  const { use } = messages.cards
  return html`<button class="quiet small" form="fill" name="card" value="${name}"
  aria-label="${use} ${number}">${use}</button>`
}
