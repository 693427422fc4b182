/** A seeded stream of numbers in [0, 1): mulberry32. Good for repeatable tests, not for secrets. */
export interface Random {
  (): number
  /** Begins the stream again. */
  restart(): void
  /** Where the stream is. */
  position(): number
  /** Goes on from there. */
  goTo(position: number): void
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  return Object.assign(next, {
    restart() {
      state = seed >>> 0
    },
    position: () => state,
    goTo(position: number) {
      state = position >>> 0
    },
  })
}

/** The ids of one emulator. UUIDs begin with `ed9e7111` and all others with `emulator`, so that no one takes them for the service's. */
export interface Ids {
  uuid(): string
  named(kind: string): string
}

export function createIds(random: Random): Ids {
  const hex = (digits: number): string => {
    let text = ''
    for (let i = 0; i < digits; i++) text += Math.floor(random() * 16).toString(16)
    return text
  }
  return {
    uuid: () => `ed9e7111-${hex(4)}-4${hex(3)}-${'89ab'.charAt(Math.floor(random() * 4))}${hex(3)}-${hex(12)}`,
    named: (kind) => `emulator-${kind}-${hex(16)}`,
  }
}
