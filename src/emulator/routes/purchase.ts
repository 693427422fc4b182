import { type Context, checkoutAddress } from '../context.ts'
import type { Instrument } from '../domain/payments.ts'
import type { RequestNotes } from '../http/notes.ts'
import type { Violation } from '../http/problem.ts'
import { type EndpointRequest, pick, rejectInvalid } from '../http/request.ts'
import { tolerate } from '../http/tolerate.ts'
import { relax, validate } from '../http/validate.ts'
import type { ParameterTable } from '../spec/parameters.ts'
import type { Order } from '../state/state.ts'
import { customer, recurringObject } from '../webhooks/payload.ts'

type Body = Record<string, unknown>

/** Checks a purchase or auth request against its table and rules. @throws {Problem} with all that is wrong. */
export function validatePurchase(
  context: Context,
  { notes }: EndpointRequest,
  sent: Body,
  methods: readonly string[],
  split: boolean,
): Body {
  const { parameters, types } = context.rules
  const mode = (sent.mode ?? undefined) === undefined ? 'is required' : types.mode(sent.mode)
  if (mode !== undefined) rejectInvalid(context, [{ field_name: 'mode', violation: mode }])
  const table = sent.mode === 'direct' ? parameters.directPurchase : parameters.hostedPurchase
  const relaxed = relax(table, (name) => {
    if (name === 'split') return !split
    return name.startsWith('customer_') && context.options.customerFields === 'optional'
  })
  const body = tolerate(context.rules, relaxed, sent, { notes, noted: (name) => table[name]?.required === true })
  const violations = validate(context.rules, relaxed, body)
  if (types.method(body.method) === undefined && !methods.includes(String(body.method))) {
    violations.push({ field_name: 'method', violation: `must be ${methods.join(' or ')} here` })
  }
  if (body.mode === 'direct') violations.push(...instrumentViolations(context, body))
  if ((body.init_recurring ?? undefined) !== undefined && body.method !== 'purchase') {
    violations.push({ field_name: 'init_recurring', violation: 'is added to a purchase request' })
  }
  if (split && context.options.splitSum === 'exact') violations.push(...sumViolations(body))
  rejectInvalid(context, violations)
  noteOpenQuestions(table, body, notes, split, parameters.capture.order_id?.max)
  return body
}

const BYPASSES = ['supported', 'always', 'never']

/** Inputs that the API document leaves open, and a merchant's project may reject. */
function noteOpenQuestions(
  table: ParameterTable,
  body: Body,
  notes: RequestNotes,
  split: boolean,
  max = Number.POSITIVE_INFINITY,
): void {
  const missing = Object.entries(table)
    .filter(
      ([name, { required }]) => required && name.startsWith('customer_') && (body[name] ?? undefined) === undefined,
    )
    .map(([name]) => name)
  if (missing.length > 0) notes.add(missing, `request without ${missing.join(', ')} (required by the API document)`)
  const id = [...String(body.order_id)].length
  if (body.method === 'auth' && id > max) {
    notes.add('order_id', `order_id has ${id} characters; a capture takes at most ${max}.`)
  }
  if (!BYPASSES.includes(String(body.order_3ds_bypass))) {
    const known = BYPASSES.join(', ')
    notes.add('order_3ds_bypass', `order_3ds_bypass is none of the known values: ${known}.`)
  }
  if (split && sumViolations(body).length > 0) notes.add('split', 'The parts of split do not add up to the amount.')
  if (!split && (body.split ?? undefined) !== undefined) {
    notes.add('split', `split is ignored: the API document shows it for split purchases, not for this ${body.method}.`)
  }
}

/** "Either full card data (…) or `cc_token` is sent." */
function instrumentViolations(context: Context, body: Body): Violation[] {
  const has = (name: string): boolean => (body[name] ?? undefined) !== undefined
  const { cardData } = context.rules.wire
  const present = cardData.filter(has)
  if (!context.rules.conditions.oneInstrument(present.length > 0, has('cc_token'))) {
    return [{ field_name: 'cc_token', violation: 'either full card data or cc_token is sent' }]
  }
  if (present.length === 0) return []
  // The rule names card_cvv and no exception. That a cryptogram replaces it is an assumption, which the SDK leaves to
  // its user.
  const too = has('cryptogram') ? ', also beside a cryptogram (the API document names no exception)' : ''
  return cardData
    .filter((name) => !has(name))
    .map((field_name) => ({
      field_name,
      violation: `is part of the card data${field_name === 'card_cvv' ? too : ''}`,
    }))
}

function sumViolations(body: Body): Violation[] {
  const parts = Array.isArray(body.split) ? (body.split as Body[]) : []
  const cents = parts.reduce((sum, part) => sum + Math.round(Number(part?.amount) * 100), 0)
  if (cents === Math.round(Number(body.amount) * 100)) return []
  return [{ field_name: 'split', violation: 'the parts must add up to the amount' }]
}

/** @param body A direct request that was validated. */
export function instrumentOf(body: Body): Instrument {
  if (typeof body.cc_token === 'string') return { token: body.cc_token }
  return {
    number: String(body.cc_number),
    month: Number(body.exp_month ?? 12),
    year: Number(body.exp_year ?? 9998),
    cvv: String(body.card_cvv ?? '000'),
  }
}

/** "Successful response: HTTP 303 with header `location` holding the checkout form address". */
export function redirectToCheckout(context: Context, order: Order): Response {
  const location = checkoutAddress(context, order)
  return new Response(null, { status: context.rules.wire.checkoutRedirect, headers: { location } })
}

/**
 * The response to a creation: the payment record with the fields of `names`, the customer's, and `recurring` where
 * there is a subscription ("`init` on creation", also when the first payment has already made it active).
 */
export function recordOf(context: Context, order: Order, names: readonly string[], sent: Body = {}): Response {
  const record = pick({ ...sent, ...order.payments[0] }, names)
  const status = context.rules.statuses.recurringCreated
  const recurring = order.subscription && { recurring: { ...recurringObject(order), status } }
  return Response.json({ ...record, ...customer(order), ...recurring }, { status: 200 })
}
