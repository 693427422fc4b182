/**
 * Makes a value at its first use: nothing is built at import. Each call at the top of a module is marked `@__PURE__`, so
 * that bundlers drop the unused ones of the published files, in which our modules are no longer apart.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
