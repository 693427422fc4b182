import { html } from 'hono/html'
import { TEST_CARDS, type TestCard, type TestCardName } from '../state/cards.ts'
import type { Html } from './layout.ts'
import type { Messages } from './messages.ts'

type Group = 'paid' | 'threeDS' | 'declined' | 'later'

const GROUPS: readonly Group[] = ['paid', 'threeDS', 'declined', 'later']

function groupOf({ threeDSecure, status, recurring, operations }: TestCard): Group {
  if (threeDSecure) return 'threeDS'
  if (status !== 'success') return 'declined'
  return recurring === undefined && operations === undefined ? 'paid' : 'later'
}

export function cardGroups(messages: Messages, button: (card: TestCard) => Html | '', level: 'h2' | 'h3' = 'h3'): Html {
  const title = { ...messages.cards, threeDS: '3-D Secure' }
  return html`${GROUPS.map(
    (group) => html`${level === 'h2' ? html`<h2>${title[group]}</h2>` : html`<h3>${title[group]}</h3>`}
${cardList(
  TEST_CARDS.filter((card) => groupOf(card) === group),
  messages,
  button,
)}`,
  )}`
}

export function cardList(cards: readonly TestCard[], messages: Messages, button: (card: TestCard) => Html | ''): Html {
  return html`<ul class="cards">${cards.map(
    (card) => html`<li><code class="number">${spaced(card.number)}</code>
  <span class="says">${messages.lang === 'uk' ? UKRAINIAN[card.name] : card.says}</span>${button(card)}</li>`,
  )}</ul>`
}

export function spaced(number: string): string {
  return number.replaceAll(/(\d{4})(?=\d)/g, '$1 ')
}

const UKRAINIAN: Record<TestCardName, string> = {
  success: 'Оплачено одразу.',
  success_mastercard: 'Оплачено одразу.',
  three_d_secure: 'Запитує 3-D Secure, потім оплачено.',
  three_d_secure_declined: 'Запитує 3-D Secure, потім відхилено емітентом.',
  insufficient_funds: 'Відхилено: недостатньо коштів.',
  declined: 'Відхилено.',
  rejected_by_issuer: 'Відхилено емітентом.',
  antifraud: 'Відхилено: антифрод.',
  blacklisted: 'Відхилено: чорний список.',
  unsupported_card: 'Відхилено: картка не підтримується.',
  internal_error: 'Завершується внутрішньою помилкою.',
  limit_exceeded: 'Відхилено: перевищено ліміт; вебхук каже, коли спробувати знову.',
  capture_declined: 'Оплачено або заблоковано; кожне списання відхилено через ліміт.',
  capture_pending: 'Оплачено або заблоковано; кожне списання залишається в обробці.',
  refund_declined: 'Оплачено; кожне повернення відхилено.',
  void_declined: 'Оплачено або заблоковано; кожне розблокування відхилено.',
  timeout: 'Залишається в обробці, через 15 хвилин відхилено за тайм-аутом.',
  fee_null: 'Оплачено; у вебхуку fee: null.',
  bank_pay: 'Оплачено з рахунку на рахунок; у вебхуку є bank_pay.',
  payer_changes_amount: 'Платник сплачує 90% суми; у вебхуку є processed_amount.',
  recurring_declined: 'Перший раз оплачено; кожне планове списання відхилено.',
  recurring_declined_once: 'Оплачено; перша спроба планового списання відхилена, повторна оплачена.',
}
