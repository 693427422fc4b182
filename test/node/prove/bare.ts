// A shop on Express and SQLite that refunds with the bare SDK, as careful as one call can be: it looks at the order before, and asks
// what became of a response that was lost. A second press is a second refund all the same.
import process from 'node:process'
import { DatabaseSync } from 'node:sqlite'
import {
  configFromEnv,
  createClient,
  isOutcomeUnknownError,
  resolveOutcome,
  snapshotOrder,
  toMinorUnits,
} from 'edgetill'
import { webhookHandler } from 'edgetill/express'
import { eventKey, foldOrder } from 'edgetill/orders'
import { readEvent, type WebhookEvent } from 'edgetill/webhooks'
import express from 'express'

const client = createClient(configFromEnv(process.env))
const db = new DatabaseSync(process.env.DATABASE ?? ':memory:')
db.exec('CREATE TABLE IF NOT EXISTS events (key TEXT PRIMARY KEY, order_id TEXT, record TEXT NOT NULL)')
const totalsOf = (id: string) => {
  const rows = db.prepare('SELECT record FROM events WHERE order_id = ?').all(id)
  return foldOrder(rows.map(({ record }) => readEvent(JSON.parse(String(record))))).totals
}
const onEvent = (event: WebhookEvent): void => {
  const values = [eventKey(event), event.order_id ?? null, JSON.stringify(event.record)]
  db.prepare('INSERT INTO events VALUES (?, ?, ?) ON CONFLICT DO NOTHING').run(...values)
}

const app = express()
app.post('/webhooks', webhookHandler({ secrets: () => process.env.EDGETILL_API_SECRET, onEvent }))
app.use(express.urlencoded({ extended: false }))
app.post('/orders/:id/refund', async (request, response) => {
  const [order_id, refund_amount] = [request.params.id, Number(request.body.amount)]
  const { captured_minor: captured, refunded_minor: refunded } = totalsOf(order_id)
  if (toMinorUnits(refund_amount) > captured - refunded) return void response.sendStatus(422)
  const known = await snapshotOrder(client, order_id)
  try {
    response.json(await client.refundPayment({ order_id, order_currency: 'UAH', refund_amount }))
  } catch (error) {
    if (!isOutcomeUnknownError(error)) throw error
    response.status(202).json(await resolveOutcome(client, error, { known }))
  }
})
app.get('/state/:id', (request, response) => {
  const { captured_minor: captured, refunded_minor: refunded } = totalsOf(request.params.id)
  response.json({ paid: captured / 100, refunded: refunded / 100 })
})
app.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('shop on'))
