import { expect, it } from 'vitest'
import { isForChange, isQuick } from '../support/environment.ts'
import { createRandom } from '../worker/support/random.ts'
import { replaceCrypto } from './crypto.ts'
import { playFailing } from './till.ts'
import { replaceTime } from './time.ts'

/** The quick tests take some of them, a change every third. */
const STEP = isQuick ? 9 : isForChange ? 3 : 1

it.each(['before', 'after', 'dies'] as const)(
  'the n-th statement of a till fails (%s), for every n: money moves once, and everything says so',
  async (how) => {
    const wrong: string[] = []
    let n = 1
    for (; ; n += STEP) {
      const ends = [replaceCrypto(createRandom(n)), replaceTime()]
      const played = await playFailing({ n, how }).finally(() => ends.map((end) => end()))
      if (!played) break
      if (played.wrong.length > 0) wrong.push(`statement ${n}: ${played.wrong.join('; ')}\n${played.log.join('\n')}`)
    }
    expect(wrong.slice(0, 2)).toEqual([])
    expect(n).toBeGreaterThan(30)
  },
  120_000,
)
