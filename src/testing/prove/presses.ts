import { PRESSES, type Pressed, type WrongPress } from '../buttons.ts'
import { adviceOf, type Cause } from './causes.ts'
import type { ProveFinding } from './report.ts'
import { decimals } from './story.ts'

/** The wrong ends of a press: their verdict, and their causes for refunds and captures. `{}` is the button. */
const WRONG: Readonly<Record<WrongPress, readonly [verdict: string, refund: Cause, capture: Cause]>> = {
  twice: ['{}ed twice', 'refunds_twice', 'captures_twice'],
  other: ['{more} was {}ed than asked', 'refunds_other_amount', 'captures_other_amount'],
  lost: ['{} lost', 'loses_refunds', 'loses_captures'],
  never: ['{} never ends', 'never_ends', 'capture_never_ends'],
}

/** The finding of a press that ended wrong. */
export function pressFinding(pressed: Pressed, usesEdgetill: boolean | undefined): ProveFinding {
  const { name, how, wanted, answers, moved, seen, wrong = 'never' } = pressed
  const { amount: price, currency, order_id } = pressed.order
  const [[says, refund, capture], amount] = [WRONG[wrong], decimals(wanted)]
  const cause = name === 'refund' ? refund : capture
  const isMore = moved.reduce((sum, one) => sum + one, 0) > wanted
  const verdict = says.replace('{more}', isMore ? 'more' : 'less').replace('{}e', name.replace(/e?$/, 'e'))
  const made = moved.map((one) => `${decimals(one)} ${currency}`).join(' and ') || 'none'
  const story = [
    { says: `the customer ${name === 'capture' ? 'authorizes' : 'pays'} ${price} ${currency}`, answers: [] },
    { says: `the ${name} of ${amount} ${currency} ${PRESSES[how]}`, answers },
    { says: `the service has of each ${name}: ${made}`, answers: [] },
  ]
  const expected = name === 'refund' ? { paid: price, refunded: amount } : { paid: amount, refunded: 0 }
  const finding = { verdict: verdict.replace('{}', name), cause, advice: adviceOf(cause, usesEdgetill), orders: 1 }
  return { ...finding, order_id, expected, seen: seen ?? null, story, attacks: [`${name} ${how}`] }
}
