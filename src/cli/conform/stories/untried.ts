import { holds, notTried } from '../judgement.ts'
import { type Story, story } from '../statement.ts'

/** Assumptions that no probe can decide, with the reason. */
const UNTRIED = {
  cryptogram_without_cvv: "it needs a wallet's cryptogram",
  validation_url_http: 'your page would have to respond to its preflight request, in a form that is not documented',
  split_without_recurring: 'it could start a subscription that cannot be ended',
  null_is_absent: 'no response shows its meaning',
  sender_address: 'a tunnel or a proxy is in front of the receiver',
  webhook_retries: 'it can take a day',
}

/** Whether the responses had the documented fields: the report decides it, by all statements. */
export const SHAPES: Story = story('shapes', [], async () => undefined).judgedBy({
  shape_of_records: () => holds('as documented'),
})

/** They are listed, so that their absence does not look like agreement. */
export const STAYS_UNTRIED: Story = story('untried', [], async () => undefined).judgedBy(
  Object.fromEntries(Object.entries(UNTRIED).map(([id, why]) => [id, () => notTried(why)])),
)
