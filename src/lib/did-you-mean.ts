/** The known name that is closest to an unknown one, when it is close enough to be what was meant. */
export function didYouMean(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase()
  const ranked = known
    .map((candidate) => ({ candidate, distance: distance(lower, candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const [best] = ranked
  // Of a short name, three other letters make any other one.
  return best && best.distance <= Math.min(3, Math.ceil(name.length / 3)) ? best.candidate : undefined
}

/** How many letters have to be added, removed or replaced (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
