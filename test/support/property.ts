import * as fc from 'fast-check'
import { givenSeed, isLong } from './environment.ts'

/** The seed of every property of a file: it stands in the tests' names, and EDGETILL_SEED repeats it. */
export const SEED: number = givenSeed ?? Math.floor(Math.random() * 2 ** 31)

const RUNS = isLong ? 8_000 : 300

/** Checks a property with the printed seed; a failure shows the seed and the smallest input that fails. */
export async function check<T extends [unknown, ...unknown[]]>(
  property: fc.IAsyncProperty<T> | fc.IProperty<T>,
  runs: number = RUNS,
): Promise<void> {
  await fc.assert(property as fc.IAsyncProperty<T>, { seed: SEED, numRuns: runs })
}
