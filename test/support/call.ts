import {
  type CallOptions,
  type ClientConfig,
  createClient,
  type RawRequestInput,
  type RawRequestResult,
} from '../../src/index.ts'
import { CONFIG, type Sent, wire } from './mock-fetch.ts'

export const GET: RawRequestInput = { method: 'GET', path: '/api/v1/state', authentication: 'plain' }
export const POST: RawRequestInput = { method: 'POST', path: '/api/v1/thing', authentication: 'plain', body: { a: 1 } }
export const HOSTED: RawRequestInput = { ...POST, redirectExpected: true }

/** A request that is answered with the replies in turn, and what was sent of it. Retries wait for nothing. */
export function call(
  input: RawRequestInput,
  replies: Parameters<typeof wire>,
  config: Partial<ClientConfig> = {},
  options?: CallOptions,
): { answer: Promise<RawRequestResult>; sent: Sent[] } {
  const { fetch, sent } = wire(...replies)
  const { rawRequest } = createClient({ ...CONFIG, random: () => 0, ...config, fetch })
  return { answer: rawRequest(input, options), sent }
}
