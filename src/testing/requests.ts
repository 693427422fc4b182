import type { LoggedRequest, RequestFilter } from '../emulator/index.ts'
import { ConfigError } from '../errors.ts'

/** An emulator, or a shop of `createEmulatorShop`. */
export interface RequestSource {
  requests(filter?: RequestFilter): readonly LoggedRequest[] | Promise<readonly LoggedRequest[]>
}

/**
 * Fails when the emulator rejected a request of your shop: every request that got a 4xx, with its reason. A 429 is a
 * fault that the test set, and requests to the control API are the test's own. Call it at the end of a test.
 *
 * @param source An emulator, or a shop of `createEmulatorShop`.
 * @throws {Error} that lists the rejected requests with their reasons.
 * @throws {ConfigError} when `source` has no requests.
 * @example
 * import { createEmulator } from 'edgetill/emulator'
 * import { assertNothingRejected } from 'edgetill/testing'
 * const emulator = createEmulator()
 * await assertNothingRejected(emulator)
 */
export async function assertNothingRejected(source: RequestSource): Promise<void> {
  const isSource = typeof (source as Partial<RequestSource> | undefined)?.requests === 'function'
  const requests = isSource ? await source.requests({ status: '4xx' }) : undefined
  if (!Array.isArray(requests)) {
    throw new ConfigError('source', 'assertNothingRejected takes an emulator, or a shop of createEmulatorShop.')
  }
  const rejected = (requests as readonly LoggedRequest[]).filter(
    ({ status, path }) => status !== 429 && !path.startsWith('/_emulator/'),
  )
  if (rejected.length === 0) return
  const lines = rejected.map(({ method, path, status, reason }) => `  ${method} ${path}: ${status} ${reason ?? ''}`)
  const count = rejected.length === 1 ? '1 request' : `${rejected.length} requests`
  throw new Error(`The emulator rejected ${count}:\n${lines.join('\n')}`)
}
