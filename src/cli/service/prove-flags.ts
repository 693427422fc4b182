import { ORDER_KINDS, type OrderKind } from '../../testing/prove/story.ts'
import { wholeNumber } from '../terminal/option-values.ts'
import { completed, flag, type OptionRow, option, repeated, unlisted } from '../terminal/verb.ts'

const whole = wholeNumber(0, 0xffff_ffff)

// commander gathers the values after the flag.
const kinds: OptionRow<OrderKind[] | undefined> = {
  says: `the orders that the shop has: ${ORDER_KINDS.join(', ')} (default: all)`,
  value: '<KIND...>',
}

export const PROVE_OPTIONS = {
  url: option('<URL>', 'the receiver of webhooks'),
  state: option('<URL>', "the shop's state of an order as JSON: http://127.0.0.1:3000/orders/{order_id}"),
  stateCommand: option('<COMMAND>', 'a command that prints this JSON: ./state {order_id}'),
  create: option(
    '<URL>',
    'where an order is posted before it is paid: {order_id, amount, currency}; may return its own',
  ),
  restartCommand: option('<COMMAND>', 'kills the receiver and starts it again'),
  refund: option('<URL>', "the shop's own refund, which gets a form: order_id, amount, currency, key"),
  capture: option('<URL>', "the shop's own capture, which gets the same form"),
  orders: option('<COUNT>', 'how many random orders follow the fixed ones (default: 100)', whole),
  seed: option('<NUMBER>', 'decides orders and attacks (default: 1)', whole),
  kinds: completed(ORDER_KINDS, kinds),
  maxSeconds: option('<NUMBER>', 'time limit: then it reports its findings so far (default: 120)', whole),
  story: option('<FILE>', 'plays only this story, which an earlier run wrote'),
  report: option('<FILE>', 'writes an HTML page with the story of each failing order'),
  json: flag('the result as JSON, for programs'),
  // The help has no room for these: guides/prove.md has them.
  ...unlisted({
    paid: option('<PATH>', 'where the JSON has the paid amount (default: $.paid)'),
    refunded: option('<PATH>', 'the refunded amount (default: $.refunded)'),
    shipped: option('<PATH>', 'how often it was shipped (default: $.shipped)'),
    currency: option('<PATH>', 'the currency (default: $.currency)'),
    units: option('<UNIT>', 'of the amounts in the JSON: decimal (100.5) or minor (10050) (default: decimal)'),
    createCommand: option('<COMMAND>', 'a command that makes an order, and may print its order_id, or JSON as above'),
    header: repeated('<NAME: VALUE>', 'a header for the state, the create, the refund and the capture URL', String),
    refundCommand: option('<COMMAND>', 'a command that does the same: ./refund {order_id} {amount} {key}'),
    captureCommand: option('<COMMAND>', 'a command that does the same'),
    emulator: option('<URL>', 'the emulator that the shop sends its refunds and captures to'),
    posId: option('<UUID>', "the shop's POS, if the receiver compares it"),
    settleMs: option('<MS>', 'how long the shop may take after its 200 (default: 500)', whole),
    timeoutMs: option('<MS>', 'how long a call may take (default: 10000)', whole),
    log: option('<FILE>', 'writes each request to the shop and its response, as a JSON line'),
    stories: option('<FOLDER>', 'where the story of each finding is written (default: prove-stories)'),
    usesEdgetill: flag('the receiver uses edgetill: advice names its functions'),
    junit: option('<FILE>', 'writes the result as JUnit XML'),
    sarif: option('<FILE>', 'writes the result as SARIF'),
  }),
}
