/** The work that has begun and not ended. */
export interface UnderWay {
  keep(work: Promise<unknown>): void
  /** Resolves when all of it has ended, or after this time. */
  ended(ms: number): Promise<void>
}

export function createUnderWay(): UnderWay {
  const all = new Set<Promise<unknown>>()
  const idle = async () => {
    while (all.size > 0) await Promise.all(all)
  }
  return {
    keep(work) {
      const own: Promise<unknown> = work.catch(() => {}).finally(() => all.delete(own))
      all.add(own)
    },
    async ended(ms) {
      let limit: ReturnType<typeof setTimeout> | undefined
      const over = new Promise<void>((resolve) => {
        limit = setTimeout(resolve, ms)
      })
      await Promise.race([idle(), over])
      clearTimeout(limit)
    },
  }
}
