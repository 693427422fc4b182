import { wasMade } from '../answer.ts'
import type { Delivery } from '../inbox.ts'
import { hosted } from '../inputs.ts'
import { differs, holds, type Judgement, notTried } from '../judgement.ts'
import { type Story, story } from '../statement.ts'
import { addUndocumented } from '../undocumented.ts'

const WAIT_MS = 30_000
/** After which no more are expected. */
const QUIET_MS = 3_000

const delivered = story('delivered', ['webhooks'], async (project) => {
  const { client, ask, newOrder, webhooks } = project
  const order_id = await newOrder('checkout')
  const input = { ...hosted(project, order_id), server_url: webhooks?.url }
  const created = await ask((options) => client.createPayment(input, options))
  const why = 'no payment could be created and cancelled'
  if (!wasMade(created)) return { why }
  const { verdict } = await ask((options) => client.cancelPayment({ order_id }, options))
  if (verdict !== 'accepted') return { why }
  const first = await webhooks?.inbox.next(order_id, WAIT_MS)
  // The cancellation may send other webhooks first.
  while (await webhooks?.inbox.next(order_id, QUIET_MS)) {}
  addUndocumented(project.state.undocumented, 'webhook', first?.event?.record)
  const resent = await ask((options) => client.resendWebhook({ order_id, operation: 'purchase' }, options))
  if (resent.verdict !== 'accepted') return { first, unsent: resent.says }
  return { first, second: await webhooks?.inbox.next(order_id, WAIT_MS) }
}).judgedBy({
  webhook_signature: ({ why, first }) => {
    if (first === undefined) return why === undefined ? differs('none came in 30 s') : notTried(why)
    return first.event ? holds('verified') : differs(`rejected (${first.reason})`)
  },
  webhook_form: (seen) =>
    ofFirst(seen, ({ contentType, encoding }) => {
      if (encoding !== null && encoding !== 'identity') return differs('a Content-Encoding')
      return contentType.startsWith('application/x-www-form-urlencoded') ? holds('a form') : differs('another type')
    }),
  webhook_fields: (seen) =>
    ofFirst(seen, ({ event }) => {
      const absent = ['pos_id', 'mode', 'created_at'].filter((name) => typeof event?.record[name] !== 'string')
      return absent.length === 0 ? holds('all of them') : differs(`without ${absent.join(', ')}`)
    }),
  webhook_resent: ({ first, second, unsent }) => {
    if (first === undefined || unsent !== undefined) return notTried(unsent ?? 'no webhook arrived')
    return second === undefined ? differs('none came in 30 s') : holds('it came')
  },
})

const ofFirst = ({ first }: { first?: Delivery | undefined }, judge: (delivery: Delivery) => Judgement): Judgement =>
  first === undefined ? notTried('no webhook came') : judge(first)

export const WEBHOOKS: readonly Story[] = [delivered]
