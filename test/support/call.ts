import { expect } from 'vitest'
import * as sdk from '../../src/index.ts'
import { CONFIG, rejection, type Sent, wire } from './mock-fetch.ts'

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

/** The error of a call, and how many requests were sent until then. */
export async function failure({ answer, sent }: ReturnType<typeof call>) {
  return Object.assign(await rejection(answer), { requests: sent.length })
}

/** A helper's input is rejected for what is at a path of it. */
export const rejects = (run: () => unknown, path: string): void =>
  expect(run).toThrow(expect.objectContaining({ code: 'invalid_input', issues: [expect.objectContaining({ path })] }))

/** The paths that a call's input is rejected for; nothing may have travelled, and no card data may be shown. */
export async function rejectedPaths(
  call: (client: sdk.Client) => Promise<unknown>,
  config: Partial<sdk.ClientConfig> = {},
): Promise<string[]> {
  const { fetch, sent } = wire()
  const error = await rejection(call(sdk.createClient({ ...CONFIG, ...config, fetch })))
  expect(error).toMatchObject({ name: 'InvalidInputError', code: 'invalid_input' })
  expect(sent).toEqual([])
  expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toMatch(/4242|card_cvv: \d|rcr:/)
  return (error.issues as { path: string }[]).map(({ path }) => path)
}
