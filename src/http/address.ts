import type { ResolvedConfig } from '../config.ts'
import { ConfigError } from '../errors.ts'
import { rejectInput } from '../schemas/input.ts'
import type { WireRequest } from './types.ts'

/** The whole address of a request. */
export function addressOf(config: ResolvedConfig, { operation, base, path }: WireRequest): string {
  const address = config[base]
  if (address === undefined) {
    throw new ConfigError('apiUrl', `${operation} needs apiUrl, which is a separate address.`)
  }
  const url = address + path
  // The last guard against a value that changes the path: a URL parser must return the path as it was built.
  const { origin, pathname, search } = new URL(url)
  if (origin + pathname + search !== url) {
    rejectInput(operation, 'path', 'must be a path without "." or ".." segments', path)
  }
  return url
}
