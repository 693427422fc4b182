import { beforeAll, describe, expect, it } from 'vitest'
import { isLong } from '../support/environment.ts'
import { SEED } from '../support/property.ts'
import { main } from './programs/verdicts.ts'
import { RUNTIMES, runOn } from './support/runtimes.ts'

// The same random inputs, responses and webhooks on each runtime: what becomes of each must be the same.

const count = isLong ? 50_000 : 1_000
let expected: string[]
beforeAll(async () => {
  expected = await main({ seed: SEED, count })
}, 600_000)

describe(`${count} random cases (seed ${SEED})`, () => {
  it.each(RUNTIMES)('come to the same on %s', { timeout: 600_000 }, async (runtime) => {
    const verdicts = await runOn<string[]>(runtime, 'verdicts', { seed: SEED, count })
    const index = verdicts.findIndex((one, at) => one !== expected[at])
    expect([index, verdicts[index]]).toEqual([-1, undefined])
    expect(verdicts).toHaveLength(count)
  })

  it('have many different outcomes', () => {
    expect(new Set(expected).size).toBeGreaterThan(count / 10)
  })
})
