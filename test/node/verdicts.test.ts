import { beforeAll, describe, expect, it } from 'vitest'
import { isLong } from '../support/environment.ts'
import { SEED } from '../support/property.ts'
import { main, verdict } from './programs/verdicts.ts'
import { RUNTIMES, runOn } from './support/runtimes.ts'

// The same random inputs, responses and webhooks on each runtime: what becomes of each must be the same.

const count = isLong ? 100_000 : 1_000
let expected: number[]
beforeAll(async () => {
  expected = await main({ seed: SEED, count })
}, 600_000)

describe(`${count} random cases (seed ${SEED})`, () => {
  it.each(RUNTIMES)(
    'come to the same on %s',
    async (runtime) => {
      const hashes = await runOn<number[]>(runtime, 'verdicts', { seed: SEED, count })
      const other = hashes.findIndex((one, index) => one !== expected[index])
      // The case that differs, as this runtime sees it.
      expect(other < 0 ? undefined : [other, await verdict(SEED, other)]).toBeUndefined()
      expect(hashes).toHaveLength(count)
    },
    600_000,
  )

  it('have many different outcomes', () => {
    expect(new Set(expected).size).toBeGreaterThan(count / 10)
  })
})
