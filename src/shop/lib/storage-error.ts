/**
 * KV failed: an outage, or a second write to one key within a second. Nothing may be acknowledged. The till's errors
 * have this name too.
 */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  /** Whether KV rejected a second write to the same key within a second (429). */
  readonly tooSoon: boolean
  constructor(message: string, tooSoon = false, cause?: unknown) {
    super(message, { cause })
    this.tooSoon = tooSoon
  }
}

export const isStorageError = (error: unknown): boolean => error instanceof Error && error.name === 'StorageError'

/** Ignores a failure of the storage, and throws any other error. */
export function ignoreOutage(error: unknown): undefined {
  if (!isStorageError(error)) throw error
  return undefined
}

/** Runs a call of KV. @throws {StorageError} when it fails. */
export async function orStorageError<T>(action: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const tooSoon = cause instanceof Error && /\b429\b/.test(cause.message)
    throw new StorageError(`The storage could not ${action}.`, tooSoon, cause)
  }
}
