import { capture } from '../domain/secondary.ts'
import type { Route } from '../http/request.ts'
import { beyond } from './secondary.ts'

/**
 * `POST {base_url}/api/v1/split/capture` (beyond the API document, [A]): part of an authorization, divided between
 * sub-merchants.
 */
export const captureSplitPurchase: Route = beyond('splitCapture', capture, 'charge_amount')
