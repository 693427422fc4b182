import * as v from 'valibot'
import type { Context } from '../context.ts'
import { createOrder, pay } from '../domain/payments.ts'
import { relax, validate } from '../http/validate.ts'
import { InputError, oneOf, text } from '../parse-input.ts'
import type { ParameterTable } from '../spec/parameters.ts'
import { TEST_CARDS, type TestCardName, testCard } from '../state/cards.ts'
import { ACTIONS, type Action, carryOut } from './actions.ts'

const CARDS = TEST_CARDS.map(({ name }) => name) as [TestCardName, ...TestCardName[]]

const STEPS = ACTIONS.filter(({ name }) => name !== 'payment')
const named = v.looseObject({
  do: oneOf(
    'step',
    STEPS.map(({ name }) => name),
  ),
})

const SEED = v.array(
  v.looseObject({
    order_id: text,
    mode: v.optional(oneOf('mode', ['direct', 'hosted'] as const), 'direct'),
    method: v.optional(oneOf('method', ['purchase', 'auth', 'credit', 'p2p', 'lookup'] as const), 'purchase'),
    card: v.optional(oneOf('test card', CARDS)),
    steps: v.optional(v.array(named, 'must be an array.'), []),
  }),
  'A seed file is an array of orders.',
)

/**
 * Orders as a seed file has them: the parameters of a payment, `card` as the name of a test card (without it a hosted
 * payment stays unpaid), and the later `steps`. The whole list is checked before the first order is made.
 */
export function seedOrders(context: Context, input: unknown): void {
  const { parameters } = context.rules
  const parsed = v.safeParse(SEED, input)
  if (!parsed.success) throw new InputError(parsed.issues.map(sentence).join(' '))
  const seeds = parsed.output
  const ids = new Set<string>()
  const wrong: string[] = []
  const purchases = { direct: parameters.directPurchase, hosted: parameters.hostedPurchase }
  for (const [index, { card: _, steps, ...order }] of seeds.entries()) {
    const table = { ...purchases[order.mode], mode: { type: 'mode', required: true } } as ParameterTable
    const relaxed = relax(table, (name) => !NEEDED.includes(name))
    const unknown = Object.keys(order).filter((name) => !(name in table))
    wrong.push(...unknown.map((name) => `[${index}].${name} is not a parameter of a payment.`))
    for (const { field_name, violation } of validate(context.rules, relaxed, order)) {
      wrong.push(`[${index}].${field_name} ${violation}.`)
    }
    if (ids.has(order.order_id) || context.state.orders.has(order.order_id)) {
      wrong.push(`[${index}].order_id ${order.order_id} is used twice.`)
    }
    for (const [number, step] of steps.entries()) {
      const { action, input } = actionOf(order.order_id, step)
      const parsed = v.safeParse(action.input, input)
      if (!parsed.success)
        wrong.push(...parsed.issues.map((issue) => `[${index}].steps[${number}]: ${sentence(issue)}`))
    }
    ids.add(order.order_id)
  }
  if (wrong.length > 0) throw new InputError(wrong.join(' '))
  for (const [index, { card, steps, ...sent }] of seeds.entries()) {
    const pos_id = context.options.credentials.posId
    const body = { pos_id, description: `Order ${sent.order_id}`, order_3ds_bypass: 'supported', ...sent }
    const order = createOrder(context, body, Array.isArray((sent as Record<string, unknown>).split))
    if (sent.mode === 'direct' || card !== undefined) {
      pay(context, order, { number: testCard(card ?? 'success'), month: 12, year: 9998, cvv: '123' })
    }
    for (const [number, step] of steps.entries()) {
      try {
        const { action, input } = actionOf(sent.order_id, step)
        carryOut(action, context, input)
      } catch (error) {
        throw new InputError(`[${index}].steps[${number}]: ${(error as Error).message}`)
      }
    }
  }
}

function actionOf(
  order_id: string,
  { do: name, ...more }: v.InferOutput<typeof named>,
): { action: Action; input: object } {
  return { action: STEPS.find((one) => one.name === name) as Action, input: { order_id, ...more } }
}

/** `[0].steps[1].do: Unknown step "refnud".` */
function sentence({ path, message }: v.BaseIssue<unknown>): string {
  const keys = (path ?? []).map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
  return keys.length === 0 ? message : `${keys.join('')}: ${message}`
}

const NEEDED = ['order_id', 'amount', 'currency']
