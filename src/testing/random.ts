import { createRandom as createStream } from '../emulator/state/random.ts'

export interface Random {
  chance(probability: number): boolean
  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number
  pick<T>(list: readonly T[]): T
  shuffled<T>(list: readonly T[]): T[]
}

export function createRandom(seed: number): Random {
  const next = createStream(seed)
  const below = (end: number): number => Math.floor(next() * end)
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
    shuffled(list) {
      const drawn = list.map((one) => ({ one, at: next() }))
      return drawn.sort((a, b) => a.at - b.at).map(({ one }) => one)
    },
  }
}
