/** KV did not do what was expected: an outage, or a second write to one key within a second. Nothing may be acknowledged. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  /** Whether KV rejected a second write to the same key within a second (429). */
  readonly tooSoon: boolean
  constructor(message: string, tooSoon: boolean, cause?: unknown) {
    super(message, { cause })
    this.tooSoon = tooSoon
  }
}

/** Goes on without what the storage could not do. */
export function ignoreOutage(error: unknown): undefined {
  if (!(error instanceof StorageError)) throw error
  return undefined
}

/** Reads or writes what nothing depends on. */
export function ifPossible<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    return ignoreOutage(error)
  }
}

/** Runs a call of a storage. @throws {StorageError} when it fails. */
export async function orStorageError<T>(action: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const tooSoon = cause instanceof Error && /\b429\b/.test(cause.message)
    throw new StorageError(`The storage could not ${action}.`, tooSoon, cause)
  }
}
