/** The result of several rounds. */
export interface Sample {
  median: number
  /** A quarter of the rounds were below this, */
  low: number
  /** and a quarter above this. */
  high: number
  rounds: number
}

/** The median and the quartiles: on a shared machine, means and extremes show the other work. */
export function sampleOf(values: readonly number[]): Sample {
  const sorted = [...values].sort((a, b) => a - b)
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.25),
    high: quantile(sorted, 0.75),
    rounds: sorted.length,
  }
}

/** A quantile of sorted values, interpolated between two neighbours. */
export function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)] ?? Number.NaN
  const above = sorted[Math.ceil(at)] ?? Number.NaN
  return below + (above - below) * (at - Math.floor(at))
}

/**
 * Runs contenders in turn. Each round begins with the next contender, and every second round runs backwards. So other work
 * of the machine, and the leftovers of the previous contender, are spread over all contenders.
 */
export async function takeTurns<T>(
  contenders: readonly T[],
  rounds: number,
  run: (contender: T) => number | Promise<number>,
): Promise<Map<T, number[]>> {
  const values = new Map<T, number[]>(contenders.map((contender) => [contender, []]))
  for (let round = 0; round < rounds; round++) {
    for (const contender of orderOf(contenders, round)) values.get(contender)?.push(await run(contender))
  }
  return values
}

/** The order of a round. */
export function orderOf<T>(contenders: readonly T[], round: number): T[] {
  const start = Math.floor(round / 2) % contenders.length
  const order = [...contenders.slice(start), ...contenders.slice(0, start)]
  return round % 2 === 0 ? order : order.reverse()
}
