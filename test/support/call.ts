import * as sdk from '../../src/index.ts'
import { CONFIG, type Sent, wire } from './mock-fetch.ts'

export const GET: sdk.RawRequestInput = { method: 'GET', path: '/api/v1/state', authentication: 'plain' }
export const POST: sdk.RawRequestInput = {
  method: 'POST',
  path: '/api/v1/thing',
  authentication: 'plain',
  body: { a: 1 },
}
export const HOSTED: sdk.RawRequestInput = { ...POST, redirectExpected: true }

/** A request that is answered with the replies in turn, and what was sent of it. Retries wait for nothing. */
export function call(
  input: sdk.RawRequestInput,
  replies: Parameters<typeof wire>,
  config: Partial<sdk.ClientConfig> = {},
  options?: sdk.CallOptions,
): { answer: Promise<sdk.RawRequestResult>; sent: Sent[] } {
  const { fetch, sent } = wire(...replies)
  const { rawRequest } = sdk.createClient({ ...CONFIG, random: () => 0, ...config, fetch })
  return { answer: rawRequest(input, options), sent }
}
