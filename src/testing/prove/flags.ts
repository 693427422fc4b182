import { ORDER_KINDS } from './story.ts'

/** The flags of `edgetill prove`: a name, what it is, and whether it takes a whole number. */
export const PROVE_FLAGS: readonly (readonly [flag: string, says: string, isNumber?: true])[] = [
  ['--url <URL>', 'the receiver of webhooks'],
  ['--state <URL>', "the shop's state of an order as JSON: http://127.0.0.1:3000/orders/{order_id}"],
  ['--state-command <COMMAND>', 'a command that prints this JSON: ./state {order_id}'],
  ['--paid <PATH>', 'where the JSON has what was paid (default: $.paid)'],
  ['--refunded <PATH>', 'what was refunded (default: $.refunded)'],
  ['--shipped <PATH>', 'how often it was shipped (default: $.shipped)'],
  ['--currency <PATH>', 'the currency (default: $.currency)'],
  ['--units <UNIT>', 'of the amounts in the JSON: decimal (100.5) or minor (10050) (default: decimal)'],
  ['--create <URL>', 'where an order is posted before it is paid: {order_id, amount, currency}'],
  ['--restart-command <COMMAND>', 'kills the receiver and starts it again'],
  ['--orders <COUNT>', 'how many orders are played (default: 200)', true],
  ['--seed <NUMBER>', 'decides orders and attacks (default: 1)', true],
  ['--kinds <KIND...>', `the orders that the shop has: ${ORDER_KINDS.join(', ')} (default: all)`],
  ['--pos-id <UUID>', "the shop's POS, if the receiver compares it"],
  ['--settle-ms <MS>', 'how long the shop may take after its 200 (default: 500)', true],
  ['--timeout-ms <MS>', 'how long a call may take (default: 10000)', true],
  ['--report <FILE>', 'writes an HTML page with the story of each failing order'],
  ['--json', 'the result as JSON, for programs'],
]
