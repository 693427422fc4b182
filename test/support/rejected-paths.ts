import { expect } from 'vitest'
import { type Client, type ClientConfig, createClient } from '../../src/index.ts'
import { CONFIG, rejection, wire } from './mock-fetch.ts'

/** The paths that a call's input is rejected for; nothing may have travelled. */
export async function rejectedPaths(
  call: (client: Client) => Promise<unknown>,
  config: Partial<ClientConfig> = {},
): Promise<string[]> {
  const { fetch, sent } = wire()
  const error = await rejection(call(createClient({ ...CONFIG, ...config, fetch })))
  expect(error).toMatchObject({ name: 'InvalidInputError', code: 'invalid_input' })
  expect(sent).toEqual([])
  return (error.issues as { path: string }[]).map(({ path }) => path)
}
