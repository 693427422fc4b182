/** A seeded stream of numbers in [0, 1): mulberry32. Good for repeatable tests, not for secrets. */
export interface Random {
  (): number
  /** Begins the stream again. */
  restart(): void
  /** The position of the stream. */
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

/** FNV-1a of a text: the same text gives the same number. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0
  return hash
}

/** A checksum of JSON. The order of names does not count: programs in other languages write them in their own order. */
export function checksum(value: unknown): number {
  if (typeof value !== 'object' || value === null) return hashOf(`${typeof value} ${String(value)}`)
  let sum = Array.isArray(value) ? value.length : 1
  for (const [name, part] of Object.entries(value)) {
    sum = (sum + Math.imul(hashOf(name) | 1, checksum(part) ^ 0x5eed)) >>> 0
  }
  return sum
}

/** The ids of an emulator. UUIDs begin with `ed9e7111` and all others with `emulator`, unlike the service's. */
export interface Ids {
  uuid(): string
  named(kind: string): string
}

export function createIds(random: Random): Ids {
  const hex = (digits: number): string[] =>
    Array.from({ length: digits }, () => '0123456789abcdef'.charAt(random() * 16))
  // Joined at once: a text that grows letter by letter keeps each of its steps in memory.
  const joined = (...parts: (string | string[])[]): string => parts.flat().join('')
  return {
    uuid: () => joined('ed9e7111-', hex(4), '-4', hex(3), '-', '89ab'.charAt(random() * 4), hex(3), '-', hex(12)),
    named: (kind) => joined('emulator-', kind, '-', hex(16)),
  }
}
