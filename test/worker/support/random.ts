import { givenSeed, isLong as longRun } from '../../support/environment.ts'

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

let chosen: number | undefined

/** The seed of this run: EDGETILL_SEED, else a new one. Printed when it is first used. Call it inside a test: workerd has no randomness outside. */
export function seedOfRun(): number {
  if (chosen === undefined) {
    chosen = givenSeed ?? Math.floor(Math.random() * 2 ** 31)
    console.log(`EDGETILL_SEED=${chosen}`)
  }
  return chosen
}

/** Whether the full sizes are to be run. */
export const isLong = (): boolean => longRun

export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items]
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[result[i], result[j]] = [result[j] as T, result[i] as T]
  }
  return result
}
