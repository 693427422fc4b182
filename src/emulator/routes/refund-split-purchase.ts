import { refund } from '../domain/secondary.ts'
import type { Route } from '../http/request.ts'
import { beyond } from './secondary.ts'

/**
 * `POST {base_url}/api/v1/split/refund` (beyond the API document, [A]): each sub-merchant gives back at most its share.
 */
export const refundSplitPurchase: Route = beyond('splitRefund', refund, 'refund_amount')
