import { voidAuthorization } from '../domain/secondary.ts'
import type { Route } from '../http/request.ts'
import { beyond } from './secondary.ts'

/** `POST {base_url}/api/v1/void` (beyond the API document, [A]): a successful `auth`, always whole. */
export const voidPayment: Route = beyond('void', voidAuthorization)
