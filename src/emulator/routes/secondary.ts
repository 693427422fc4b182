import type { Context } from '../context.ts'
import type { SecondaryInput } from '../domain/secondary.ts'
import { type EndpointRequest, findOrder, pick, type Route, readJson, rejectInvalid } from '../http/request.ts'
import { tolerate } from '../http/tolerate.ts'
import { validate } from '../http/validate.ts'
import type { Operation, Order, SplitPart } from '../state/state.ts'

type Body = Record<string, unknown>
type Beyond = 'void' | 'refund' | 'splitCapture' | 'splitRefund'

/** The body of a secondary operation, held against its table. @throws {Problem} with all that is wrong. */
export function secondaryBody(context: Context, request: EndpointRequest, name: 'capture' | Beyond): Body {
  const { rules } = context
  const sent = readJson(context, request)
  const { notes } = request
  const renamed = name === 'splitCapture' && sent.order_currency === undefined && sent.currency !== undefined
  if (renamed) notes.add('order_currency', 'currency is taken for order_currency, the name in public material.')
  const table = rules.parameters[name]
  // The API document shows only the capture; for the others there is only public material, and its clients.
  const textAmounts = name !== 'capture' || context.options.captureContentType === 'any'
  const taken = tolerate(rules, table, renamed ? { ...sent, order_currency: sent.currency } : sent, {
    notes,
    textAmounts,
  })
  rejectInvalid(context, validate(rules, table, taken))
  return taken
}

/**
 * The fields that the bodies of capture, void and refund share, once validated; `amountName` is the name of their
 * amount.
 */
export function secondaryInput({ statusCode }: EndpointRequest, body: Body, amountName?: string): SecondaryInput {
  const amount = amountName === undefined ? undefined : (body[amountName] ?? undefined)
  return {
    amount: amount as number | undefined,
    currency: body.order_currency ?? body.currency,
    comment: (body.comment as string | undefined) ?? null,
    server_url: body.server_url,
    status_code: statusCode,
  }
}

/** An operation beyond the API document ([A]): it returns the record of the operation, of a split with its parts. */
export const beyond =
  (
    name: Beyond,
    run: (context: Context, order: Order, input: SecondaryInput) => Operation,
    amount?: 'refund_amount' | 'charge_amount',
  ): Route =>
  (context, request) => {
    const body = secondaryBody(context, request, name)
    const input = secondaryInput(request, body, amount)
    const parts = name.startsWith('split') ? (body.split as SplitPart[]) : undefined
    if (parts !== undefined) input.split = parts.map(({ amount, sub_merchant_id }) => ({ amount, sub_merchant_id }))
    const operation = run(context, findOrder(context, body.order_id), input)
    return Response.json({ ...pick(operation, context.rules.responses.operation), ...(parts && { split: parts }) })
  }
