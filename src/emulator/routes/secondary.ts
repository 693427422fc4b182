import type { SecondaryInput } from '../domain/secondary.ts'
import type { EndpointRequest } from '../http/request.ts'
import type { SplitPart } from '../state/state.ts'

type Body = Record<string, unknown>

/** What the bodies of capture, void and refund have in common, once validated; `amountName` is the name of their amount. */
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

/** The same for the split operations, with their parts. */
export function splitInput(request: EndpointRequest, body: Body, amountName: string): SecondaryInput {
  const parts = body.split as SplitPart[]
  const split = parts.map(({ amount, sub_merchant_id }) => ({ amount, sub_merchant_id }))
  return { ...secondaryInput(request, body, amountName), split }
}
