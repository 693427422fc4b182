import { html } from 'hono/html'
import { ENGLISH } from '../../pages/messages.ts'
import { cardGroups } from '../../pages/test-cards.ts'
import { type Desk, renderSection } from './frame.ts'

/** `/_emulator/cards`: every test card, and what becomes of it. */
export function testCardsPage(desk: Desk): Promise<Response> {
  const body = html`
<h1>${ENGLISH.cards.title}</h1>
<p>${ENGLISH.cards.hint} Assumption throughout: the API document names no test cards.</p>
<p>The checkout page has a button beside each card that fills in the form.</p>
${cardGroups(ENGLISH, (card) => html`<code>${card.name}</code>`, 'h2')}`
  return renderSection(desk, { title: ENGLISH.cards.title, body, section: 'cards' })
}
