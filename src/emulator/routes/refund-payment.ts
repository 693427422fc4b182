import { refund } from '../domain/secondary.ts'
import type { Route } from '../http/request.ts'
import { beyond } from './secondary.ts'

/** `POST {base_url}/api/v1/refund` (beyond the API document, [A]): all that is left, or `refund_amount`. */
export const refundPayment: Route = beyond('refund', refund, 'refund_amount')
