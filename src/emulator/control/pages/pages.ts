import type { Env, Hono } from 'hono'
import { html } from 'hono/html'
import type { Context } from '../../context.ts'
import { messagePage } from '../../pages/layout.ts'
import { ENGLISH } from '../../pages/messages.ts'
import { receiptPage } from '../../pages/outcome.ts'
import { SCRIPT } from '../../pages/script.ts'
import { STYLE } from '../../pages/style.ts'
import { cardGroups } from '../../pages/test-cards.ts'
import type { EmulatorControls } from '../emulator-controls.ts'
import { connectPage } from './connect.ts'
import { faultsPage } from './faults.ts'
import { type Desk, renderSection } from './frame.ts'
import { orderPage } from './order.ts'
import { overviewPage } from './overview.ts'
import { requestPage, requestsPage } from './requests.ts'
import { webhookPage, webhooksPage } from './webhooks.ts'

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" ' +
  'fill="#4a3300"/><path d="M4 8.5l3 3 5-6" fill="none" stroke="#ffe9bf" stroke-width="2"/></svg>'

export function pages<E extends Env>(app: Hono<E>, context: Context, emulator: EmulatorControls): void {
  for (const path of ['/', '/_emulator/']) app.get(path, (c) => c.redirect('/_emulator'))
  const desk = (request: Request): Desk => {
    const { pathname, search } = new URL(request.url)
    return { context, emulator, here: pathname + search }
  }
  app.get('/_emulator', (c) => overviewPage(desk(c.req.raw), searchOf(c.req.raw)))
  app.get('/_emulator/orders', (c) => orderPage(desk(c.req.raw), c.req.query('order_id') ?? ''))
  app.get('/_emulator/requests', (c) => requestsPage(desk(c.req.raw), searchOf(c.req.raw)))
  app.get('/_emulator/requests/:id', (c) => requestPage(desk(c.req.raw), c.req.param('id')))
  app.get('/_emulator/webhooks', (c) => webhooksPage(desk(c.req.raw), searchOf(c.req.raw)))
  app.get('/_emulator/webhooks/:id', (c) => webhookPage(desk(c.req.raw), c.req.param('id')))
  app.get('/_emulator/faults', (c) => faultsPage(desk(c.req.raw)))
  app.get('/_emulator/cards', (c) => testCardsPage(desk(c.req.raw)))
  app.get('/_emulator/connect', (c) => connectPage(desk(c.req.raw)))
  app.get('/_emulator/receipts/:id', (c) => {
    const id = c.req.param('id')
    const orders = [...context.state.orders.values()]
    const record =
      orders.flatMap(({ operations }) => operations).find(({ operation_id }) => operation_id === id) ??
      orders.flatMap(({ payments }) => payments).find(({ payment_id }) => payment_id === id)
    return record === undefined
      ? messagePage(404, 'No such receipt', 'The emulator may have been reset.')
      : receiptPage(record)
  })
  app.get('/_emulator/style.css', (c) => asset(c.body(STYLE), 'text/css; charset=utf-8'))
  app.get('/_emulator/live.js', (c) => asset(c.body(SCRIPT), 'text/javascript; charset=utf-8'))
  app.get('/_emulator/icon.svg', (c) => asset(c.body(ICON), 'image/svg+xml'))
  app.get('/favicon.ico', (c) => c.body(null, 204))
}

function searchOf(request: Request): URLSearchParams {
  return new URL(request.url).searchParams
}

function asset(response: Response, type: string): Response {
  response.headers.set('content-type', type)
  response.headers.set('cache-control', 'no-cache')
  return response
}

function testCardsPage(desk: Desk): Promise<Response> {
  const body = html`
<h1>${ENGLISH.cards.title}</h1>
<p>${ENGLISH.cards.hint} Assumption throughout: the API document names no test cards.</p>
<p>The checkout page has a button beside each card that fills in the form.</p>
${cardGroups(ENGLISH, (card) => html`<code>${card.name}</code>`, 'h2')}`
  return renderSection(desk, { title: ENGLISH.cards.title, body, section: 'cards' })
}
