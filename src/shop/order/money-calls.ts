// The calls of the service that move money, or create or cancel a payment. No other file of the engine imports them: they
// are made where a command of the protocol is carried out.

import type { OperationKind } from '../../money/protocol.ts'
import { cancelPayment } from '../../operations/cancel-payment.ts'
import { type CapturePaymentInput, capturePayment } from '../../operations/capture-payment.ts'
import { type CreatePaymentInput, createPayment } from '../../operations/create-payment.ts'
import { type CreateSplitPurchaseInput, createSplitPurchase } from '../../operations/create-split-purchase.ts'
import { type RefundPaymentInput, refundPayment } from '../../operations/refund-payment.ts'
import { type VoidPaymentInput, voidPayment } from '../../operations/void-payment.ts'
import { moneyConfig } from '../env.ts'
import type { OrderScope } from './scope.ts'

export function makeOperation({ env, fetch }: OrderScope, kind: OperationKind, input: object): Promise<object> {
  const config = moneyConfig(env, fetch)
  if (kind === 'capture') return capturePayment(config, input as CapturePaymentInput)
  if (kind === 'refund') return refundPayment(config, input as RefundPaymentInput)
  return voidPayment(config, input as VoidPaymentInput)
}

/** Creates a payment. @returns Where its customer pays; undefined where nothing is left to be done there. */
export async function makePayment({ env, fetch }: OrderScope, input: object): Promise<string | undefined> {
  const config = moneyConfig(env, fetch)
  const response = await ('split' in input
    ? createSplitPurchase(config, input as Extract<CreateSplitPurchaseInput, { mode: 'hosted' }>)
    : createPayment(config, input as CreatePaymentInput))
  // A hosted auth may return a record instead of a redirect: the API document does not show it.
  return 'url' in response ? response.url : (response.user_action_url ?? undefined)
}

export const cancelAtService = ({ env, fetch }: OrderScope, order_id: string): Promise<object> =>
  cancelPayment(moneyConfig(env, fetch), { order_id })
