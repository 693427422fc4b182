/** Makes a value at its first use: nothing is built at import, and a bundle holds only what it calls. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
