import { html } from 'hono/html'
import { isExpired, passesLuhn, TEST_CARDS } from '../state/cards.ts'
import type { Order } from '../state/state.ts'
import { type Html, renderPage } from './layout.ts'

/** The fields of the checkout form, in the API document's names for card data. */
export type FieldName = 'cc_number' | 'exp_month' | 'exp_year' | 'card_cvv'

export type FieldErrors = Partial<Record<FieldName, string>>

export interface CardForm {
  cc_number: string
  exp_month: string
  exp_year: string
  card_cvv: string
}

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

/** Says beside which field something is wrong, in words for the customer. */
export function checkForm(form: CardForm, now: number): FieldErrors {
  const errors: FieldErrors = {}
  if (form.cc_number === '') errors.cc_number = 'Enter the card number.'
  else if (!/^\d{12,19}$/.test(form.cc_number)) errors.cc_number = 'A card number has 12 to 19 digits.'
  else if (!passesLuhn(form.cc_number)) errors.cc_number = 'This card number is not valid: check its digits.'
  const month = Number(form.exp_month)
  const monthFits = /^\d{1,2}$/.test(form.exp_month) && month >= 1 && month <= 12
  const yearFits = /^(\d{2}|\d{4})$/.test(form.exp_year)
  if (!monthFits) errors.exp_month = 'Enter the month as a number from 1 to 12.'
  if (!yearFits) errors.exp_year = 'Enter the year with two or four digits.'
  if (monthFits && yearFits && isExpired(month, Number(form.exp_year), now)) {
    errors.exp_month = 'This card has expired.'
  }
  if (!/^\d{3,4}$/.test(form.card_cvv)) errors.card_cvv = 'Enter the 3 or 4 digits from the card.'
  return errors
}

const EMPTY: CardForm = { cc_number: '', exp_month: '', exp_year: '', card_cvv: '' }

/** The checkout form. It posts to its own address. */
export function checkoutForm(order: Order, form: CardForm = EMPTY, errors: FieldErrors = {}): Promise<Response> {
  const payment = order.payments[0]
  const wrong = Object.keys(errors).length
  const language = order.request.customer_lang
  const body = html`
<h1>Pay ${payment.amount.toFixed(2)} ${payment.currency}</h1>
<p>${payment.description}</p>
<dl>
  <dt>Order</dt><dd>${order.order_id}</dd>
  ${typeof language === 'string' ? html`<dt>Language asked for</dt><dd>${language}</dd>` : ''}
</dl>
${wrong > 0 ? html`<p class="error" role="alert">Nothing was charged. Please correct ${wrong === 1 ? 'the highlighted field' : 'the highlighted fields'}.</p>` : ''}
<form method="post" novalidate>
  ${field('cc_number', 'Card number', 'cc-number', form.cc_number, errors.cc_number)}
  <div class="row">
    ${field('exp_month', 'Month', 'cc-exp-month', form.exp_month, errors.exp_month)}
    ${field('exp_year', 'Year', 'cc-exp-year', form.exp_year, errors.exp_year)}
    ${field('card_cvv', 'CVV', 'cc-csc', '', errors.card_cvv)}
  </div>
  <button type="submit">Pay ${payment.amount.toFixed(2)} ${payment.currency}</button>
</form>
<h2>Test cards</h2>
<p class="hint">Any expiry date in the future and any three digits will do.</p>
<div class="scroll" role="region" aria-label="Test cards" tabindex="0">
<table>
  <thead><tr><th scope="col">Number</th><th scope="col">What happens</th></tr></thead>
  <tbody>
  ${TEST_CARDS.map((card) => html`<tr><td><code>${card.number}</code></td><td>${card.says}</td></tr>`)}
  </tbody>
</table>
</div>`
  return renderPage({ title: 'Checkout', body, status: wrong > 0 ? 422 : 200 })
}

function field(name: FieldName, label: string, autocomplete: string, value: string, error: string | undefined): Html {
  const described = error === undefined ? '' : html` aria-invalid="true" aria-describedby="${name}-error"`
  return html`<div>
    <label for="${name}">${label}</label>
    <input id="${name}" name="${name}" value="${value}" inputmode="numeric" autocomplete="${autocomplete}" required${described}>
    ${error === undefined ? '' : html`<p class="error" id="${name}-error">${error}</p>`}
  </div>`
}
