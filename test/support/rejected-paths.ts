import { expect } from 'vitest'
import { type Client, type ClientConfig, createClient } from '../../src/index.ts'
import { CONFIG, rejection, wire } from './mock-fetch.ts'

/** The paths that a call's input is rejected for; nothing may have travelled, and no card data may be shown. */
export async function rejectedPaths(
  call: (client: Client) => Promise<unknown>,
  config: Partial<ClientConfig> = {},
): Promise<string[]> {
  const { fetch, sent } = wire()
  const error = await rejection(call(createClient({ ...CONFIG, ...config, fetch })))
  expect(error).toMatchObject({ name: 'InvalidInputError', code: 'invalid_input' })
  expect(sent).toEqual([])
  expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toMatch(/4242|card_cvv: \d|rcr:/)
  return (error.issues as { path: string }[]).map(({ path }) => path)
}
