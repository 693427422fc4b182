import {
  type CallOptions,
  type ClientConfig,
  createClient,
  type RequestInput,
  type RequestResult,
} from '../../src/index.ts'
import { CONFIG, type Sent, wire } from './mock-fetch.ts'

export const GET: RequestInput = { method: 'GET', path: '/api/v1/state', authentication: 'plain' }
export const POST: RequestInput = { method: 'POST', path: '/api/v1/thing', authentication: 'plain', body: { a: 1 } }
export const HOSTED: RequestInput = { ...POST, redirectExpected: true }

/** A request that is answered with the replies in turn, and what was sent of it. Retries wait for nothing. */
export function call(
  input: RequestInput,
  replies: Parameters<typeof wire>,
  config: Partial<ClientConfig> = {},
  options?: CallOptions,
): { answer: Promise<RequestResult>; sent: Sent[] } {
  const { fetch, sent } = wire(...replies)
  const { request } = createClient({ ...CONFIG, random: () => 0, ...config, fetch })
  return { answer: request(input, options), sent }
}
